// The one place where rights meet records: models, records and fields are judged here, for every path to data.
import { AccessError, InvalidValue, MissingError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import type { Operation } from '../rights/rights.ts'
import { ruleOf } from './links.ts'
import { Scope } from './scope.ts'

/** Throws AccessError unless the user may do `operation` on the model at all. Abstract models are nobody's. */
export function assertModel(env: Environment, model: ModelDef, operation: Operation): void {
  if (model.kind === 'abstract') throw env.unit.rights.refusal(env.user, model, operation)
  if (!env.su && !env.unit.rights.mayModel(env.user, model, operation)) throw env.unit.rights.refusal(env.user, model, operation)
}

/**
 * Throws AccessError when one of the records is hidden from the user, and MissingError when one is gone and `missing` is 'refuse'.
 * Without rules in force nothing is asked and nothing is missing (spec/wire.md section 9, "ids that do not exist").
 */
export async function assertRecords(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  operation: Operation,
  options: { readonly missing?: 'refuse' | 'skip' } = {},
): Promise<void> {
  assertModel(env, model, operation)
  if (env.su || ids.length === 0) return
  const scope = Scope.over(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule) return
  const wanted = [...new Set(ids)]
  const seen = env.unit.judged(env, model, operation)
  const unseen = wanted.filter((id) => !seen.has(id))
  if (unseen.length === 0) return
  const rows = await env.query(sql`SELECT ${scope.id}, ${rule} FROM ${scope.from()} WHERE ${scope.id} = ANY(${unseen}::int[])`)
  if (rows.some((row) => row[1] !== true)) throw hidden(env, model, operation)
  if (rows.length < unseen.length && options.missing === 'refuse') throw gone(model)
  for (const row of rows) seen.add(row[0] as number)
}

/** The refusal of an operation on records that rules hide; tells no data. */
export function hidden(env: Environment, model: ModelDef, operation: Operation): AccessError {
  const words = { read: 'access', write: 'modify', create: 'create', unlink: 'delete' }[operation]
  return new AccessError(
    `By a record rule, ${env.user.name} (id=${env.uid}) may not ${words} these records of '${model.label}' (${model.name}).`,
  )
}

export function gone(model: ModelDef): MissingError {
  return new MissingError(`Record does not exist or has been deleted (${model.name}).`)
}

/** The field by a name from outside. Throws InvalidValue for an unknown or hidden one, AccessError for one of a group that the user is not in. */
export function fieldNamed(env: Environment, model: ModelDef, name: unknown): FieldDef {
  const field = typeof name === 'string' ? model.fields.get(name) : undefined
  if (!field || field.options.hidden) throw new InvalidValue(`Invalid field ${JSON.stringify(name)} on model ${JSON.stringify(model.name)}`)
  if (!mayField(env, field)) {
    throw new AccessError(`You do not have enough rights to access the field "${field.name}" on ${model.label} (${model.name}).`)
  }
  return field
}

export function mayField(env: Environment, field: FieldDef): boolean {
  return env.su || field.groups.length === 0 || env.unit.rights.mayField(env.user, field)
}
