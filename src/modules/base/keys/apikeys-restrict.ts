// Narrowing API keys: what they open (their scope), where they work and how fast (their policy). Wider again
// they are made by administrators only.

import { isWithin, parseScope, recordAudit } from '#engine'
import type { Environment } from '#models'
import { AccessError, InvalidValue, MissingError } from '../../../errors.ts'
import { covers, rangesIn } from '../../../kit/addresses.ts'
import { idList, join, raw, sql } from '../../../sql/index.ts'
import { assertProven } from '../users/step-up.ts'
import { areTighter, type Limits, parseLimits, type RequestedLimits } from './apikeys-limits.ts'

/** Requested restrictions of keys; undefined: unchanged. */
interface Restriction extends RequestedLimits {
  readonly scope?: unknown
  readonly addresses?: unknown
}

/** Ranges of a policy. */
const MOST_RANGES = 100
/** Characters of a list of ranges: nothing longer is even looked at. */
const LONGEST = 10_000

/** A scope that means something. Throws InvalidValue. */
export function checkedScope(value: unknown): string | null {
  if (value === null || value === false) return null
  if (typeof value !== 'string' || !parseScope(value)) {
    throw new InvalidValue(
      'Invalid scope: `rpc`, then tokens separated by single spaces: read, dry, model:NAME:rwcd, method:MODEL/METHOD, company:ID, batch and other abilities.',
    )
  }
  return value
}

/** Ranges of addresses as they are kept. Throws InvalidValue for one that cannot be read. */
export function parseAddresses(value: unknown): string {
  if (value === null || value === false) return ''
  if (typeof value !== 'string')
    throw new InvalidValue('addresses must be a text: ranges such as 10.0.0.0/8 with blanks between')
  if (value.length > LONGEST)
    throw new InvalidValue(`The addresses of an API key are too long: at most ${LONGEST} characters.`)
  const { ranges, wrong } = rangesIn(value)
  if (wrong !== null)
    throw new InvalidValue(
      `${JSON.stringify(wrong.slice(0, 60))} is not a valid address range: use a form such as 10.0.0.0/8.`,
    )
  if (ranges.length > MOST_RANGES)
    throw new InvalidValue(`Too many address ranges: an API key may have at most ${MOST_RANGES}.`)
  return ranges.join(' ')
}

/** A key's policy as it is kept. */
interface Policy extends Limits {
  readonly addresses: string | null
}

/** The columns of a policy, of which a statement sets those that are asked for. */
const nothing: Policy = {
  addresses: null,
  rate: null,
  burst: null,
  concurrency: null,
  idempotency_required: false,
  replica: false,
  budget: null,
}

interface Known {
  readonly id: number
  readonly user: number
  readonly name: string
  readonly scope: string | null
  readonly policy: Policy | null
}

/**
 * Throws MissingError for an unknown key, AccessError for one of somebody else and for what would open more
 * than before.
 */
export async function restrictKeys(
  env: Environment,
  ids: readonly number[],
  wanted: Restriction,
): Promise<void> {
  const isAdministrator = env.su || env.hasGroup('base.group_system')
  // A narrow key that widened itself would be none.
  const mayWiden = isAdministrator && !env.unit.rights.narrow
  const rows = await env.rows(
    sql`SELECT json_build_object('id', k.id, 'user', k.user_id, 'name', k.name, 'scope', k.scope, 'policy', to_json(p))::text
    FROM res_users_apikeys k LEFT JOIN comptoir_key_policy p ON p.key_id = k.id WHERE k.id = ANY(${idList(ids)}) ORDER BY k.id FOR UPDATE OF k`,
    { reads: ['res.users.apikeys', 'comptoir.key.policy'], row: ['text'] },
  )
  if (rows.length < new Set(ids).size) throw new MissingError('API key not found.')
  const scope = wanted.scope === undefined ? undefined : checkedScope(wanted.scope)
  const to: Partial<Policy> = {
    ...(wanted.addresses === undefined ? {} : { addresses: parseAddresses(wanted.addresses) || null }),
    ...parseLimits(wanted),
  }
  const keys = rows.map((row) => JSON.parse(row[0]) as Known)
  for (const { id, user, name, scope: had, policy } of keys) {
    if (user !== env.uid && !isAdministrator)
      throw new AccessError('You cannot narrow API keys of other users.')
    const [next, before] = [scope === undefined ? had : scope, { ...nothing, ...policy }]
    const after = { ...before, ...to }
    const isNarrower =
      isWithin(next, had) && areWithin(after.addresses, before.addresses) && areTighter(after, before)
    if (!mayWiden && !isNarrower)
      throw new AccessError('Only administrators can widen API keys, and not with a scoped key.')
    const changes = Object.keys(to) as (keyof Policy)[]
    const detail = {
      user,
      scope: [had, next],
      ...Object.fromEntries(changes.map((change) => [change, [before[change], after[change]]])),
    }
    recordAudit(env, { event: 'key.restrict', model: 'res.users.apikeys', record: id, name, detail })
  }
  if (keys.some(({ user }) => user !== env.uid)) await assertProven(env)
  await keepPolicy(env, ids, scope, to)
}

/** Every key is touched: by that all processes know that it is another. */
async function keepPolicy(
  env: Environment,
  ids: readonly number[],
  scope: string | null | undefined,
  to: Partial<Policy>,
) {
  await env.execute(
    sql`UPDATE res_users_apikeys SET scope = CASE WHEN ${scope !== undefined}::boolean THEN ${scope ?? null}::text ELSE scope END
    WHERE id = ANY(${idList(ids)})`,
    { reads: ['res.users.apikeys'] },
  )
  const names = Object.keys(to) as (keyof Policy)[]
  if (names.length > 0) {
    const values = { ...nothing, ...to }
    const columns = names.map((name) => sql`${raw(name)} = excluded.${raw(name)}`)
    await env.execute(
      sql`INSERT INTO comptoir_key_policy AS p (key_id, user_id, addresses, rate, burst, concurrency, idempotency_required, replica, budget)
      SELECT id, user_id, ${values.addresses}::text, ${values.rate}::text, ${values.burst}::int, ${values.concurrency}::int, ${values.idempotency_required}::boolean, ${values.replica}::boolean, ${values.budget}::int
      FROM res_users_apikeys WHERE id = ANY(${idList(ids)}) ORDER BY id
      ON CONFLICT (key_id) DO UPDATE SET ${join(columns, ', ')}`,
      { reads: ['res.users.apikeys'] },
    )
  }
  env.unit.cache.clear()
}

function areWithin(after: string | null, before: string | null): boolean {
  const [narrow, wide] = [rangesIn(after ?? '').ranges, rangesIn(before ?? '').ranges]
  return wide.length === 0 || (narrow.length > 0 && narrow.every((key) => covers(wide, key)))
}
