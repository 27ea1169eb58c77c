// Conditions on files: present or absent, nothing else.

import type { Sql } from '../../sql/index.ts'
import { FALSE, literal, not, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf } from '../language/tree.ts'
import { expressionOf, placeOf } from './field-sql.ts'
import { type Compared, isEquality, operandsOf } from './operators.ts'
import { invalidCondition } from './refusal.ts'
import { whenSet } from './text.ts'

/** Binary fields: `= false` and `in [false]` are true where there is no content. */
export function comparePresence(scope: Scope, field: FieldDef, operator: Compared, leaf: Leaf): Sql {
  const values = operandsOf(operator, leaf.value)
  if (!isEquality(operator) || values.some((value) => value !== false)) {
    throw invalidCondition(leaf, 'the field is only compared with false: present or absent')
  }
  return values.length === 0 ? FALSE : not(present(scope, field, leaf))
}

function present(scope: Scope, from: FieldDef, leaf: Leaf): Sql {
  const place = placeOf(scope, from, leaf)
  const field = source(place.field)
  const { id } = place.scope
  if (field.kind === 'binary' && field.stored && !field.column) {
    const holders = place.scope.nested(place.scope.env.def('ir.attachment'))
    const [model, name, record] = ['res_model', 'res_field', 'res_id'].map((column) =>
      holders.column(column),
    ) as [Sql, Sql, Sql]
    const hasFile = sql`${id} IN (SELECT ${record} FROM ${holders.from()} WHERE ${model} = ${literal(field.model.name)} AND ${name} = ${literal(field.name)} AND ${record} IS NOT NULL)`
    return place.joined ? whenSet(id, hasFile) : sql`(${hasFile})`
  }
  return sql`${expressionOf(place.scope, field, leaf)} IS NOT NULL`
}

/** A smaller image that is made from another one is there when that one is. */
function source(field: FieldDef): FieldDef {
  const [only, ...others] = field.stored ? [] : (field.compute?.depends ?? [])
  const from = only && others.length === 0 ? field.model.fields.get(only) : undefined
  return from?.kind === 'binary' && from !== field ? source(from) : field
}
