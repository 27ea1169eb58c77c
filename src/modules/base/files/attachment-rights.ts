// Rights to an attachment: those of the record that it belongs to; unattached files are their author's
// (spec/models-api.md section 10).

import type { FieldDef, ModelDef } from '#engine'
import type { ComputedOptions } from '#models'
import { and, FALSE, not, or, type Sql, sql, TRUE } from '../../../sql/index.ts'
import { permittedRecord } from '../rights/record-rights.ts'

type Scope = Parameters<NonNullable<ComputedOptions['sql']>>[0]

/**
 * True if the caller may `operation` the attachment's record; `read` is also granted by `public`. The user
 * of the superuser is checked too.
 */
export function permitted(scope: Scope, operation: 'read' | 'write'): Sql {
  const { env } = scope
  const [model, record] = [scope.column('res_model'), sql`COALESCE(${scope.column('res_id')}, 0)`]
  const only = scope.fixed.get('res_model')
  const tied = and([
    permittedRecord(scope, { model, record, only, operation, isPlace }),
    openField(scope, model),
  ])
  const loose = env.hasGroup('base.group_system')
    ? sql`(${model} IS NULL OR ${record} = 0)`
    : ownFilesSql(scope, model, record)
  const shared = operation === 'read' ? sql`COALESCE(${scope.column('public')}, FALSE)` : FALSE
  return or([
    shared,
    loose,
    and([sql`COALESCE(${model}, '') <> ''`, sql`${record} <> 0`, sql`COALESCE(${tied}, FALSE)`]),
  ])
}

/** True unless the file is the value of a field that the caller may not use. */
function openField(scope: Scope, model: Sql): Sql {
  const { registry, rights } = scope.env.unit
  const closed = filesOfGroups(registry).filter((field) => !rights.mayField(scope.env.user, field))
  if (closed.length === 0) return TRUE
  const field = sql`COALESCE(${scope.column('res_field')}, '')`
  return not(
    or(closed.map(({ model: { name }, name: kept }) => sql`(${model} = ${name} AND ${field} = ${kept})`)),
  )
}

type Registry = Scope['env']['unit']['registry']
const ofGroups = new WeakMap<Registry, readonly FieldDef[]>()

/** Fields for some groups only whose values are attachments. */
function filesOfGroups(registry: Registry): readonly FieldDef[] {
  const cached = ofGroups.get(registry)
  if (cached) return cached
  const fields = [...registry.models.values()].flatMap((def) => [...def.fields.values()])
  const binaryFields = fields.filter(
    (field) => field.groups.length > 0 && field.kind === 'binary' && !field.column,
  )
  ofGroups.set(registry, binaryFields)
  return binaryFields
}

function ownFilesSql(scope: Scope, model: Sql, record: Sql): Sql {
  return sql`((${model} IS NULL OR ${record} = 0) AND COALESCE(${scope.column('create_uid')} = ${scope.env.uid}::int, FALSE))`
}

/** Models whose records may hold attachments. */
const isPlace = (def: ModelDef): boolean => def.hasRows && def.kind === 'model'
