// Rights on users beyond groups and rules: users' own record, built-in users, and keys that no command
// may touch.
import { type Environment, idsWhere, type Records, type WriteChange, type WriteRun } from '#models'
import { AccessError, InvalidValue, UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { groupNamesOf } from './groups-closure.ts'
import { isOwn, ownValues, selfReadable, selfWriteable } from './users-self.ts'

type Users = Records<'res.users'>
type Run = (users: Users, params: Record<string, unknown>) => Promise<unknown>

/** Users that the server itself needs. */
const builtIn = ['base.user_root', 'base.user_admin', 'base.public_user', 'base.template_portal_user_id']

/** `read` of one's own record asks for no right to the model; hidden records of others stay hidden. */
export const readingOwn =
  (next: Run): Run =>
  (users, params) => {
    const fields = params.fields
    const isOwnRecord =
      Array.isArray(fields) && fields.length > 0 && isOwn(users.env.uid, users.ids, fields, selfReadable)
    // The superuser's view of one's own keys is one's own keys, so nothing of others shows.
    return next(isOwnRecord ? users.sudo() : users, params)
  }

/** Writes on one's own record, in the fields of everybody; no key is ever changed through its user. */
export const writingOwn =
  (next: WriteRun<Users>): WriteRun<Users> =>
  async (users, changes) => {
    const { env } = users
    assertNoKeys(
      env,
      changes.map(({ vals }) => vals),
    )
    if (!env.su && idsWhere(changes, (vals) => vals.active === false).includes(env.uid)) {
      throw new UserError("You cannot deactivate the user you're currently logged in as.")
    }
    const isOwned = ({ ids, vals }: WriteChange) => {
      const names = Object.keys(vals)
      return !env.su && names.length > 0 && isOwn(env.uid, ids, names, selfWriteable)
    }
    const owned = changes.filter(isOwned)
    const others = changes.filter((change) => !isOwned(change))
    if (others.length) await next(users, others)
    if (owned.length)
      await next(
        users.sudo(),
        owned.map(({ ids, vals }) => ({ ids, vals: ownValues(vals, env.user.companyIds) })),
      )
  }

/** Commands on the keys of a user are refused to everybody (spec/wire.md section 7, "The records"). */
export function assertNoKeys(env: Environment, list: readonly Readonly<Record<string, unknown>>[]): void {
  const touched = list.some(
    ({ api_key_ids: commands }) =>
      commands !== undefined && commands !== false && !(Array.isArray(commands) && commands.length === 0),
  )
  if (touched && !env.su)
    throw new AccessError(
      'API keys cannot be edited directly: use the methods that create, restrict and revoke them.',
    )
}

/** Throws UserError when one of the users is built in. */
export async function assertRemovable(users: Users): Promise<void> {
  const rows = await users.env.rows(
    sql`SELECT 1 FROM ir_model_data WHERE model = 'res.users' AND res_id = ANY(${idList(users.ids)})
    AND module || '.' || name = ANY(${builtIn}::text[]) LIMIT 1`,
    { reads: ['ir.model.data'], row: ['int'] },
  )
  if (rows.length)
    throw new UserError('You can not remove the users that the server itself needs; archive them instead.')
}

/**
 * External ids of the one user's groups. Throws AccessError when the caller may not ask about somebody else.
 */
export async function groupsOfUser(users: Users): Promise<ReadonlySet<string>> {
  const { env } = users
  const user = users.ensureOne()
  if (user !== env.uid && !env.su && !env.hasGroup('base.group_user')) {
    throw new AccessError('You may only check your own groups.')
  }
  return groupNamesOf(env, user)
}

/**
 * Whether groups satisfy a text such as `base.group_user,!base.group_portal`. Throws InvalidValue for an
 * empty part.
 */
export function satisfies(groups: ReadonlySet<string>, specification: string): boolean {
  const parts = specification.split(',').map((part) => part.trim())
  if (parts.some((part) => part === '' || part === '!'))
    throw new InvalidValue(`Invalid groups ${JSON.stringify(specification)}`)
  const forbidden = parts.filter((part) => part.startsWith('!')).map((part) => part.slice(1))
  if (forbidden.some((group) => groups.has(group))) return false
  const wanted = parts.filter((part) => !part.startsWith('!'))
  return wanted.length === 0 || wanted.some((group) => groups.has(group))
}
