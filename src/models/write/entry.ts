// Creates and writes of callers, on their way to the code of modules: ids and numbers that clients wrote as
// texts become numbers first, since modules would judge one thing and another would be stored. Records that
// get values of their own are written many at once.
import { unquoted } from '../../kit/nothing.ts'
import { oncePer } from '../../kit/once-per.ts'
import { drawPlannedIds, hasPlannedIds } from '../compute/ids.ts'
import { prefetchForNew } from '../compute/prefetch-new.ts'
import { INT32_MAX, noRecord, unquotedNumber } from '../kinds/shared.ts'
import type { WriteChange } from '../language/behaviour.ts'
import type {
  Change,
  FieldDef,
  LooseRecords,
  LooseVals,
  MethodDef,
  ModelDef,
  X2manyDef,
} from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/field-options.ts'
import { assertVals } from '../row/values.ts'
import { recordsOf } from '../unit/environment.ts'
import { authorizeWrite } from './authorize.ts'
import { createPlanned } from './plans/create.ts'
import { writePlanned } from './plans/write.ts'

type Reading = (value: unknown) => unknown

const readings = oncePer(
  (model: ModelDef) =>
    new Map(
      [...model.fields.values()].flatMap((field) => {
        const read = readingOf(field)
        return read ? [[field.name, read] as const] : []
      }),
    ),
)

function readingOf(field: FieldDef): Reading | null {
  if (leadsToOne(field)) return (value) => idIn(field, value)
  if (leadsToMany(field)) return (value) => inCommands(field, value)
  if (field.kind === 'integer') return (value) => unquotedNumber(value, true)
  return field.kind === 'float' || field.kind === 'monetary' ? (value) => unquotedNumber(value, false) : null
}

/** Throws ValidationError for an id that no record can have: statements of modules would fail with it. */
function idIn(field: FieldDef, value: unknown): unknown {
  const id = value === '' ? null : unquoted(value)
  if (typeof id === 'number' && id > INT32_MAX) throw noRecord(field, id)
  return id
}

function inCommands(field: X2manyDef, value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const commands = value.map((command) => inCommand(field, command))
  return commands.every((command, i) => command === value[i]) ? value : commands
}

/** A command with values: `[0, 0, {…}]` or `[1, id, {…}]`. */
function inCommand({ comodel }: X2manyDef, command: unknown): unknown {
  if (!Array.isArray(command) || !isVals(command[2]) || Array.isArray(command[2])) return command
  const vals = unquotedVals(comodel, command[2])
  return vals === command[2] ? command : [command[0], command[1], vals]
}

/** The same values, or a copy with numbers in the place of texts and null in that of an empty id. */
export function unquotedVals(model: ModelDef, vals: LooseVals): LooseVals {
  let copy: Record<string, unknown> | null = null
  for (const name in vals) {
    const value = vals[name]
    if (isSmall(value) || (typeof value === 'object' && !Array.isArray(value)) || value === false) continue
    const read = readings(model).get(name)
    const meant = read ? read(value) : value
    if (meant === value) continue
    copy ??= { ...vals }
    copy[name] = meant
  }
  return copy ?? vals
}

const isSmall = (value: unknown) => Number.isFinite(value) && (value as number) <= INT32_MAX

const isVals = (vals: unknown): vals is LooseVals => typeof vals === 'object' && vals !== null

/** `create` of a model, around everything that modules put around it. */
export function creatingUnquoted(model: ModelDef, method: MethodDef): MethodDef {
  const run: MethodDef['run'] = (records, params) => {
    const list = params.vals_list
    const { env } = records as unknown as LooseRecords
    // Claimed first: the ids of records that modules create inside are not the answer.
    const mayDefer = env.unit.answer.mayReturnDeferred()
    if (!Array.isArray(list)) return method.run(records, params)
    const create = () => {
      const vals_list = list.map((vals) => (isVals(vals) ? unquotedVals(model, vals) : vals))
      prefetchForNew(env, model, vals_list)
      return method.run(records, { ...params, vals_list }) as Promise<LooseRecords>
    }
    // First of all: the question may leave with the credential's check.
    const whole = () => (hasPlannedIds(env, model) ? drawPlannedIds(env).then(create) : create())
    const mayUsePlan = method.module === 'core' && env.unit.isUntouched
    return mayUsePlan ? createPlanned(env, model, list, { mayDefer, create: whole }) : whole()
  }
  return { ...method, run }
}

/**
 * Writes values that differ from record to record, all of them together. Of several changes of a record the
 * later ones come later.
 */
export async function writeEach(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> {
  const wanted = changes.filter(({ ids }) => ids.length > 0)
  const parts = rounds(wanted)
  if (parts.length > 1) env.unit.quota.charge('rounds', parts.length)
  for (const round of parts) await writeTogether(env, model, round)
}

/** One write, through every module's wrap: no record occurs twice in it. The rest is as in `writeChanges`. */
export function writeTogether(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const judging = authorizeWrite(env, model, changes)
  return judging ? judging.then(() => written(env, model, changes)) : written(env, model, changes)
}

function written(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const [only, more] = changes
  return only && !more && env.unit.isUntouched
    ? writePlanned(env, model, only, () => writeThrough(env, model, changes))
    : writeThrough(env, model, changes)
}

function writeThrough(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const prepared: WriteChange[] = changes.map(({ ids, vals }) => ({
    ids,
    vals: unquotedVals(model, assertVals(vals)),
  }))
  return model.hooks.writing(
    recordsOf(
      env,
      model,
      prepared.flatMap(({ ids }) => ids),
    ) as never,
    prepared,
  )
}

function rounds(changes: readonly Change[]): Change[][] {
  const parts: Change[][] = []
  let seen = new Set<number>()
  for (const change of changes) {
    if (parts.length === 0 || change.ids.some((id) => seen.has(id))) {
      parts.push([])
      seen = new Set()
    }
    parts.at(-1)?.push(change)
    for (const id of change.ids) seen.add(id)
  }
  return parts
}
