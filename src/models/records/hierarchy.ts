// Trees: `parent_path` ("1/4/9/") follows the parent; loops are refused.
import { UserError, ValidationError } from '../../errors.ts'
import { id, sql } from '../../sql/index.ts'
import type { ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { assertRecords } from './access.ts'
import type { Sorted } from './values.ts'

/** The parent that given values name, or null. */
export function parentOf(model: ModelDef, { columns }: Sorted): number | null {
  const field = model.fields.get(model.parent as string)
  return field ? ((columns.get(field) as number | null | undefined) ?? null) : null
}

/** Throws AccessError when one of the parents is hidden from the user (spec/wire.md section 9, "a hidden record as parent in a hierarchy"). */
export async function assertParents(env: Environment, model: ModelDef, parents: readonly (number | null)[]): Promise<void> {
  const ids = parents.filter((parent) => parent !== null)
  if (ids.length) await assertRecords(env, model, ids, 'read')
}

/** Gives new records their path, parents made in the same call included. */
export async function placeInTree(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  const table = id(model.table)
  const parent = id(model.parent as string)
  await env.query(sql`WITH RECURSIVE placed(id, path) AS (
    SELECT n."id", COALESCE(p."parent_path", '') || n."id" || '/' FROM ${table} n LEFT JOIN ${table} p ON p."id" = n.${parent}
    WHERE n."id" = ANY(${ids}::int[]) AND (n.${parent} IS NULL OR n.${parent} <> ALL(${ids}::int[]))
    UNION ALL
    SELECT n."id", placed.path || n."id" || '/' FROM ${table} n JOIN placed ON n.${parent} = placed.id WHERE n."id" = ANY(${ids}::int[])
  ) UPDATE ${table} t SET "parent_path" = placed.path FROM placed WHERE t."id" = placed.id`)
}

/** Moves the paths of records and of everything below them to their new parents. */
export async function moveInTree(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  const table = id(model.table)
  const parent = id(model.parent as string)
  // Of several moved records above one, the nearest decides.
  await env.query(sql`UPDATE ${table} t SET "parent_path" = s.path FROM (
    SELECT DISTINCT ON (b."id") b."id", COALESCE(p."parent_path", '') || substr(b."parent_path", length(m."parent_path") - length(m."id"::text || '/') + 1) AS path
    FROM ${table} m JOIN ${table} b ON starts_with(b."parent_path", m."parent_path") LEFT JOIN ${table} p ON p."id" = m.${parent}
    WHERE m."id" = ANY(${ids}::int[]) ORDER BY b."id", length(m."parent_path") DESC
  ) AS s WHERE t."id" = s."id"`)
}

/**
 * Throws when one of the records would become its own ancestor: UserError where the path is stored, else ValidationError
 * (spec/models-api.md section 5, "Constraints").
 */
export async function assertNoLoop(env: Environment, model: ModelDef, ids: readonly number[], parentId: number | null): Promise<void> {
  if (!parentId) return
  const table = id(model.table)
  const parent = id(model.parent as string)
  // The ancestors are held while the record moves: of two moves that would close a loop together, one waits, loses and is repeated.
  const rows = await env.query(sql`SELECT t."id" FROM ${table} t WHERE t."id" IN (WITH RECURSIVE above(id) AS (
    SELECT ${parentId}::int UNION SELECT t.${parent} FROM ${table} t JOIN above ON t."id" = above.id WHERE t.${parent} IS NOT NULL
  ) SELECT id FROM above) ORDER BY t."id" FOR SHARE`)
  const moving = new Set(ids)
  if (!rows.some((row) => moving.has(row[0] as number))) return
  if (model.parentStore) throw new UserError('Recursion detected.')
  throw new ValidationError(`You cannot create recursive ${model.label} records.`)
}
