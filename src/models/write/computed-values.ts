// Values that the server computes and keeps, of models that declare no writable fields: rights, amounts and
// reports rest on them, so people write none of them. Models with a declaration have it in
// registry/authority.ts.
import { UserError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { mark } from '../compute/recompute.ts'
import type { Change, FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isServerComputed } from '../language/field-options.ts'
import { loadPaths } from '../load/load.ts'
import { assertModel } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { isEmptyOrDefault, isUnchanged } from './commands/parse.ts'

const computedFields = oncePer((model: ModelDef): readonly FieldDef[] =>
  [...model.fields.values()].filter(isServerComputed),
)

/** Rejects with UserError where changes give such fields another value; null where they name none. */
export function assertComputedKept(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> | null {
  const values: ComputedValue[] = []
  for (const field of computedFields(model))
    for (const { ids, vals } of changes) {
      const value = (vals as LooseVals | null)?.[field.name]
      if (value !== undefined) for (const id of ids) values.push({ field, id, value })
    }
  return values.length ? guarded(env, model, values) : null
}

async function guarded(env: Environment, model: ModelDef, values: readonly ComputedValue[]): Promise<void> {
  assertModel(env, model, 'write')
  await guardRecords(env, model, [...new Set(values.map(({ id }) => id))], 'write', 'refuse')
  await assertSame(env, model, values)
}

/**
 * New records may be given what the server computes; rejects with UserError for anything else. Defaults of
 * the context are ignored for such fields.
 */
export function assertComputedAsGiven(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  list: readonly unknown[],
): Promise<void> | null {
  const values: ComputedValue[] = []
  for (const field of computedFields(model))
    for (const [n, id] of ids.entries()) {
      const value = (list[n] as LooseVals | null)?.[field.name]
      if (value !== undefined && !isEmptyOrDefault(env, field, value)) values.push({ field, id, value })
    }
  for (const { field, id } of values) mark(env, field, [id])
  return values.length ? assertSame(env, model, values) : null
}

/** Throws UserError for such values in the place of copied ones, which nothing compares later. */
export function assertNoComputed(env: Environment, model: ModelDef, vals: LooseVals): void {
  for (const field of computedFields(model))
    if (vals[field.name] !== undefined && !isEmptyOrDefault(env, field, vals[field.name]))
      throw setByServer(field)
}

interface ComputedValue {
  readonly field: FieldDef
  readonly id: number
  readonly value: unknown
}

async function assertSame(
  env: Environment,
  model: ModelDef,
  values: readonly ComputedValue[],
): Promise<void> {
  const whole = env.sudo().withContext({ active_test: false })
  const ids = [...new Set(values.map(({ id }) => id))]
  const rows = await loadPaths(whole, model, ids, [...new Set(values.map(({ field }) => field.name))])
  const now = new Map(rows.map((row) => [row.id, row]))
  for (const { field, id, value } of values)
    if (!isUnchanged(field, now.get(id)?.[field.name], value)) throw setByServer(field)
}

export const setByServer = (field: FieldDef) =>
  new UserError(
    `"${field.label}" (${field.name}) of ${field.model.label} is set by the server: leave it out.`,
    { about: { model: field.model.name, field: field.name } },
  )
