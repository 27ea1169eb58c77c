// Users make nobody more than they are themselves: they grant the groups that they hold, and set the logins
// of users who hold no more. Administrators may do all.
import type { Environment } from '#models'
import { AccessError } from '../../../errors.ts'
import { idList, sql, TRUE } from '../../../sql/index.ts'

/**
 * Does `work`, which may grant groups to these users (null: to any). `made` gives the users that the work
 * has made. Throws AccessError when a user holds a group afterwards that is new to them and that the caller
 * did not hold.
 */
export async function granting<T>(
  env: Environment,
  users: readonly number[] | null,
  work: () => Promise<T>,
  made: (result: T) => readonly number[] = () => [],
): Promise<T> {
  if (isFree(env)) return work()
  const before = new Set((await foreignMemberships(env, users)).map(String))
  const result = await work()
  const after = await foreignMemberships(env, users && [...users, ...made(result)])
  const gained = after.filter((membership) => !before.has(String(membership)))
  if (gained.length)
    throw new AccessError(
      `Nobody can grant what they do not hold: ${await namesOf(env, gained)}. Ask an administrator.`,
    )
  return result
}

/**
 * Throws AccessError when one of these users, whose login or password the caller is about to set, holds a
 * group that the caller does not hold.
 */
export async function assertMayActFor(env: Environment, users: readonly number[]): Promise<void> {
  const others = users.filter((user) => user !== env.uid)
  if (others.length === 0 || isFree(env)) return
  const foreign = await foreignMemberships(env, others)
  if (foreign.length)
    throw new AccessError(
      `The login of somebody who holds more than you do is set by an administrator: ${await namesOf(env, foreign)}.`,
    )
}

/** Administrators and the server itself grant everything. */
export const isFree = (env: Environment) => env.su || env.hasGroup('base.group_system')

type Membership = readonly [user: number, group: number]

/** Users with the groups that they hold, by implication too, and that the caller does not hold. */
const foreignMemberships = (env: Environment, users: readonly number[] | null) =>
  env.rows(
    sql`SELECT uid, gid FROM res_groups_users_closure_rel
    WHERE gid <> ALL(${idList([...env.user.groupIds])}) AND ${users ? sql`uid = ANY(${idList(users)})` : TRUE}`,
    { reads: [], row: ['int', 'int'] },
  )

async function namesOf(env: Environment, memberships: readonly Membership[]): Promise<string> {
  const groups = await env
    .sudo()
    .model('res.groups')
    .browse([...new Set(memberships.map(([, group]) => group))])
    .load(['full_name'])
  return groups.map((group) => group.full_name).join(', ')
}
