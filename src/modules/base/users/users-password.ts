// Passwords of users: kept as hashes in a column that is no field, so that nothing can read, search, sort or
// group by them.

import { recordAudit } from '#engine'
import type { Environment } from '#models'
import { AccessDenied, InvalidValue, UserError } from '../../../errors.ts'
import { assertUncommon } from '../../../kit/common-passwords.ts'
import { hashPassword, LONGEST_PASSWORD, verifyPassword } from '../../../kit/secrets.ts'
import { sql } from '../../../sql/index.ts'
import { isOn } from '../keys/apikeys-rules.ts'
import { parameter } from '../reflection/ir-config-parameter.ts'
import { assertProven } from './step-up.ts'

/** The column of the hash; made here because no field declares it. */
export async function makePasswordColumn(env: Environment): Promise<void> {
  await env.execute(sql`ALTER TABLE res_users ADD COLUMN IF NOT EXISTS password text`)
}

/** `storePasswords` for users whose session has the proof of identity. Throws AccessError without it. */
export async function changePasswords(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  if (values.size === 0) return
  await assertProven(env)
  await storePasswords(env, values)
}

/**
 * Sets passwords by user; an empty one closes the login. Equal passwords still get hashes of their own.
 * Sessions that began with the old one end.
 * Throws UserError for one that is too short, or common.
 */
async function storePasswords(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  await assertLong(env, [...values.values()])
  await assertHard(env, [...values.values()])
  const users: number[] = []
  const hashes: (string | null)[] = []
  for (const [user, password] of values) {
    users.push(user)
    hashes.push(await hashOf(password))
  }
  const rows = await env.rows(
    sql`UPDATE res_users SET password = given.hash
    FROM unnest(${users}::int[], ${hashes}::text[]) AS given(id, hash) WHERE res_users.id = given.id RETURNING res_users.id, login, password IS NULL`,
    { reads: ['res.users'], row: ['int', 'text', 'bool'] },
  )
  const changed = rows
  forgetFailures(env, changed)
  for (const [record, name, closed] of changed) {
    const detail = { own: record === env.uid, ...(closed ? { closed } : {}) }
    recordAudit(env, { event: 'user.password', model: 'res.users', record, name, detail })
  }
}

/**
 * After a change of password, users need not wait for earlier wrong guesses. This runs after the commit:
 * other calls count failures in the meantime.
 */
function forgetFailures(env: Environment, changed: readonly (readonly [number, string, boolean])[]): void {
  const { guard } = env.unit.services
  const users = changed.map(([id, login]) => ({ id, login }))
  if (guard) env.unit.ending.afterCommit.push(() => guard.forget(users))
}

/**
 * Throws UserError for a password shorter than the parameter `auth_password_policy.minlength` asks for;
 * characters count, not bytes.
 */
async function assertLong(env: Environment, passwords: readonly unknown[]): Promise<void> {
  const least = Number((await parameter(env, 'auth_password_policy.minlength')) ?? 0)
  const short = passwords.find(
    (password) => typeof password === 'string' && password !== '' && [...password].length < least,
  )
  if (passwords.some((password) => typeof password === 'string' && password.length > LONGEST_PASSWORD))
    throw new UserError(`Password too long: at most ${LONGEST_PASSWORD} characters.`)
  if (typeof short === 'string')
    throw new UserError(`Passwords must have at least ${least} characters, got ${[...short].length}.`)
}

/** Throws UserError for a common password, unless the parameter `auth_password_policy.allow_common` is on. */
async function assertHard(env: Environment, passwords: readonly unknown[]): Promise<void> {
  if (isOn(await parameter(env, 'auth_password_policy.allow_common'))) return
  for (const password of passwords) if (typeof password === 'string') await assertUncommon(password)
}

async function hashOf(password: unknown): Promise<string | null> {
  if (password === null || password === false || password === '') return null
  if (typeof password !== 'string') throw new InvalidValue('The password must be a text.')
  return hashPassword(password)
}

/** Whether `password` opens the user's login. An empty one never does. */
export async function isPassword(env: Environment, user: number, password: unknown): Promise<boolean> {
  if (typeof password !== 'string' || password === '') return false
  const rows = await env.rows(sql`SELECT password FROM res_users WHERE id = ${user}::int AND active`, {
    reads: ['res.users'],
    row: ['text?'],
  })
  const stored = rows[0]?.[0]
  return typeof stored === 'string' && verifyPassword(stored, password)
}

/**
 * Replaces one's own password. Throws AccessDenied for a wrong old one, UserError for a blank new one
 * (spec/wire.md section 8).
 */
export async function changeOwnPassword(env: Environment, before: unknown, after: unknown): Promise<void> {
  await assertPassword(env, before)
  if (typeof after !== 'string' && after !== null && after !== false)
    throw new InvalidValue('The password must be a text.')
  const password = typeof after === 'string' ? after.trim() : ''
  if (!password) throw new UserError('A password cannot be empty.')
  await storePasswords(env, new Map([[env.uid, password]]))
}

/** Throws AccessDenied unless the password is the caller's. */
async function assertPassword(env: Environment, password: unknown): Promise<void> {
  const { guard } = env.unit.services
  await guard?.assertNoCooldown(env, 'password')
  if (!(await isPassword(env, env.uid, password))) {
    await guard?.failed(env)
    throw new AccessDenied()
  }
  await guard?.succeeded(env)
}
