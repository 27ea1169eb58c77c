// Conditions about records of which there are few, such as countries, tags and categories, over tables with
// very many rows: which of the few they mean is asked first. Whether a country has half of all contacts or
// ten only PostgreSQL's statistics know, and of a sub-select they say the average: a page walked along the
// order of a million contacts to find the few, a second where half a millisecond is right.

import { sql } from '../../sql/index.ts'
import { compileDomain, isTree } from '../domain/index.ts'
import { isHierarchy, isPattern, type Positive, senseOf } from '../domain/operators.ts'
import { seen } from '../domain/relation.ts'
import { activeLines, namedAs } from '../domain/search-rule.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { contextOf, leadsToMany, leadsToOne } from '../language/field-options.ts'
import { type Leaf, leaf, not, replaceLeaves, someLeaf, type Tree } from '../language/tree.ts'
import { assertModel, mayField } from '../rights/judge.ts'
import { scopeOver } from '../row/scope.ts'

/** Conditions of a domain that are asked first; a statement each. */
const MOST_ASKED = 4
/** Records that a condition may mean: of more, the average is as good. */
const MOST_MEANT = 100

export const asksOfFew = (env: Environment, model: ModelDef, tree: Tree): boolean =>
  env.unit.registry.large.has(model.table) && someLeaf(tree, (leaf) => aboutFew(env, model, leaf) !== null)

/** The same domain with ids in the place of such conditions; the first of them, where there are many. */
export function resolveFew(env: Environment, model: ModelDef, tree: Tree): Promise<Tree> {
  const left = { asked: MOST_ASKED }
  return replaceLeaves(tree, (leaf) => resolveLeaf(env, model, leaf, left))
}

interface Few {
  readonly field: FieldDef
  readonly comodel: ModelDef
  /** Over the few; `isShown`: of those that the user sees. */
  readonly tree: Tree
  readonly isShown: boolean
  readonly isNegated: boolean
}

async function resolveLeaf(
  env: Environment,
  model: ModelDef,
  condition: Leaf,
  left: { asked: number },
): Promise<Tree> {
  const few = left.asked > 0 ? aboutFew(env, model, condition) : null
  if (!few) return condition
  left.asked--
  const ids = await idsOf(env, few)
  if (ids.length > MOST_MEANT) return condition
  const answer = leaf([few.field.name], 'in', ids)
  return few.isNegated ? not(answer) : answer
}

function aboutFew(env: Environment, model: ModelDef, { path, operator, value }: Leaf): Few | null {
  const [name = '', ...rest] = path
  const field = model.fields.get(name)
  const comodel = field?.comodel
  if (!field || !comodel || !isFew(env, comodel) || !isKept(field) || !mayField(env, field)) return null
  const few = { field, comodel, isShown: true, isNegated: false }
  // A negative operator at the end of a path is about the related record: one must exist.
  if (rest.length) return { ...few, tree: leaf(rest, operator, value) }
  const { positive, negated } = senseOf(operator)
  const tree = treeOf(positive, value)
  return tree && { ...few, tree, isShown: !isHierarchy(positive), isNegated: negated }
}

/**
 * A condition on a dictionary that has grown so large itself is no different from others. By a link within
 * one table `child_of` is about the record, and not about where the link leads.
 */
const isFew = ({ unit: { registry } }: Environment, { options, hasTable, table }: ModelDef): boolean =>
  options.dictionary === true && hasTable && !registry.large.has(table)

/** A many2one that a table keeps, or links in a table of their own. */
const isKept = (field: FieldDef): boolean =>
  leadsToOne(field)
    ? field.column && !field.options.companyDependent
    : leadsToMany(field) && Boolean(field.link) && field.stored && !field.related && !field.compute

function treeOf(operator: Positive, value: unknown): Tree | null {
  if (operator === 'any') return isTree(value) ? value : null
  if (isHierarchy(operator)) return leaf(['id'], operator, value)
  const isText = (one: unknown) => typeof one === 'string' && one !== ''
  if (isPattern(operator)) return isText(value) ? leaf(['display_name'], operator, value) : null
  const names = operator === 'in' ? value : [value]
  const areNames = Array.isArray(names) && names.length > 0 && names.every(isText)
  if (!areNames || (operator !== 'in' && operator !== '=')) return null
  return namedAs(names)
}

/** Ids of the few that a condition means, in no order; one more than it may mean at most. */
async function idsOf(env: Environment, { field, comodel, tree, isShown }: Few): Promise<number[]> {
  const targetEnv = leadsToOne(field) ? env : env.withContext(contextOf(field) ?? {})
  if (isShown) assertModel(targetEnv, comodel, 'read')
  const scope = scopeOver(targetEnv, comodel)
  const where = isShown
    ? seen(scope, leadsToOne(field) ? tree : activeLines(targetEnv, comodel, tree))
    : compileDomain(scope, tree)
  const rows = await env.query<[number]>(
    sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where} LIMIT ${MOST_MEANT + 1}`,
  )
  return rows.map(([id]) => id)
}
