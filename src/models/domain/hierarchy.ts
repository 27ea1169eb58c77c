// child_of and parent_of: trees by `parent_path` where the model keeps it, else by recursion
// (spec/models-api.md section 2, "Trees").

import { isInteger } from '../../kit/present.ts'
import { and, FALSE, id as identifier, or, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import { leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { anyOf, leaf as condition, type Leaf, type Tree } from '../language/tree.ts'
import { assertModel } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import { expressionOf } from './field-sql.ts'
import { type Hierarchy, invalidCondition } from './operators.ts'
import { reach, seen } from './relation.ts'
import { oneOf, whenSet } from './text.ts'

/** `id` and many2ones to the same model are about the record itself; other relations about theirs. */
export function compareHierarchy(scope: Scope, field: FieldDef, direction: Hierarchy, leaf: Leaf): Sql {
  const { model } = scope
  if (field.name === 'id') return within(scope.id, treeOf(scope, model, parentField(model), direction, leaf))
  const { comodel } = field
  if (!comodel) throw invalidCondition(leaf, 'the field is not a relational field')
  if (leadsToOne(field)) {
    // Such a many2one makes a tree of its own, which for the model's parent is the usual one.
    if (comodel === model) return within(scope.id, treeOf(scope, model, field, direction, leaf))
    const value = expressionOf(scope, field, leaf)
    const condition = within(value, treeOf(scope, comodel, parentField(comodel), direction, leaf))
    return condition === FALSE ? FALSE : whenSet(value, condition)
  }
  // The lines of a record of the same model are its tree already: only the given ones are looked for.
  const parent = field.kind === 'one2many' && comodel === model ? null : parentField(comodel)
  const tree = treeOf(scope, comodel, parent, direction, leaf)
  return tree ? reach(scope, field, leaf, { id: (line) => within(line, tree) }) : FALSE
}

const within = (value: Sql, tree: Sql | null): Sql => (tree ? sql`(${value} IN (${tree}))` : FALSE)

/** The many2one that makes the model's tree, or null when it has none. */
export function parentField(model: ModelDef): FieldDef | null {
  const field = model.fields.get(model.parent ?? 'parent_id')
  return field?.kind === 'many2one' && field.comodel === model ? field : null
}

/** `SELECT id …` of the given records with all below or above them; null when nothing is given. */
function treeOf(
  scope: Scope,
  model: ModelDef,
  parent: FieldDef | null,
  direction: Hierarchy,
  leaf: Leaf,
): Sql | null {
  const seeds = scope.nested(model)
  const condition = seedCondition(seeds, direction, leaf)
  if (condition === FALSE) return null
  if (!parent) return sql`SELECT ${seeds.id} FROM ${seeds.from()} WHERE ${condition}`
  if (model.parentStore && parent.name === model.parent) return byPath(scope, seeds, condition, direction)
  return byRecursion(scope, seeds, condition, parent, direction, leaf)
}

/**
 * Names match records that the user sees. Ids match as they are for descendants, since every record shows its
 * parent; for ancestors only ids that the user sees, since the parent of a hidden record is hidden with it.
 */
function seedCondition(seeds: Scope, direction: Hierarchy, leaf: Leaf): Sql {
  if (isTree(leaf.value)) return seen(seeds, leaf.value)
  const values: readonly unknown[] = Array.isArray(leaf.value) ? leaf.value : [leaf.value]
  if (values.includes(true)) throw invalidCondition(leaf, 'ids or names are expected on the right')
  const ids = values.filter((value): value is number => isInteger(value) && Math.abs(value) <= 2147483647)
  const names = textsIn(leaf.value)
  if (names.length) assertModel(seeds.env, seeds.model, 'read')
  const byId = oneOf(seeds.id, ids, 'int', true)
  const shown = direction === 'child_of' ? TRUE : (ruleOf(seeds, seeds.model, 'read') ?? TRUE)
  return or([and([byId, shown]), names.length ? seen(seeds, seedTree([], names)) : FALSE])
}

export const textsIn = (value: unknown): string[] =>
  [value].flat().filter((name): name is string => typeof name === 'string')

/** The ids and names on the right of a hierarchy, as a domain over the tree's model. */
export function seedTree(ids: Ids, names: readonly string[]): Tree {
  const named = names.map((name) => condition(['display_name'], 'ilike', name))
  return anyOf(ids.length ? [condition(['id'], 'in', ids), ...named] : named)
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value
}

/**
 * Paths end in "/", and "0" follows "/": what lies below a path is a range of the index on it
 * (operators of text_pattern_ops, which compare bytes whatever the collation).
 */
function byPath(scope: Scope, seeds: Scope, condition: Sql, direction: Hierarchy): Sql {
  const path = seeds.column('parent_path')
  if (direction === 'parent_of') {
    return sql`SELECT unnest(string_to_array(rtrim(${path}, '/'), '/')::int[]) FROM ${seeds.from()} WHERE ${condition}`
  }
  const below = scope.nested(seeds.model)
  const belowPath = below.column('parent_path')
  return sql`SELECT ${below.id} FROM ${below.from()}, ${seeds.from()} WHERE ${condition} AND ${belowPath} ~>=~ ${path} AND ${belowPath} ~<~ (left(${path}, -1) || '0')`
}

/**
 * Gives the ids by an array: PostgreSQL takes an array for short, and a recursion for a hundred times what it
 * begins with. By that it would read whole tables in their order to find the orders of a customer.
 */
function byRecursion(
  scope: Scope,
  seeds: Scope,
  condition: Sql,
  parent: FieldDef,
  direction: Hierarchy,
  leaf: Leaf,
): Sql {
  const step = scope.nested(seeds.model)
  const tree = `${step.alias}_tree`
  const treeId = identifier(tree, 'id')
  const up = expressionOf(step, parent, leaf)
  const next = direction === 'child_of' ? step.id : up
  const link =
    direction === 'child_of'
      ? sql`${up} = ${treeId}`
      : and([sql`${step.id} = ${treeId}`, sql`${up} IS NOT NULL`])
  const all = sql`WITH RECURSIVE ${identifier(tree)}("id") AS (SELECT ${seeds.id} FROM ${seeds.from()} WHERE ${condition} UNION SELECT ${next} FROM ${identifier(tree)}, ${step.from()} WHERE ${link}) SELECT "id" FROM ${identifier(tree)}`
  return sql`SELECT unnest(ARRAY(${all}))`
}
