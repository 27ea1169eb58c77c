// Prefetch: paths from some records, read level by level into the cache. Levels whose records are known are
// read in one flush.
import type { Ids, ModelDef, RelationDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { together } from '../unit/reads.ts'
import { loadColumns } from './columns.ts'
import type { Leads } from './prefetch-related.ts'
import { levelOf, type PathTree } from './tree.ts'
import { cachedValuesOf } from './values.ts'

interface ReadSet {
  readonly model: ModelDef
  readonly ids: Iterable<number>
  readonly tree: PathTree
}

interface Ways {
  /** Flushes at most. */
  readonly rounds: number
  /** Relations that are prefetched before their targets are read. */
  readonly leads?: Leads
  /** Records that are left to others, by model. */
  readonly apart?: ReadonlyMap<ModelDef, ReadonlySet<number>>
}

/** Fills the cache with what tables keep at the end of paths, and on the way there. */
export async function prefetch(env: Environment, readSets: readonly ReadSet[], ways: Ways): Promise<void> {
  for (let round = 0; round < ways.rounds; round++) {
    const { statements } = env.unit.usage
    const under: Promise<unknown>[] = []
    try {
      for (const { model, ids, tree } of readSets) read(env, model, [...ids], tree, ways, under)
    } catch (error) {
      // Reads under way must end first.
      under.push(Promise.reject(error))
    }
    await together(...under)
    if (env.unit.usage.statements === statements) return
  }
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Begins to read a level, and the targets of relations that surely lead somewhere or that the cache
 * has; adds the promises to wait for.
 */
function read(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  tree: PathTree,
  ways: Ways,
  under: Promise<unknown>[],
): void {
  const { columns, behind } = levelOf(model, tree)
  if (columns.length === 0 || ids.length === 0) return
  for (const { field, below } of behind) {
    const targets = cachedTargets(env, field, ids, ways.apart?.get(field.comodel) ?? NONE)
    if (targets.length) read(env, field.comodel, targets, below, ways, under)
  }
  const loading = loadColumns(env, model, ids, columns, tree, ways.leads)
  if (loading instanceof Promise) under.push(loading)
}

/** Where a relation leads; nowhere as long as that is not known of all records. */
function cachedTargets(env: Environment, field: RelationDef, ids: Ids, apart: ReadonlySet<number>): Ids {
  const values = cachedValuesOf(env, field)
  const targets = new Set<number>()
  for (const id of ids) {
    const value = values.get(id)
    if (value === undefined) return []
    if (typeof value === 'number') targets.add(value)
    else if (Array.isArray(value)) for (const target of value as Ids) targets.add(target)
  }
  for (const target of apart) targets.delete(target)
  return [...targets]
}
