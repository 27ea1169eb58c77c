// The verbs of administrators at the machine about people: users listed, made, let in again and shut out,
// without a password.

import { endSessionsOfOwner, forgetUsers } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import { present } from '../kit/present.ts'
import { hasSecondFactor, removeSecondFactors } from '../logins/index.ts'
import type { Environment } from '../models/index.ts'
import { raw, sql } from '../sql/index.ts'
import { auditCommands, objectsOf } from './command-audit.ts'
import { groupOfRole, type RoleName } from './roles.ts'

/**
 * Role of a user by their groups. Users without any of the three kinds can do only what rules allow to
 * everybody.
 */
export type Role = 'administrator' | 'user' | 'portal' | 'none'

/** A user as an administrator looks for them. */
export interface Person {
  readonly id: number
  readonly login: string
  readonly name: string
  readonly role: Role
  /** Roles that no other one of theirs includes. */
  readonly roles: readonly RoleName[]
  readonly active: boolean
  /** Whether a password opens the login. */
  readonly password: boolean
  readonly second_factor: boolean
  /** API keys that have not ended. */
  readonly keys: number
  /** UTC, `YYYY-MM-DD HH:MM:SS`; null for who never came. */
  readonly last_login: string | null
  readonly companies: readonly string[]
}

/** Login of the user that the server itself works as, with which no person can sign in. */
const SYSTEM_LOGIN = '__system__'

const inGroup = (name: string) => sql`EXISTS (SELECT FROM res_groups_users_closure_rel r
  JOIN ir_model_data d ON d.model = 'res.groups' AND d.module = 'base' AND d.name = ${name} AND d.res_id = r.gid WHERE r.uid = u.id)`

const role = sql`CASE WHEN ${inGroup('group_system')} THEN 'administrator' WHEN ${inGroup('group_user')} THEN 'user'
  WHEN ${inGroup('group_portal')} THEN 'portal' ELSE 'none' END`

/** The groups of all roles that the database has. */
const roleGroups = sql`(SELECT x.key AS role, d.res_id AS gid
  FROM jsonb_each_text(${JSON.stringify(groupOfRole)}::jsonb) x
  JOIN ir_model_data d ON d.model = 'res.groups' AND d.module || '.' || d.name = x.value)`

const rolesOf = sql`(SELECT COALESCE(json_agg(r.role ORDER BY r.role), '[]') FROM ${roleGroups} r
  JOIN res_groups_users_closure_rel c ON c.uid = u.id AND c.gid = r.gid
  WHERE NOT EXISTS (SELECT FROM ${roleGroups} x JOIN res_groups_users_closure_rel y ON y.uid = u.id AND y.gid = x.gid
    JOIN res_groups_closure_rel i ON i.gid = x.gid AND i.hid = r.gid WHERE x.gid <> r.gid))`

/** A role that people may have in a database, with the group that it stands for. */
export interface ListedRole {
  readonly role: RoleName
  readonly group: string
  /** The rights that it gives, in a sentence; null without a description. */
  readonly description: string | null
}

/** The roles that the modules of a database bring, in the order of `groupOfRole`. */
export async function listRoles(server: Databases, name: string): Promise<readonly ListedRole[]> {
  const listed = await within(server, name, (env) =>
    objectsOf<ListedRole>(
      env,
      sql`SELECT json_build_object('role', r.role, 'group', concat(p.name->>'en_US' || ' / ', g.name->>'en_US'),
        'description', g.comment->>'en_US')::text
      FROM ${roleGroups} r JOIN res_groups g ON g.id = r.gid LEFT JOIN res_groups_privilege p ON p.id = g.privilege_id`,
    ),
  )
  const order = Object.keys(groupOfRole)
  return listed.toSorted((first, other) => order.indexOf(first.role) - order.indexOf(other.role))
}

/** The users of a database by login; archived ones too where asked for. */
export async function listUsers(
  server: Databases,
  name: string,
  archived: boolean,
): Promise<readonly Person[]> {
  return within(server, name, (env) =>
    objectsOf<Person>(
      env,
      sql`SELECT json_build_object('id', u.id, 'login', u.login, 'name', p.name, 'role', ${role}, 'roles', ${rolesOf}, 'active', u.active,
      'password', u.password IS NOT NULL, 'second_factor', ${hasSecondFactor(raw('u.id'))},
      'keys', (SELECT count(*) FROM res_users_apikeys k WHERE k.user_id = u.id
        AND (k.expiration_date IS NULL OR k.expiration_date > now() AT TIME ZONE 'UTC')),
      'last_login', (SELECT to_char(max(l.create_date), 'YYYY-MM-DD HH24:MI:SS') FROM res_users_log l WHERE l.create_uid = u.id),
      'companies', ARRAY(SELECT c.name FROM res_company_users_rel r JOIN res_company c ON c.id = r.cid WHERE r.user_id = u.id ORDER BY c.id))::text
    FROM res_users u JOIN res_partner p ON p.id = u.partner_id
    WHERE u.login <> ${SYSTEM_LOGIN} AND (u.active OR ${archived}::boolean) ORDER BY u.login`,
    ),
  )
}

export interface NewUser {
  readonly login: string
  readonly name: string
  readonly password: string
  readonly roles: readonly RoleName[]
  readonly email?: string | undefined
  readonly lang?: string | undefined
  readonly tz?: string | undefined
}

/**
 * Makes a user; gives their id. Throws what the model refuses: a taken login, a short password, an unknown
 * language; and UserError for a role whose module the database has not.
 */
export async function createUser(
  server: Databases,
  database: string,
  { roles: wanted, ...user }: NewUser,
): Promise<number> {
  return within(server, database, async (env) => {
    if (!user.login.trim()) throw new UserError('The login is required.')
    if ((await env.query(sql`SELECT FROM res_users WHERE login = ${user.login}`)).length)
      throw new UserError(
        `A user with the login ${JSON.stringify(user.login)} already exists: choose another login.`,
      )
    const groups = await Promise.all(wanted.map((name) => groupOf(env, name, database)))
    const [created] = (
      await env.model('res.users').create([{ ...definedOnly(user), group_ids: [[6, 0, groups]] }])
    ).ids
    const id = present(created)
    await note(env, 'user.create', { id, login: user.login }, { role: wanted.join(', ') })
    return id
  })
}

/** The group of a role. Throws UserError where its module is not installed. */
async function groupOf(env: Environment, role: RoleName, database: string): Promise<number> {
  const group = await env.find(groupOfRole[role])
  if (group) return group
  const [module = ''] = groupOfRole[role].split('.')
  throw new UserError(
    `The role ${role} requires the module ${module}, which is not installed: run comptoir module install --database ${database} ${module}`,
  )
}

/** Members that were given. */
const definedOnly = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/**
 * Gives a user another password: sessions that began with the old one end, and what was guessed before is
 * forgotten. Throws UserError for an unknown login, an archived user and a password that is too short. Gives
 * how many keys were revoked, where that was asked for.
 */
export async function setPassword(
  server: Databases,
  database: string,
  login: string,
  { password, revokeKeys }: { readonly password: string; readonly revokeKeys: boolean },
): Promise<{ readonly keys: number }> {
  return within(server, database, async (env) => {
    const user = await find(env, login)
    if (!user.active)
      throw new UserError(`The user ${JSON.stringify(login)} is archived: run comptoir user enable first.`)
    await env.model('res.users').browse([user.id]).write({ password })
    await env.query(forgetUsers([user]))
    const gone = revokeKeys
      ? await env.query(sql`DELETE FROM res_users_apikeys WHERE user_id = ${user.id}::int RETURNING id`)
      : []
    await note(env, 'user.password', user, { own: false, ...(revokeKeys ? { keys: gone.length } : {}) })
    return { keys: gone.length }
  })
}

/**
 * Archives a user, whose keys and sessions are invalid from the commit on, or restores them. False when there
 * was nothing to change. Throws UserError for an unknown login, and for the last administrator, without whom
 * only this command line could restore access.
 */
export async function setActive(
  server: Databases,
  database: string,
  login: string,
  active: boolean,
): Promise<boolean> {
  return within(server, database, async (env) => {
    const user = await find(env, login)
    if (user.active === active) return false
    if (!active) await assertNotLast(env, user)
    await env.model('res.users').browse([user.id]).write({ active })
    if (active) await env.query(forgetUsers([user]))
    await note(env, active ? 'user.unarchive' : 'user.archive', user)
    return true
  })
}

/**
 * Takes the second factor of a user away, who lost it, and ends their sessions; what was guessed before is
 * forgotten. False where they had none. Throws UserError for an unknown login.
 */
export async function resetSecondFactor(
  server: Databases,
  database: string,
  login: string,
): Promise<boolean> {
  return within(server, database, async (env) => {
    const user = await find(env, login)
    const [reset] = await removeSecondFactors(env, [user.id])
    if (reset === undefined) return false
    await env.query(endSessionsOfOwner(user.id))
    await env.query(forgetUsers([user]))
    await note(env, 'second_factor.reset', user)
    return true
  })
}

async function within<T>(
  server: Databases,
  name: string,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  return (await server.database(name)).system(work)
}

interface Found {
  readonly id: number
  readonly login: string
  readonly active: boolean
}

/** The user of a login. Throws UserError for an unknown login. */
async function find(env: Environment, login: string): Promise<Found> {
  const [row] = await env.query<[number, boolean]>(
    sql`SELECT id, active FROM res_users WHERE login = ${login} AND login <> ${SYSTEM_LOGIN}`,
  )
  if (!row)
    throw new UserError(`No user has the login ${JSON.stringify(login)}: see comptoir user list --all.`)
  return { id: row[0], login, active: row[1] }
}

async function assertNotLast(env: Environment, { id, login }: Found): Promise<void> {
  const rows = await env.query(
    sql`SELECT u.id FROM res_users u WHERE u.active AND u.login <> ${SYSTEM_LOGIN} AND ${inGroup('group_system')} LIMIT 2`,
  )
  if (rows.length === 1 && rows[0]?.[0] === id)
    throw new UserError(
      `${JSON.stringify(login)} is the last administrator: create another one first with comptoir user create --role administrator.`,
    )
}

const note = (
  env: Environment,
  event: string,
  { id, login }: Pick<Found, 'id' | 'login'>,
  detail: Readonly<Record<string, unknown>> = {},
) => auditCommands(env, [{ event, model: 'res.users', record: id, name: login, detail }])
