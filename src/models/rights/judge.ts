// Authorization without a query: whether a user may use a model or a field at all, and the errors if not.
import { AccessError, InvalidValue, MissingError } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Operation } from '../language/rights.ts'

/** Throws AccessError unless the user may do `operation` on the model: no user may on abstract ones. */
export function assertModel(env: Environment, model: ModelDef, operation: Operation): void {
  if (model.kind === 'abstract' || (model.hasRows && !model.hasTable && operation !== 'read'))
    throw env.unit.rights.refusal(env.user, model, operation)
  if (!env.su && !env.unit.rights.mayModel(env.user, model, operation))
    throw env.unit.rights.refusal(env.user, model, operation)
}

/** The error for an operation on records that rules hide. It contains no data. */
export function hiddenRecordsError(env: Environment, model: ModelDef, operation: Operation): AccessError {
  const words = { read: 'access', write: 'modify', create: 'create', unlink: 'delete' }[operation]
  return new AccessError(
    `By a record rule, ${env.user.name} (id=${env.uid}) may not ${words} these records of '${model.label}' (${model.name}).`,
    { about: { kind: 'rule', model: model.name } },
  )
}

/** Names at most ten of those of `ids` that are not in `existing`. */
export function missingRecordsError(model: ModelDef, ids: Ids = [], existing: Ids = []): MissingError {
  const existingIds = new Set(existing)
  const missing = ids.filter((id) => !existingIds.has(id))
  const named = missing.length ? `: ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ' …' : ''}` : ''
  return new MissingError(`Record does not exist or has been deleted (${model.name}${named}).`)
}

/**
 * The field with a name from a client. Throws InvalidValue for an unknown or hidden one, AccessError for
 * a field of a group that the user is not in.
 */
export function fieldNamed(env: Environment, model: ModelDef, name: unknown): FieldDef {
  const field = typeof name === 'string' ? model.fields.get(name) : undefined
  if (!field || field.options.hidden)
    throw new InvalidValue(`Invalid field ${shown(name)} on model ${JSON.stringify(model.name)}`, {
      code: 'unknown_field',
      about: { model: model.name, ...(typeof name === 'string' && { field: name }) },
    })
  if (!mayField(env, field)) {
    throw new AccessError(
      `You do not have enough rights to access the field "${field.name}" on ${model.label} (${model.name}).`,
      { about: { kind: 'field', model: model.name, field: field.name } },
    )
  }
  return field
}

export function mayField(env: Environment, field: FieldDef): boolean {
  return env.su || field.groups.length === 0 || env.unit.rights.mayField(env.user, field)
}
