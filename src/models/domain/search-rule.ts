// Search rules: a condition on a computed field, given by its module as a condition on others.
import type { SearchRule } from '../language/behaviour.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Leaf, Tree } from '../language/tree.ts'
import type { Positive } from './operators.ts'
import { parseDomain } from './parse.ts'
import { refused } from './refusal.ts'

/**
 * The search rule of a field, if it has one: computed ones that are not stored, and those that are searched
 * in another form.
 */
export function searchOf(field: FieldDef): SearchRule | null {
  return field.search
}

/**
 * What the rule makes of a condition. Rules are asked with positive operators only: the complement is formed
 * around their answer.
 * Rules of relations get ids, names and false, never sub-domains.
 */
export function searched(
  env: Environment,
  field: FieldDef,
  operator: Positive,
  leaf: Leaf,
  value: unknown = leaf.value,
): Tree | Promise<Tree> {
  if (operator === 'any') throw refused(leaf, 'the related records of this field cannot be looked into here')
  const found = searchOf(field)?.(operator, value, env)
  if (!found) throw refused(leaf, 'the field cannot be searched')
  return found instanceof Promise ? found.then(parseDomain) : parseDomain(found)
}
