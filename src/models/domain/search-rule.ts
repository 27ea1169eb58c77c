// Search rules: a condition on a computed field, given by its module as a condition on others.
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { all, anyOf, type Leaf, leaf, not, someLeaf, type Tree } from '../language/tree.ts'
import { mayField } from '../rights/judge.ts'
import { readBoolean } from './number.ts'
import {
  type Definite,
  invalidCondition,
  isEquality,
  isHierarchy,
  isLimit,
  isPattern,
  operandsOf,
  operators,
  type Positive,
} from './operators.ts'
import { parseDomain } from './parse.ts'
import { testFor } from './tests.ts'

/** Throws InvalidValue for operators and values that do not fit: rules answer whatever they are asked. */
function assertFits(env: Environment, field: FieldDef, operator: Exclude<Definite, 'any'>, leaf: Leaf): void {
  if (!field.comodel) {
    if (isHierarchy(operator)) throw invalidCondition(leaf, 'the field is not a relational field')
    testFor(env, field, operator, leaf)
  } else if (isLimit(operator)) {
    if (!leadsToOne(field) || typeof leaf.value === 'string')
      throw invalidCondition(leaf, 'relational fields cannot be compared by order')
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
    throw invalidCondition(leaf, 'the related records of this field cannot be searched here')
  assertFits(env, field, operator, { ...leaf, operator, value })
  const ask = (operatorName: string, operand: unknown): Tree | Promise<Tree> => {
    const domain = field.search?.(operatorName, operand, env)
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

// Conditions on `display_name`: asked of the fields that name a record, not of the computed text
// (spec/models-api.md section 2, "Display names in conditions").

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

/** The condition on display names that texts in the place of ids mean. */
export const namedAs = (names: readonly string[]): Leaf =>
  names.length > 1 ? leaf(['display_name'], 'in', names) : leaf(['display_name'], '=', names[0])

/** The empty pattern finds every record by name, whatever the model's own search rule. */
export function matchesAll(field: FieldDef, operator: Positive, value: unknown): boolean {
  return (
    field.name === 'display_name' &&
    isPattern(operator) &&
    !operators[operator].isWhole &&
    (value === '' || value === false)
  )
}

// Archived records: the condition that leaves them out, unless a domain speaks of them itself
// (spec/models-api.md section 2, "Archived records").

/** The domain without archived records, unless the domain or `active_test` says otherwise. */
export function activeDomain(env: Environment, model: ModelDef, tree: Tree): Tree {
  return without(env, model, tree, () => true)
}

/** As `activeDomain` for lines: a condition that lets archived and others through does not count. */
export function activeLines(env: Environment, model: ModelDef, tree: Tree): Tree {
  return without(env, model, tree, (condition) => !saysNothing(condition))
}

function without(env: Environment, model: ModelDef, tree: Tree, counts: (condition: Leaf) => boolean): Tree {
  const name = model.active?.name
  if (!name || !env.activeTest || mentions(tree, name, counts)) return tree
  const condition = leaf([name], '=', true)
  if (tree.type === 'always') return tree.value ? condition : tree
  return tree.type === 'all' ? all([condition, ...tree.children]) : all([condition, tree])
}

/** Whether a tree has a condition on a field of the record itself, one that counts. */
export const mentions = (tree: Tree, name: string, counts: (condition: Leaf) => boolean): boolean =>
  someLeaf(
    tree,
    (condition) => condition.path.length === 1 && condition.path[0] === name && counts(condition),
  )

function saysNothing({ operator, value }: Leaf): boolean {
  if (operator === '=?') return !value
  if (!Array.isArray(value)) return false
  const truths = new Set(value.map(readBoolean))
  return operator === 'in' ? truths.size === 2 : truths.size === 0
}
