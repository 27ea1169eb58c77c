// Ids of many2ones that clients wrote as digits, made numbers before a module's code looks at the values.
import { unquoted } from '../../kit/nothing.ts'
import { drawForeseen, isForeseen } from '../compute/ids.ts'
import { lookAhead } from '../compute/making-ahead.ts'
import type { LooseRecords, MethodDef, ModelDef } from '../language/definitions.ts'
import { recordsOf } from '../unit/environment.ts'
import { perModel } from '../unit/per-model.ts'
import { createKnown, createKnownEach } from './known/create.ts'

type Vals = Readonly<Record<string, unknown>>

const links = perModel(
  (model) =>
    new Set([...model.fields.values()].filter(({ kind }) => kind === 'many2one').map(({ name }) => name)),
)

/** The same values, or a copy with numbers in the place of digits and null in that of an empty text. */
export function withIds(model: ModelDef, vals: Vals): Vals {
  let copy: Record<string, unknown> | null = null
  for (const name in vals) {
    const value = vals[name]
    if (typeof value !== 'string' || !links(model).has(name)) continue
    copy ??= { ...vals }
    copy[name] = value === '' ? null : unquoted(value)
  }
  return copy ?? vals
}

const isVals = (vals: unknown): vals is Vals => typeof vals === 'object' && vals !== null

/** `create` of a model, around everything that modules put around it. */
export function creatingWithIds(model: ModelDef, method: MethodDef): MethodDef {
  const run: MethodDef['run'] = (records, params) => {
    const list = params.vals_list
    const { env } = records as unknown as LooseRecords
    // Asked for first: what modules make inside of it is not what the caller is told.
    const mayOwe = env.unit.takesOwed()
    if (!Array.isArray(list)) return method.run(records, params)
    const ran = () => {
      const vals_list = list.map((vals) => (isVals(vals) ? withIds(model, vals) : vals))
      lookAhead(env, model, vals_list)
      return method.run(records, { ...params, vals_list }) as Promise<LooseRecords>
    }
    // First of all: the question may leave with the credential's check.
    const whole = () => (isForeseen(env, model) ? drawForeseen(env).then(ran) : ran())
    const mayKnow = method.module === 'core' && env.unit.isUntouched
    if (mayKnow && mayOwe && list.length > 1)
      return createKnownEach(env, model, list).then((ids) => (ids ? recordsOf(env, model, ids) : whole()))
    return mayKnow && list.length === 1
      ? createKnown(env, model, list[0], {
          whole,
          known: (id) => recordsOf(env, model, [id]),
          idsOf: ({ ids }) => ids,
          mayOwe,
        })
      : whole()
  }
  return { ...method, run }
}
