// Filtering records that are in hand: in memory where loading suffices, in the database otherwise.

import { idList, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import {
  compileDomain,
  type Facts,
  type Lowered,
  lower,
  matches,
  needsPreparation,
  prepareDomain,
  targets,
} from '../domain/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Tree } from '../language/tree.ts'
import { loadFields } from '../load/load.ts'
import { assertModel } from '../rights/judge.ts'
import { assertRecords, ruleOf } from '../row/access.ts'
import { scopeOver } from '../row/scope.ts'

/**
 * Those of the records that satisfy the domain, in their order; archived ones count, those that are gone do
 * not. Throws AccessError when one of them or a model or field of the domain is not the user's to see,
 * InvalidValue for a bad domain.
 */
export async function filterIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  domain: Tree,
): Promise<number[]> {
  assertModel(env, model, 'read')
  const tree = needsPreparation(model, domain) ? await prepareDomain(env, model, domain) : domain
  const scope = scopeOver(env, model)
  // Compiled in any case: it judges every condition, whether or not one of the records would come to it.
  const where = compileDomain(scope, tree)
  if (ids.length === 0) return []
  await assertRecords(env, model, ids, 'read')
  const matching = (await inMemory(env, model, ids, tree)) ?? (await inDatabase(env, scope, ids, where))
  return ids.filter((id) => matching.has(id))
}

async function inDatabase(
  env: Environment,
  scope: Scope,
  ids: readonly number[],
  where: ReturnType<typeof compileDomain>,
): Promise<Set<number>> {
  if (env.unit.recomputation.pending.size) await flush(env)
  const rows = await env.query<[number]>(
    sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(ids)}) AND ${where}`,
  )
  return new Set(rows.map((row) => row[0]))
}

async function inMemory(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  tree: Tree,
): Promise<Set<number> | null> {
  const domain = lower(env, model, tree)
  if (!isDecidable(env, domain)) return null
  const facts = new LoadedFacts()
  const existing = await gather(
    env.withContext({ active_test: false }),
    model,
    [...new Set(ids)],
    [domain],
    facts,
  )
  return new Set(existing.filter((id) => matches(domain, facts, id)))
}

/**
 * Whether loading decides the domain. It does not for printed numbers (loading returns unset as 0),
 * files, values without SQL form, models with record rules, and trees above records that are given by
 * name.
 */
export function isDecidable(env: Environment, domain: Lowered): boolean {
  switch (domain.type) {
    case 'always':
      return true
    case 'not':
      return isDecidable(env, domain.child)
    case 'all':
    case 'anyOf':
      return domain.children.every((child) => isDecidable(env, child))
    case 'opaque':
      return false
    case 'value':
      return !domain.text && isLoadable(domain.field)
    case 'id':
      return isLoadable(domain.field)
    case 'line':
      return isLoadable(domain.field) && isOpen(env, domain.field.comodel) && isDecidable(env, domain.child)
    case 'within':
      if (!isLoadable(domain.field) || !isOpen(env, domain.model)) return false
      return domain.named === null || (domain.direction === 'child_of' && isDecidable(env, domain.named))
  }
}

const isOpen = (env: Environment, model: ModelDef | undefined): boolean =>
  model !== undefined && ruleOf(scopeOver(env, model), model, 'read') === null

/** Kept by the model itself, in a form that conditions compare. */
const isLoadable = (field: FieldDef): boolean =>
  field.name === 'id' ||
  field.column ||
  (field.stored && (field.link !== null || (field.kind === 'one2many' && !field.compute && !field.related)))

class LoadedFacts implements Facts {
  readonly values = new Map<FieldDef, Map<number, unknown>>()
  value(field: FieldDef, id: number): unknown {
    return this.values.get(field)?.get(id) ?? null
  }
  all(model: ModelDef): never {
    throw new Error(`Not all records of ${model.name} were loaded.`)
  }
}

/**
 * Loads what the domains ask about the records, then about those related to them: one query a model and
 * level. Gives the records that exist.
 */
async function gather(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  domains: readonly Lowered[],
  facts: LoadedFacts,
): Promise<readonly number[]> {
  const leaves = domains.flatMap((domain) => [...plain(domain)])
  const fields = new Set(leaves.flatMap((one) => (one.field.name === 'id' ? [] : [one.field])))
  const { existing, of } = await loadFields(env, model, ids, [...fields])
  for (const [field, values] of of) keep(facts, field, values)
  const below = new Map<FieldDef, Lowered[]>()
  for (const condition of leaves) {
    if (condition.type === 'line')
      below.set(condition.field, [...(below.get(condition.field) ?? []), condition.child])
    if (condition.type === 'within') await climb(env, condition, existing, facts)
  }
  for (const [field, children] of below) {
    const related = new Set(existing.flatMap((id) => targets(facts, field, id)))
    if (related.size) await gather(env, comodelOf(field), [...related], children, facts)
  }
  return existing
}

type Plain = Exclude<Lowered, { readonly type: 'always' | 'opaque' | 'not' | 'all' | 'anyOf' }>

/** The conditions without the logic between them. */
function* plain(domain: Lowered): Iterable<Plain> {
  if (domain.type === 'not') yield* plain(domain.child)
  else if (domain.type === 'all' || domain.type === 'anyOf')
    for (const child of domain.children) yield* plain(child)
  else if (domain.type !== 'always' && domain.type !== 'opaque') yield domain
}

/** Walks up a tree, a level at a time, from the records for child_of, from the given ones for parent_of. */
async function climb(
  env: Environment,
  domain: Extract<Lowered, { type: 'within' }>,
  ids: readonly number[],
  facts: LoadedFacts,
): Promise<void> {
  const { model, parent, named } = domain
  const seen = new Set<number>()
  let level = new Set(
    domain.direction === 'child_of' ? ids.flatMap((id) => targets(facts, domain.field, id)) : domain.ids,
  )
  while (level.size) {
    for (const id of level) seen.add(id)
    if (named) await gather(env, model, [...level], [named], facts)
    if (!parent) return
    const { of } = await loadFields(env, model, [...level], [parent])
    for (const [field, values] of of) keep(facts, field, values)
    level = new Set([...level].flatMap((id) => targets(facts, parent, id)).filter((id) => !seen.has(id)))
  }
}

function keep(facts: LoadedFacts, field: FieldDef, values: ReadonlyMap<number, unknown>): void {
  const fieldValues = facts.values.get(field) ?? new Map<number, unknown>()
  for (const [id, value] of values) fieldValues.set(id, value)
  facts.values.set(field, fieldValues)
}
