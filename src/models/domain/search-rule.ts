// Search rules: a condition on a computed field, given by its module as a condition on others.
import type { SearchRule } from '../language/behaviour.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { anyOf, type Leaf, not, type Tree } from '../language/tree.ts'
import { type Definite, isEquality, isHierarchy, isLimit, isPattern, operandsOf } from './operators.ts'
import { parseDomain } from './parse.ts'
import { invalidCondition } from './refusal.ts'
import { testFor } from './tests.ts'

/**
 * The search rule of a field, if it has one: computed ones that are not stored, and those that are searched
 * in another form.
 */
export function searchOf(field: FieldDef): SearchRule | null {
  return field.search
}

/**
 * Throws InvalidValue for operators and values that are not for fields of the kind: a rule answers what it is
 * asked, however little it means.
 */
function assertFits(env: Environment, field: FieldDef, operator: Exclude<Definite, 'any'>, leaf: Leaf): void {
  if (!field.comodel) {
    if (isHierarchy(operator)) throw invalidCondition(leaf, 'the field is no relation')
    testFor(env, field, operator, leaf)
  } else if (isLimit(operator)) {
    if (!leadsToOne(field) || typeof leaf.value === 'string')
      throw invalidCondition(leaf, 'relations have no order')
  } else if (!isPattern(operator) && operandsOf(operator, leaf.value).includes(true))
    throw invalidCondition(leaf, 'ids, names or false are expected on the right')
}

/**
 * The domain that the rule returns for a condition. Rules get positive operators only: the complement
 * is formed around their answer. Rules of relations get ids and names, never sub-domains. For false,
 * rules of many2ones get a pattern that every record matches: most answer with a path, which cannot
 * express that there is no record.
 */
export function searched(
  env: Environment,
  field: FieldDef,
  operator: Definite,
  leaf: Leaf,
  value: unknown = leaf.value,
): Tree | Promise<Tree> {
  if (operator === 'any')
    throw invalidCondition(leaf, 'the related records of this field cannot be looked into here')
  assertFits(env, field, operator, { ...leaf, operator, value })
  const ask = (operatorName: string, operand: unknown): Tree | Promise<Tree> => {
    const domain = searchOf(field)?.(operatorName, operand, env)
    if (!domain) throw invalidCondition(leaf, 'the field cannot be searched')
    return domain instanceof Promise ? domain.then(parseDomain) : parseDomain(domain)
  }
  const all = [value].flat()
  const setValues = all.filter((one) => one !== false && one !== null)
  if (!field.comodel || !isEquality(operator) || setValues.length === all.length) return ask(operator, value)
  const set = ask('ilike', '')
  const some = setValues.length ? ask('in', setValues) : null
  const either = (led: Tree, fit: Tree | null) => (fit ? anyOf([not(led), fit]) : not(led))
  return set instanceof Promise || some instanceof Promise
    ? Promise.all([set, some]).then(([led, fit]) => either(led, fit))
    : either(set, some)
}
