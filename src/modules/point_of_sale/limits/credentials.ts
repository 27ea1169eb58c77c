// PINs and badges that managers approve with at a till: they choose the PIN, the server makes the badge. Both
// are kept as hashes in a table that no field shows.
import { recordAudit } from '#engine'
import type { Environment, Records } from '#models'
import { UserError } from '../../../errors.ts'
import { dummyVerify, hashKey, hashPassword, newKey, verifyPassword } from '../../../kit/secrets.ts'
import { flawOf } from '../../../kit/text.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowed, assertMayActFor } from '../../base/index.ts'

/** Makes the table of PINs and badges. */
export async function makeApprovers(env: Environment): Promise<void> {
  await env.execute(
    sql`CREATE TABLE IF NOT EXISTS pos_approver (
      user_id integer PRIMARY KEY REFERENCES res_users ON DELETE CASCADE, pin text, badge bytea UNIQUE)`,
  )
}

const PIN = /^\d{6,12}$/

type Users = Records<'res.users'>

/** The id of a user. Throws AccessError for others than the caller, unless the caller may set their login. */
async function assertMaySet(users: Users): Promise<number> {
  const id = users.ensureOne()
  if (id === users.env.uid) return id
  await assertAllowed(users, 'write')
  await assertMayActFor(users.env, [id])
  return id
}

async function store(
  env: Environment,
  user: number,
  column: 'pin' | 'badge',
  value: string | Buffer | null,
): Promise<void> {
  await env.execute(
    column === 'pin'
      ? sql`INSERT INTO pos_approver (user_id, pin) VALUES (${user}::int, ${value}::text)
        ON CONFLICT (user_id) DO UPDATE SET pin = EXCLUDED.pin`
      : sql`INSERT INTO pos_approver (user_id, badge) VALUES (${user}::int, ${value}::bytea)
        ON CONFLICT (user_id) DO UPDATE SET badge = EXCLUDED.badge`,
    { reads: [] },
  )
  recordAudit(env, {
    event: `pos.${column}`,
    model: 'res.users',
    record: user,
    detail: { own: user === env.uid, ...(value === null ? { removed: true } : {}) },
  })
}

/** Sets a PIN, or takes it away. Throws UserError for one that is easy to guess, AccessError. */
export async function setPin(users: Users, pin: unknown): Promise<true> {
  const id = await assertMaySet(users)
  const isRemoved = pin === false || pin === null || pin === ''
  if (!isRemoved && (typeof pin !== 'string' || !PIN.test(pin) || /^(\d)\1*$/.test(pin)))
    throw new UserError(
      'A PIN must have six to twelve digits, at least two of them different: choose another PIN.',
    )
  await store(users.env, id, 'pin', isRemoved ? null : await hashPassword(String(pin)))
  return true
}

/** Makes a badge in place of an earlier one. Its code is returned this once. Throws AccessError. */
export async function makeBadge(users: Users): Promise<string> {
  const id = await assertMaySet(users)
  const code = newKey()
  await store(users.env, id, 'badge', hashKey(code))
  return code
}

/** Removes a badge, for example a lost one. Throws AccessError. */
export async function removeBadge(users: Users): Promise<true> {
  const id = await assertMaySet(users)
  await store(users.env, id, 'badge', null)
  return true
}

/** The owner of a badge, or of a login with its PIN, else null. Wrong PINs take as long as right ones. */
export async function approverBy(
  env: Environment,
  { login, pin, badge }: { readonly login: unknown; readonly pin: unknown; readonly badge: unknown },
): Promise<number | null> {
  if (typeof badge === 'string' && badge !== '') {
    const [row] = await env.rows(
      sql`SELECT a.user_id FROM pos_approver a JOIN res_users u ON u.id = a.user_id AND u.active
      WHERE a.badge = ${hashKey(badge)}::bytea`,
      { reads: ['res.users'], row: ['int'] },
    )
    return row?.[0] ?? null
  }
  if (typeof login !== 'string' || flawOf(login) || typeof pin !== 'string' || !PIN.test(pin)) return null
  const [row] = await env.rows(
    sql`SELECT a.user_id, a.pin FROM pos_approver a JOIN res_users u ON u.id = a.user_id AND u.active
    WHERE u.login = ${login}`,
    { reads: ['res.users'], row: ['int', 'text?'] },
  )
  if (!row?.[1]) return (await dummyVerify(pin)) || null
  return (await verifyPassword(row[1], pin)) ? row[0] : null
}
