// Implication of groups: implied groups, members by implication, and the check that no user is both
// internal and portal.
import type { Environment } from '#models'
import { ValidationError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Groups of `base` that are kinds of users: everybody is at most one of these (spec/wire.md section 8). */
const userKinds = ['group_user', 'group_portal', 'group_public']

/**
 * Link "tables" of the transitive fields: views, so that they are read and searched like any other relation.
 */
export const impliedClosure = 'res_groups_closure_rel'
export const usersClosure = 'res_groups_users_closure_rel'

/**
 * Makes the views: every group (gid) with every group it leads to (hid), itself included, and the users of
 * either.
 */
export async function makeClosures(env: Environment): Promise<void> {
  await env.execute(
    sql`CREATE OR REPLACE VIEW res_groups_closure_rel AS
    WITH RECURSIVE closure(gid, hid) AS (
      SELECT id, id FROM res_groups
      UNION
      SELECT closure.gid, rel.hid FROM closure JOIN res_groups_implied_rel rel ON rel.gid = closure.hid
    )
    SELECT gid, hid FROM closure`,
    { reads: ['res.groups'] },
  )
  await env.execute(sql`CREATE OR REPLACE VIEW res_groups_users_closure_rel AS
    SELECT DISTINCT rel.uid, closure.hid AS gid FROM res_groups_users_rel rel JOIN res_groups_closure_rel closure ON closure.gid = rel.gid`)
}

/** Ids by id, every key present. */
function collect(
  keys: readonly number[],
  rows: readonly (readonly [number, number])[],
): Map<number, number[]> {
  const members = new Map<number, number[]>(keys.map((key) => [key, []]))
  for (const [key, value] of rows) members.get(key)?.push(value)
  return members
}

/** Groups with all they imply, themselves included. */
export async function impliedBy(env: Environment, groups: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT gid, hid FROM res_groups_closure_rel WHERE gid = ANY(${idList(groups)}) ORDER BY hid`,
    { reads: [], row: ['int', 'int'] },
  )
  return collect(groups, rows)
}

/** Groups with all that imply them, themselves included. */
export async function withImplyingGroups(
  env: Environment,
  groups: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT hid, gid FROM res_groups_closure_rel WHERE hid = ANY(${idList(groups)}) ORDER BY gid`,
    { reads: [], row: ['int', 'int'] },
  )
  return collect(groups, rows)
}

/** Users with all their groups, implied ones included. */
export async function groupsOf(env: Environment, users: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`WITH RECURSIVE held(uid, gid) AS (
      SELECT uid, gid FROM res_groups_users_rel WHERE uid = ANY(${idList(users)})
      UNION SELECT held.uid, rel.hid FROM held JOIN res_groups_implied_rel rel ON rel.gid = held.gid
    ) SELECT uid, gid FROM held ORDER BY gid`,
    { reads: [], row: ['int', 'int'] },
  )
  return collect(users, rows)
}

/** Groups with all active users that have them, by implication too. */
export async function usersOf(env: Environment, groups: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT rel.gid, rel.uid FROM res_groups_users_closure_rel rel
    JOIN res_users u ON u.id = rel.uid AND u.active WHERE rel.gid = ANY(${idList(groups)}) ORDER BY rel.uid`,
    { reads: ['res.users'], row: ['int', 'int'] },
  )
  return collect(groups, rows)
}

/** External ids of the groups that a user has, by implication too. */
export async function groupNamesOf(env: Environment, user: number): Promise<Set<string>> {
  const rows = await env.rows(
    sql`SELECT data.module || '.' || data.name FROM res_groups_users_closure_rel rel
    JOIN ir_model_data data ON data.model = 'res.groups' AND data.res_id = rel.gid WHERE rel.uid = ${user}::int`,
    { reads: ['ir.model.data'], row: ['text'] },
  )
  return new Set(rows.map((row) => row[0]))
}

/** The longest life of a key that the groups of a user allow, in days; 0 when none says anything. */
export async function longestKeyDuration(env: Environment, user: number): Promise<number> {
  const rows = await env.rows(
    sql`SELECT max(g.api_key_duration)::float8 FROM res_groups_users_closure_rel rel
    JOIN res_groups g ON g.id = rel.gid WHERE rel.uid = ${user}::int`,
    { reads: ['res.groups'], row: ['float?'] },
  )
  return rows[0]?.[0] ?? 0
}

/**
 * Users (uid) with the kinds that they are of, by implication too. The walk begins at these three groups:
 * for one from every group, as the views have it, PostgreSQL reserves tens of megabytes in a new database.
 */
const kindsOfUsers = sql`(WITH RECURSIVE implying(kind, gid) AS (
    SELECT name, res_id FROM ir_model_data WHERE model = 'res.groups' AND module = 'base' AND name = ANY(${userKinds}::text[])
    UNION SELECT implying.kind, rel.gid FROM implying JOIN res_groups_implied_rel rel ON rel.hid = implying.gid
  ) SELECT DISTINCT kind, uid FROM implying JOIN res_groups_users_rel rel ON rel.gid = implying.gid)`

/**
 * Throws ValidationError when one of the users, or anybody at all (null), is of two kinds at once, by
 * implication too.
 */
export async function assertOneKind(env: Environment, users: readonly number[] | null): Promise<void> {
  const whose = users ? sql`WHERE uid = ANY(${idList(users)})` : sql``
  const rows = await env.rows(
    sql`SELECT 1 FROM ${kindsOfUsers} AS k ${whose} GROUP BY uid HAVING count(*) > 1 LIMIT 1`,
    { reads: ['ir.model.data'], row: ['int'] },
  )
  if (rows.length)
    throw new ValidationError('A user cannot be more than one of internal, portal and public user.')
}

/**
 * Brings `share` of users, and what follows from it, in line after groups began or ceased to imply others.
 */
export async function refreshShare(env: Environment): Promise<void> {
  const rows = await env.rows(
    sql`SELECT id, share FROM (SELECT u.id, u.share AS was, u.id NOT IN (SELECT uid FROM ${kindsOfUsers} AS k WHERE kind = 'group_user') AS share FROM res_users u) AS now
    WHERE was IS DISTINCT FROM share`,
    { reads: ['ir.model.data', 'res.users'], row: ['int', 'bool?'] },
  )
  const users = env.sudo().model('res.users')
  for (const share of [true, false]) {
    const stale = rows.filter((row) => row[1] === share).map((row) => row[0])
    if (stale.length) await users.browse(stale).write({ share })
  }
}
