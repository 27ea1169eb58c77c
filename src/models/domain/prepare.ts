// Preparation of domains: conditions whose search rules may need queries are replaced by others before
// compiling.

import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import {
  always,
  anyOf,
  leaf as condition,
  type Leaf,
  not,
  replaceLeaves,
  someLeaf,
  type Tree,
} from '../language/tree.ts'
import { assertModel, fieldNamed } from '../rights/judge.ts'
import { scopeOver } from '../row/scope.ts'
import { isTree, seedTree, textsIn } from './hierarchy.ts'
import {
  type Definite,
  definite,
  invalidCondition,
  isHierarchy,
  isPattern,
  type Positive,
  senseOf,
} from './operators.ts'
import { seen } from './relation.ts'
import { displayNameDomain, matchesAll, namedAs, namingFields, searched } from './search-rule.ts'

/** Whether the domain holds a condition that `prepareDomain` would replace. */
export const needsPreparation = (model: ModelDef, tree: Tree): boolean =>
  someLeaf(tree, (leaf) => leafNeeds(model, leaf))

function leafNeeds(model: ModelDef, { path, operator, value }: Leaf): boolean {
  const field = model.fields.get(present(path[0]))
  if (!field) return false
  if (field.search || targetOf(field).search) return true
  const [, ...rest] = path
  if (rest.length)
    return field.comodel !== undefined && leafNeeds(field.comodel, condition(rest, operator, value))
  if (field.name === 'display_name') return nameNeeds(model)
  const below = field.comodel ?? (field.name === 'id' ? model : undefined)
  if (!below) return false
  if (isTree(value)) return needsPreparation(below, value)
  return asksNames(field, senseOf(operator).positive, value) && nameNeeds(below)
}

/** A relation compared with text is a condition on display names. */
function asksNames(field: FieldDef, operator: Positive, value: unknown): boolean {
  if (!field.comodel && !isHierarchy(operator)) return false
  return isPattern(operator) ? value !== '' && value !== false : textsIn(value).length > 0
}

const naming = oncePer((_: ModelDef): { needs: boolean | null } => ({ needs: null }))

function nameNeeds(model: ModelDef): boolean {
  const name = naming(model)
  if (name.needs !== null) return name.needs
  name.needs = false // a name that leads back to itself asks for nothing new
  name.needs =
    model.displayName.search !== null ||
    namingFields(model).some((field) => leafNeeds(model, condition(field.split('.'), '=', 'x')))
  return name.needs
}

function targetOf(field: FieldDef): FieldDef {
  if (!field.related || field.stored) return field
  let model: ModelDef | undefined = field.model
  let last: FieldDef | undefined
  for (const name of field.related) {
    last = model?.fields.get(name)
    model = last?.comodel
  }
  return last && last !== field ? targetOf(last) : field
}

/** The domain without conditions that need code or queries; the same tree when there are none. */
export async function prepareDomain(env: Environment, model: ModelDef, tree: Tree): Promise<Tree> {
  if (!needsPreparation(model, tree)) return tree
  return replaceLeaves(tree, (leaf) => (leafNeeds(model, leaf) ? prepareLeaf(env, model, leaf) : leaf))
}

async function prepareLeaf(env: Environment, model: ModelDef, leaf: Leaf): Promise<Tree> {
  const field = fieldNamed(env, model, leaf.path[0])
  if (!field.search && targetOf(field).search && field.related) {
    return prepareDomain(
      env.sudo(),
      model,
      condition([...field.related, ...leaf.path.slice(1)], leaf.operator, leaf.value),
    )
  }
  const { comodel } = field
  if (leaf.path.length > 1 && comodel) {
    return prepareAny(env, field, leaf, condition(leaf.path.slice(1), leaf.operator, leaf.value))
  }
  const { positive: operator, negated } = senseOf(leaf.operator)
  if (operator === '=?' && !leaf.value) return leaf
  const tree = await preparePositive(env, model, field, definite(operator, leaf.value), leaf)
  return negated ? not(tree) : tree
}

async function preparePositive(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  operator: Definite,
  leaf: Leaf,
): Promise<Tree> {
  const below = field.comodel ?? model
  if (matchesAll(field, operator, leaf.value)) return always(true)
  if (operator === 'any') return prepareAny(env, field, leaf, leaf.value as Tree)
  if (isHierarchy(operator)) {
    if (field.search && !field.comodel) throw invalidCondition(leaf, 'the field is not a relational field')
    const seeds = isTree(leaf.value)
      ? leaf.value
      : seedTree(
          [leaf.value].flat().filter((id): id is number => typeof id === 'number'),
          textsIn(leaf.value),
        )
    const prepared = await prepareDomain(env, below, seeds)
    if (!field.search) return condition(leaf.path, operator, prepared)
    return rule(env, model, field, 'in', leaf, await idsOf(env, below, condition(['id'], operator, prepared)))
  }
  if (field.search) {
    if (field.comodel && isPattern(operator))
      return prepareAny(env, field, leaf, condition(['display_name'], operator, leaf.value))
    return rule(env, model, field, operator, leaf, leaf.value)
  }
  if (field.name === 'display_name') {
    const tree = displayNameDomain(env, model, operator, leaf.value)
    return tree ? prepareDomain(env, model, tree) : leaf
  }
  return prepareNames(env, field, operator, leaf)
}

/** Names become a sub-domain on the display name; ids and false stay. */
async function prepareNames(
  env: Environment,
  field: FieldDef,
  operator: Definite,
  leaf: Leaf,
): Promise<Tree> {
  if (isPattern(operator))
    return prepareAny(env, field, leaf, condition(['display_name'], operator, leaf.value))
  const names = textsIn(leaf.value)
  const others = [leaf.value].flat().filter((value) => typeof value !== 'string')
  const named = await prepareAny(env, field, leaf, namedAs(names))
  return others.length ? anyOf([condition(leaf.path, 'in', others), named]) : named
}

async function prepareAny(env: Environment, field: FieldDef, leaf: Leaf, tree: Tree): Promise<Tree> {
  const model = field.comodel ?? field.model
  const prepared = await prepareDomain(env, model, tree)
  if (!field.search) return condition([field.name], 'any', prepared)
  return rule(env, field.model, field, 'in', leaf, await idsOf(env, model, prepared))
}

async function rule(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  operator: Definite,
  leaf: Leaf,
  value: unknown,
): Promise<Tree> {
  return prepareDomain(env, model, await searched(env, field, operator, leaf, value))
}

/** Ids of the records that the user sees and that match a prepared domain. */
async function idsOf(env: Environment, model: ModelDef, tree: Tree): Promise<number[]> {
  assertModel(env, model, 'read')
  const scope = scopeOver(env, model)
  const where = seen(scope, tree)
  const rows = await env.query<[number]>(
    sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where} ORDER BY ${scope.id}`,
  )
  return rows.map((row) => row[0])
}
