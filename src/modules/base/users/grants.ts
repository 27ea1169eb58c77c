// Nobody makes anybody more than they are themselves: groups are granted, and logins taken over, by those
// alone who hold the groups in question. Administrators may do all.
import type { Environment } from '#models'
import { AccessError } from '../../../errors.ts'
import { idList, sql, TRUE } from '../../../sql/index.ts'

const isFree = (env: Environment) => env.su || env.hasGroup('base.group_system')

/**
 * Does what may grant groups to these users (null: to anybody). Throws AccessError afterwards when somebody
 * holds a group now that they did not hold, and that the caller did not hold before either.
 */
export async function granting<T>(
  env: Environment,
  users: (done: T | null) => readonly number[] | null,
  work: () => Promise<T>,
): Promise<T> {
  if (isFree(env)) return work()
  const before = await memberships(env, users(null))
  const own = new Set((await memberships(env, [env.uid])).map(([, group]) => group))
  const held = new Set(before.map(String))
  const done = await work()
  const gained = (await memberships(env, users(done))).filter(
    (pair) => !held.has(String(pair)) && !own.has(pair[1]),
  )
  if (gained.length)
    throw new AccessError(
      `Nobody can grant what they do not hold: ${await namesOf(
        env,
        gained.map(([, group]) => group),
      )}. Ask an administrator.`,
    )
  return done
}

/**
 * Throws AccessError when one of these users, whose login or password the caller is about to set, holds a
 * group that the caller does not hold.
 */
export async function assertMayActFor(env: Environment, users: readonly number[]): Promise<void> {
  const others = users.filter((user) => user !== env.uid)
  if (others.length === 0 || isFree(env)) return
  const own = new Set((await memberships(env, [env.uid])).map(([, group]) => group))
  const more = (await memberships(env, others)).map(([, group]) => group).filter((group) => !own.has(group))
  if (more.length)
    throw new AccessError(
      `The login of somebody who holds more than you do is set by an administrator: ${await namesOf(env, more)}.`,
    )
}

/** Users with the groups that they hold, by implication too. */
const memberships = (env: Environment, users: readonly number[] | null) =>
  env.rows(
    sql`SELECT uid, gid FROM res_groups_users_closure_rel WHERE ${users ? sql`uid = ANY(${idList(users)})` : TRUE}`,
    { reads: [], row: ['int', 'int'] },
  )

async function namesOf(env: Environment, groups: readonly number[]): Promise<string> {
  const found = await env
    .sudo()
    .model('res.groups')
    .browse([...new Set(groups)])
    .load(['full_name'])
  return found.map((group) => group.full_name).join(', ')
}
