// Filtering records that are in hand: by their own values where these suffice, in the database otherwise.

import { idList, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import {
  compileDomain,
  type Lowered,
  lower,
  matches,
  needsPreparation,
  prepareDomain,
} from '../domain/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Scope } from '../language/scope.ts'
import type { Tree } from '../language/tree.ts'
import { loadFields } from '../load/load.ts'
import { assertModel } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { scopeOver } from '../row/scope.ts'

/**
 * Those of the records that satisfy the domain, in their order; archived ones count, those that are gone do
 * not. Throws AccessError when one of them or a model or field of the domain is not the user's to see,
 * InvalidValue for a bad domain.
 */
export async function filterIds(
  env: Environment,
  model: ModelDef,
  ids: Ids,
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
  ids: Ids,
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
  ids: Ids,
  tree: Tree,
): Promise<Set<number> | null> {
  const domain = lower(env, model, tree)
  if (!isDecidable(domain)) return null
  const inside = env.withContext({ active_test: false })
  const { existing, of } = await loadFields(inside, model, [...new Set(ids)], [...fieldsIn(domain)])
  const facts = (field: FieldDef, id: number) => of.get(field)?.get(id) ?? null
  return new Set(existing.filter((id) => matches(domain, facts, id)))
}

/**
 * Whether the record's own values decide the domain. They do not for printed numbers (loading returns unset
 * as 0), files, and values without SQL form.
 */
export function isDecidable(domain: Lowered): boolean {
  switch (domain.type) {
    case 'always':
      return true
    case 'not':
      return isDecidable(domain.child)
    case 'all':
    case 'anyOf':
      return domain.children.every(isDecidable)
    case 'opaque':
      return false
    case 'value':
      return !domain.text && isLoadable(domain.field)
    case 'id':
      return isLoadable(domain.field)
  }
}

/** Kept by the model itself, in a form that conditions compare. */
const isLoadable = (field: FieldDef): boolean =>
  field.name === 'id' ||
  field.column ||
  (field.stored && (field.link !== null || (field.kind === 'one2many' && !field.compute && !field.related)))

function fieldsIn(domain: Lowered): ReadonlySet<FieldDef> {
  if (domain.type === 'not') return fieldsIn(domain.child)
  if ('children' in domain) return new Set(domain.children.flatMap((child) => [...fieldsIn(child)]))
  return new Set('field' in domain && domain.field.name !== 'id' ? [domain.field] : [])
}
