// The place of a field's values: its own expression, or the row at the end of the many2ones of a
// related field without one.
import { present } from '../../kit/present.ts'
import type { Sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { isAskable } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf } from '../language/tree.ts'
import { invalidCondition } from './refusal.ts'

/**
 * The field as SQL. Throws InvalidValue when the value needs code and no search rule replaces the condition.
 */
export function expressionOf(scope: Scope, field: FieldDef, leaf: Leaf): Sql {
  return (isAskable(field) && scope.value(field)) || fail(leaf)
}

interface Place {
  readonly scope: Scope
  readonly field: FieldDef
  /** The row was joined: there may be none. */
  readonly joined: boolean
}

/**
 * The row that really has the field: for related and delegated fields the one at the end of their path.
 * Throws InvalidValue when that takes code.
 */
export function placeOf(scope: Scope, field: FieldDef, leaf: Leaf): Place {
  let place: Place = { scope, field, joined: false }
  while (place.field.related && !place.field.stored) {
    const path = place.field.related
    let stepScope = place.scope
    for (const name of path.slice(0, -1)) {
      const step = stepScope.model.fields.get(name)
      if (step?.kind !== 'many2one' || !stepScope.value(step)) fail(leaf)
      stepScope = stepScope.join(step)
    }
    const last = stepScope.model.fields.get(present(path.at(-1))) ?? fail(leaf)
    place = { scope: stepScope, field: last, joined: place.joined || stepScope !== place.scope }
  }
  return place
}

function fail(leaf: Leaf): never {
  throw invalidCondition(leaf, 'the field is not stored and cannot be searched')
}
