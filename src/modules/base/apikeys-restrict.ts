// Narrowing API keys: what they open (their scope) and where they work (their policy). Wider again they are
// made by administrators only.

import { isWithin, parseScope, recordAudit } from '#engine'
import type { Environment } from '#models'
import { AccessError, InvalidValue, MissingError } from '../../errors.ts'
import { covers, rangesIn } from '../../kit/addresses.ts'
import { idList, sql } from '../../sql/index.ts'

/** What keys are to be; undefined: as before. */
interface Restriction {
  readonly scope?: unknown
  readonly addresses?: unknown
}

/** Ranges of a policy. */
const MOST_RANGES = 100

/** A scope that means something. Throws InvalidValue. */
export function knownScope(value: unknown): string | null {
  if (value === null || value === false) return null
  if (typeof value !== 'string' || !parseScope(value)) {
    throw new InvalidValue(
      'A scope is rpc, and after it with one blank each: read, dry, model:NAME:rwcd, method:MODEL/METHOD, company:ID, batch and other abilities.',
    )
  }
  return value
}

/** Ranges of addresses as they are kept. Throws InvalidValue for one that cannot be read. */
export function knownAddresses(value: unknown): string {
  if (value === null || value === false) return ''
  if (typeof value !== 'string')
    throw new InvalidValue('addresses must be a text: ranges such as 10.0.0.0/8 with blanks between')
  const { ranges, wrong } = rangesIn(value)
  if (wrong !== null)
    throw new InvalidValue(
      `${JSON.stringify(wrong.slice(0, 60))} is no range of addresses such as 10.0.0.0/8.`,
    )
  if (ranges.length > MOST_RANGES)
    throw new InvalidValue(`A key has ${MOST_RANGES} ranges of addresses at most.`)
  return ranges.join(' ')
}

type Row = readonly [id: number, user: number, name: string, scope: string | null, addresses: string | null]

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
  const rows =
    (await env.query(sql`SELECT k.id, k.user_id, k.name, k.scope, p.addresses FROM res_users_apikeys k
    LEFT JOIN comptoir_key_policy p ON p.key_id = k.id WHERE k.id = ANY(${idList(ids)}) ORDER BY k.id FOR UPDATE OF k`)) as unknown as Row[]
  if (rows.length < new Set(ids).size) throw new MissingError('There is no such API key.')
  const scope = wanted.scope === undefined ? undefined : knownScope(wanted.scope)
  const addresses = wanted.addresses === undefined ? undefined : knownAddresses(wanted.addresses)
  for (const [id, user, name, before, from] of rows) {
    if (user !== env.uid && !isAdministrator)
      throw new AccessError('You can not narrow API keys of other users.')
    const [next, ranges] = [scope === undefined ? before : scope, addresses ?? from ?? '']
    if (!mayWiden && !(isWithin(next, before) && areWithin(ranges, from ?? ''))) {
      throw new AccessError('API keys are made wider by administrators only, and not by a narrow key.')
    }
    const detail = { user, scope: [before, next], addresses: [from ?? '', ranges] }
    recordAudit(env, { event: 'key.restrict', model: 'res.users.apikeys', record: id, name, detail })
  }
  await keepPolicy(env, ids, { scope, addresses })
}

/** Every key is touched: by that all processes know that it is another. */
async function keepPolicy(
  env: Environment,
  ids: readonly number[],
  to: { scope: string | null | undefined; addresses: string | undefined },
) {
  await env.query(sql`UPDATE res_users_apikeys SET scope = CASE WHEN ${to.scope !== undefined}::boolean THEN ${to.scope ?? null}::text ELSE scope END
    WHERE id = ANY(${idList(ids)})`)
  if (to.addresses !== undefined) {
    await env.query(sql`INSERT INTO comptoir_key_policy AS p (key_id, user_id, addresses)
      SELECT id, user_id, ${to.addresses || null}::text FROM res_users_apikeys WHERE id = ANY(${idList(ids)}) ORDER BY id
      ON CONFLICT (key_id) DO UPDATE SET addresses = excluded.addresses`)
  }
  env.unit.cache.clear()
}

function areWithin(after: string, before: string): boolean {
  const [narrow, wide] = [rangesIn(after).ranges, rangesIn(before).ranges]
  return wide.length === 0 || (narrow.length > 0 && narrow.every((one) => covers(wide, one)))
}
