// Conditions on `display_name`: asked of the fields that name a record, not of the computed text
// (spec/models-api.md section 2, "Display names in conditions").
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { anyOf, leaf, type Tree } from '../language/tree.ts'
import { mayField } from '../rights/judge.ts'
import { isLimit, isPattern, operators, type Positive } from './operators.ts'

/** Names of the fields that a model's display name is searched by. */
export function namingFields(model: ModelDef): readonly string[] {
  const names = model.options.recNamesSearch ?? (model.recName ? [model.recName] : [])
  return names.filter((name) => name !== 'display_name')
}

/**
 * The condition on the display name as one on the naming fields that the user may see: any of them matches.
 * Null when only the text itself can be compared.
 */
export function displayNameDomain(
  env: Environment,
  model: ModelDef,
  operator: Positive,
  value: unknown,
): Tree | null {
  const names = namingFields(model).filter((name) => {
    const field = model.fields.get(present(name.split('.')[0]))
    return field && mayField(env, field)
  })
  if (names.length === 0) return null
  // Order and "unset" compare the name proper: a record without e-mail still has a name.
  const comparedFields =
    isLimit(operator) || value === false
      ? [model.recName && names.includes(model.recName) ? model.recName : present(names[0])]
      : names
  return anyOf(comparedFields.map((name) => leaf(name.split('.'), operator, value)))
}

/** The empty pattern finds every record by name, whatever the model's own search rule. */
export function matchesAll(field: FieldDef, operator: Positive, value: unknown): boolean {
  return (
    field.name === 'display_name' &&
    isPattern(operator) &&
    !operators[operator].isWhole &&
    (value === '' || value === false)
  )
}
