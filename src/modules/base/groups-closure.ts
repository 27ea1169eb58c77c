// Implication of groups: what a group implies, who has it by implication, and that nobody is internal and portal at once.
import type { Environment } from '#models'
import { ValidationError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'

/** Kinds of users: everybody is at most one of these (spec/wire.md section 8). */
export const userKinds = ['base.group_user', 'base.group_portal', 'base.group_public'] as const

/** Every group with every group it leads to, itself included, as rows (gid, hid). */
const closure = sql`WITH RECURSIVE closure(gid, hid) AS (
  SELECT id, id FROM res_groups
  UNION
  SELECT closure.gid, rel.hid FROM closure JOIN res_groups_implied_rel rel ON rel.gid = closure.hid
)`

/** Ids by id, every key present. */
function collect(keys: readonly number[], rows: readonly (readonly unknown[])[]): Map<number, number[]> {
  const found = new Map<number, number[]>(keys.map((key) => [key, []]))
  for (const [key, value] of rows) found.get(key as number)?.push(value as number)
  return found
}

/** Groups with all they imply, themselves included. */
export async function impliedBy(env: Environment, groups: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.query(sql`${closure} SELECT gid, hid FROM closure WHERE gid = ANY(${groups}::int[]) ORDER BY hid`)
  return collect(groups, rows)
}

/** Groups with all that imply them, themselves included. */
export async function implying(env: Environment, groups: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.query(sql`${closure} SELECT hid, gid FROM closure WHERE hid = ANY(${groups}::int[]) ORDER BY gid`)
  return collect(groups, rows)
}

/** Users with all their groups, implied ones included. */
export async function groupsOf(env: Environment, users: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.query(sql`${closure} SELECT DISTINCT rel.uid, closure.hid FROM closure
    JOIN res_groups_users_rel rel ON rel.gid = closure.gid WHERE rel.uid = ANY(${users}::int[]) ORDER BY closure.hid`)
  return collect(users, rows)
}

/** Groups with all active users that have them, by implication too. */
export async function usersOf(env: Environment, groups: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.query(sql`${closure} SELECT DISTINCT closure.hid, rel.uid FROM closure
    JOIN res_groups_users_rel rel ON rel.gid = closure.gid JOIN res_users u ON u.id = rel.uid AND u.active
    WHERE closure.hid = ANY(${groups}::int[]) ORDER BY rel.uid`)
  return collect(groups, rows)
}

/** External ids of the groups that a user has, by implication too. */
export async function groupNamesOf(env: Environment, user: number): Promise<Set<string>> {
  const rows = await env.query(sql`${closure} SELECT DISTINCT data.module || '.' || data.name FROM closure
    JOIN res_groups_users_rel rel ON rel.gid = closure.gid
    JOIN ir_model_data data ON data.model = 'res.groups' AND data.res_id = closure.hid WHERE rel.uid = ${user}::int`)
  return new Set(rows.map((row) => row[0] as string))
}

/** The longest life of a key that the groups of a user allow, in days; 0 when none says anything. */
export async function longestKeyDuration(env: Environment, user: number): Promise<number> {
  const rows = await env.query(sql`${closure} SELECT max(g.api_key_duration)::float8 FROM closure
    JOIN res_groups_users_rel rel ON rel.gid = closure.gid JOIN res_groups g ON g.id = closure.hid WHERE rel.uid = ${user}::int`)
  return (rows[0]?.[0] as number | null) ?? 0
}

/** Throws ValidationError when one of the users, or anybody at all, is of two kinds at once, by implication too. */
export async function assertOneKind(env: Environment, users: readonly number[] | null): Promise<void> {
  const whose = users ? sql`WHERE rel.uid = ANY(${users}::int[])` : sql``
  const rows = await env.query(sql`${closure}, kinds AS (
      SELECT res_id FROM ir_model_data WHERE model = 'res.groups' AND module || '.' || name = ANY(${[...userKinds]}::text[])
    )
    SELECT 1 FROM closure JOIN res_groups_users_rel rel ON rel.gid = closure.gid JOIN kinds ON kinds.res_id = closure.hid
    ${whose} GROUP BY rel.uid HAVING count(DISTINCT closure.hid) > 1 LIMIT 1`)
  if (rows.length) throw new ValidationError('A user is either an internal, a portal or a public user, never two of them.')
}

/** Brings `share` of users, and `partner_share` of their contacts, in line after groups began or ceased to imply others. */
export async function refreshShare(env: Environment): Promise<void> {
  const rows = await env.query(sql`${closure}, internal AS (
      SELECT DISTINCT rel.uid FROM closure JOIN res_groups_users_rel rel ON rel.gid = closure.gid
      JOIN ir_model_data data ON data.model = 'res.groups' AND data.res_id = closure.hid AND data.module = 'base' AND data.name = 'group_user'
    )
    SELECT u.id, u.id NOT IN (SELECT uid FROM internal) FROM res_users u
    WHERE u.share IS DISTINCT FROM (u.id NOT IN (SELECT uid FROM internal))`)
  const users = env.sudo().model('res.users')
  for (const share of [true, false]) {
    const stale = rows.filter((row) => row[1] === share).map((row) => row[0] as number)
    if (stale.length) await users.browse(stale).write({ share })
  }
}
