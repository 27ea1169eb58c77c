// Trees: `parent_path` ("1/4/9/") follows the parent; loops are refused, and so are trees without measure,
// whose every change walks all levels.

import { UserError, ValidationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { beyond, limits } from '../../limits.ts'
import { id, idList, type Sql, sql } from '../../sql/index.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { guardRecords } from '../row/access.ts'
import type { Sorted } from '../row/destinations.ts'
import { failingIf } from '../unit/refusing.ts'

export function parentIdOf(model: ModelDef, { columns }: Sorted): number | null {
  const field = model.parent === null ? undefined : model.fields.get(model.parent)
  return field ? ((columns.get(field) as number | null | undefined) ?? null) : null
}

/**
 * Throws AccessError when one of the parents is hidden from the user (spec/wire.md section 9, "a hidden
 * record as parent in a hierarchy").
 */
export async function assertParents(
  env: Environment,
  model: ModelDef,
  parents: readonly (number | null)[],
): Promise<void> {
  const ids = parents.filter((parent) => parent !== null)
  if (ids.length) await guardRecords(env, model, ids, 'read')
}

/** Gives new records their path, parents made in the same call included. */
export function placeInTree(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  parents: readonly (number | null)[],
): void {
  const newIds = new Set(ids)
  const existingParents = parents.filter((above) => above !== null && !newIds.has(above))
  holdPaths(env, model, existingParents)
  const parent = id(present(model.parent))
  const isTop = sql`(n.${parent} IS NULL OR n.${parent} <> ALL(${ids}::int[]))`
  keepPaths(
    env,
    model,
    sql`n."id" = ANY(${idList(ids)}) AND ${isTop}`,
    sql` WHERE n."id" = ANY(${idList(ids)})`,
  )
}

/** Moves the paths of records, no one of them above another, and of all below them to their new parents. */
export function moveInTree(env: Environment, model: ModelDef, tops: Ids): void {
  keepPaths(env, model, sql`n."id" = ANY(${idList(tops)})`, sql``)
}

/**
 * Writes the paths of records (`top`, a condition on the row `n`) by those of their parents, and of those
 * below them that `below` keeps. Throws PayloadTooLarge, with the next answer, for one of too many levels.
 */
function keepPaths(env: Environment, model: ModelDef, top: Sql, below: Sql): void {
  const [table, parent] = [id(model.table), id(present(model.parent))]
  const levels = sql`octet_length(placed.path) - octet_length(replace(placed.path, '/', ''))`
  const path = sql`CASE WHEN ${levels} > ${limits.tree} THEN ${failingIf(sql`t."id"`)}::text ELSE placed.path END`
  const update = sql`WITH RECURSIVE placed(id, path) AS (
    SELECT n."id", COALESCE(p."parent_path", '') || n."id" || '/' FROM ${table} n LEFT JOIN ${table} p ON p."id" = n.${parent}
    WHERE ${top}
    UNION ALL
    SELECT n."id", placed.path || n."id" || '/' FROM ${table} n JOIN placed ON n.${parent} = placed.id${below}
  ) UPDATE ${table} t SET "parent_path" = ${path} FROM placed
    WHERE t."id" = placed.id AND t."parent_path" IS DISTINCT FROM placed.path`
  env.unit.buffer.post(update.compile(), () => beyond('tree'))
}

/** As `keepPaths` for trees that keep no paths: new records, and those that they are below. */
export function checkLevels(env: Environment, model: ModelDef, ids: Ids): void {
  const [table, parent] = [id(model.table), id(present(model.parent))]
  env.unit.buffer.check(
    sql`WITH RECURSIVE above(start, id, level) AS (
      SELECT t."id", t.${parent}, 2 FROM ${table} t WHERE t."id" = ANY(${idList(ids)}) AND t.${parent} IS NOT NULL
      UNION ALL SELECT above.start, t.${parent}, level + 1 FROM above JOIN ${table} t ON t."id" = above.id
      WHERE t.${parent} IS NOT NULL AND level <= ${limits.tree}
    ) SELECT start FROM above WHERE level > ${limits.tree}`,
    () => beyond('tree'),
  )
}

/** As `checkLevels` for moved records by their new level: what is below them came along. */
export function checkLevelsBelow(
  env: Environment,
  model: ModelDef,
  moved: ReadonlyMap<number, number>,
): void {
  const [table, parent] = [id(model.table), id(present(model.parent))]
  env.unit.buffer.check(
    sql`WITH RECURSIVE below(id, level) AS (
      SELECT * FROM unnest(${[...moved.keys()]}::int[], ${[...moved.values()]}::int[])
      UNION ALL SELECT t."id", level + 1 FROM below JOIN ${table} t ON t.${parent} = below.id WHERE level <= ${limits.tree}
    ) SELECT id FROM below WHERE level > ${limits.tree}`,
    () => beyond('tree'),
  )
}

/**
 * A new child rewrites the row of its parent unchanged. A move rewrites the rows of all records that it
 * moves: concurrent calls conflict, and one of them is repeated. A lock would not suffice, as the move
 * may not see the new record.
 */
function holdPaths(env: Environment, model: ModelDef, parents: readonly (number | null)[]): void {
  const ids = [...new Set(parents.filter((above) => above !== null))]
  if (ids.length)
    env.unit.send(
      sql`UPDATE ${id(model.table)} SET "parent_path" = "parent_path" WHERE "id" = ANY(${idList(ids)})`,
    )
}

/**
 * Judges a tree as it will be when records have their new parents; gives those of them that no other one is
 * above then, with the level that each is on, the top one being 1. Throws when one would become its own
 * ancestor: UserError where the path is stored, else ValidationError (spec/models-api.md section 5,
 * "Constraints"); PayloadTooLarge when one would be on too deep a level.
 */
export async function assertNoLoop(
  env: Environment,
  model: ModelDef,
  moves: ReadonlyMap<number, number | null>,
): Promise<Map<number, number>> {
  const above = await ancestors(env, model, moves)
  const tops = new Map<number, number>()
  for (const [record, to] of moves) {
    const over = to === null ? undefined : above.get(to)
    if (over?.has(record)) {
      if (model.parentStore) throw new UserError('Recursion detected.')
      throw new ValidationError(`You cannot create recursive ${model.label} records.`)
    }
    if (over && over.size >= limits.tree) throw beyond('tree')
    if (!over || over.isDisjointFrom(moves)) tops.set(record, (over?.size ?? 0) + 1)
  }
  if (model.parentStore) holdPaths(env, model, [...moves.values()])
  return tops
}

/**
 * New parents, each with all above it, itself included. They are held while the records move: of two moves
 * that would close a loop together, one waits, loses and is repeated.
 */
async function ancestors(
  env: Environment,
  model: ModelDef,
  moves: ReadonlyMap<number, number | null>,
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const parents = [...new Set(moves.values())].filter((to) => to !== null)
  if (parents.length === 0) return new Map()
  const table = id(model.table)
  const parent = id(present(model.parent))
  const next = sql`CASE WHEN m.id IS NULL THEN t.${parent} ELSE m.parent END`
  const rows = await env.query(sql`WITH RECURSIVE
    moved(id, parent) AS MATERIALIZED (SELECT * FROM unnest(${[...moves.keys()]}::int[], ${[...moves.values()]}::int[])),
    above(start, id, level) AS (
      SELECT p, p, 1 FROM unnest(${idList(parents)}) AS p
      UNION ALL SELECT above.start, ${next}, level + 1 FROM above JOIN ${table} t ON t."id" = above.id LEFT JOIN moved m ON m.id = above.id
      WHERE ${next} IS NOT NULL AND level <= ${limits.tree}
    ) SELECT above.start, t."id" FROM above JOIN ${table} t ON t."id" = above.id ORDER BY t."id" FOR SHARE OF t`)
  const ancestors = new Map<number, Set<number>>()
  for (const [start, over] of rows as readonly (readonly [number, number])[])
    ancestors.set(start, (ancestors.get(start) ?? new Set()).add(over))
  return ancestors
}
