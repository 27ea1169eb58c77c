// Limits of granting: users grant only groups that they hold, and set the logins of users who hold no
// more. Administrators may do all, and only they take away the rights of administrators.
import type { Environment } from '#models'
import { AccessError } from '../../../errors.ts'
import { idList, sql, TRUE } from '../../../sql/index.ts'

/**
 * Does `work`, which may grant groups to these users (null: to any). `grantedTo` returns the users that
 * `work` created. Throws AccessError when a user holds a group afterwards that is new to them and that
 * the caller did not hold, and when an administrator holds less than before.
 */
export async function granting<T>(
  env: Environment,
  users: readonly number[] | null,
  work: () => Promise<T>,
  grantedTo: (result: T) => readonly number[] = () => [],
): Promise<T> {
  if (mayGrantAll(env)) return work()
  const before = await foreignMemberships(env, users)
  const result = await work()
  const after = await foreignMemberships(env, users && [...users, ...grantedTo(result)])
  const lost = without(before, after)
  if (lost.length) await refuseAdministrators(env, before, new Set(lost.map(([user]) => user)))
  const gained = without(after, before)
  if (gained.length)
    throw new AccessError(
      `You cannot grant groups that you do not hold: ${await namesOf(env, gained)}. Ask an administrator.`,
    )
  return result
}

/**
 * Throws AccessError when one of these users, whose login or password the caller is about to set, holds a
 * group that the caller does not hold.
 */
export async function assertMayActFor(env: Environment, users: readonly number[]): Promise<void> {
  const others = users.filter((user) => user !== env.uid)
  if (others.length === 0 || mayGrantAll(env)) return
  const foreign = await foreignMemberships(env, others)
  if (foreign.length)
    throw new AccessError(
      `You cannot change the login of a user with more rights than you. Ask an administrator: ${await namesOf(env, foreign)}.`,
    )
}

/**
 * Throws AccessError when the caller, who is not an administrator, is about to archive or remove one of these
 * users who is.
 */
export async function assertMayEnd(env: Environment, users: readonly number[]): Promise<void> {
  if (users.length === 0 || mayGrantAll(env)) return
  await refuseAdministrators(env, await foreignMemberships(env, users), new Set(users))
}

/**
 * Throws AccessError when users share their contact, and so name and e-mail, with somebody who holds more
 * than the caller.
 */
export async function assertOwnContacts(env: Environment, users: readonly number[]): Promise<void> {
  if (users.length === 0 || mayGrantAll(env)) return
  const rows = await env.rows(
    sql`SELECT o.id FROM res_users u JOIN res_users o ON o.partner_id = u.partner_id AND o.id <> u.id
    WHERE u.id = ANY(${idList(users)})`,
    { reads: ['res.users'], row: ['int'] },
  )
  await assertMayActFor(
    env,
    rows.map(([id]) => id),
  )
}

async function refuseAdministrators(
  env: Environment,
  memberships: readonly Membership[],
  users: ReadonlySet<number>,
): Promise<void> {
  const system = await env.ref('base.group_system')
  if (memberships.some(([user, group]) => group === system && users.has(user)))
    throw new AccessError(
      'Only administrators may archive or remove administrators, or take away their groups. Ask an administrator.',
    )
}

/** Administrators and the server itself grant everything. */
export const mayGrantAll = (env: Environment) => env.su || env.hasGroup('base.group_system')

type Membership = readonly [user: number, group: number]

/** Users with the groups that they hold, by implication too, and that the caller does not hold. */
const foreignMemberships = (env: Environment, users: readonly number[] | null) =>
  env.rows(
    sql`SELECT uid, gid FROM res_groups_users_closure_rel
    WHERE gid <> ALL(${idList([...env.user.groupIds])}) AND ${users ? sql`uid = ANY(${idList(users)})` : TRUE}`,
    { reads: [], row: ['int', 'int'] },
  )

function without(some: readonly Membership[], others: readonly Membership[]): Membership[] {
  const left = new Set(others.map(String))
  return some.filter((membership) => !left.has(String(membership)))
}

async function namesOf(env: Environment, memberships: readonly Membership[]): Promise<string> {
  const groups = await env
    .sudo()
    .model('res.groups')
    .browse([...new Set(memberships.map(([, group]) => group))])
    .load(['full_name'])
  return groups.map((group) => group.full_name).join(', ')
}
