// Policy of an API key, in addition to its scope: where it works, how fast it may go, whether writes need a
// key.
import { rangesIn, within } from '../../kit/addresses.ts'
import { type Rate, rateIn } from '../../kit/rate.ts'
import { sql } from '../../sql/index.ts'
import type { Ask } from '../ask.ts'

/** Read together with the key; a change of the policy must also touch the key. */
export interface KeyPolicy {
  /** Whether the key works from an address; null: from everywhere. */
  readonly worksFrom: ((address: string) => boolean) | null
  readonly limits: CallLimits | null
  /** Whether calls that change something need an Idempotency-Key. */
  readonly wantsKeys: boolean
  /** Whether what it only reads may be read from a replica. */
  readonly replica: boolean
  /** Kilobytes of an answer to an agent; null: as usual. */
  readonly budget: number | null
}

/** Limits of one caller; null: unlimited. */
export interface CallLimits {
  readonly rate: Rate | null
  /** Calls within one second. */
  readonly burst: number | null
  /** Calls that run at a time. */
  readonly concurrency: number | null
}

const open: KeyPolicy = Object.freeze({
  worksFrom: null,
  limits: null,
  wantsKeys: false,
  replica: false,
  budget: null,
})
const thereQuery = sql`SELECT to_regclass('comptoir_key_policy') IS NOT NULL`.compile()

/** The policy of a key. */
export async function policyOf(ask: Ask, key: number): Promise<KeyPolicy> {
  // Databases whose modules are not upgraded yet have no such table, or one with fewer columns.
  const [policyColumns] = await ask(thereQuery)
  if (policyColumns?.[0] !== true) return open
  const [row] = await ask(
    sql`SELECT to_jsonb(p)::text FROM comptoir_key_policy p WHERE key_id = ${key}::int`.compile(),
  )
  return row ? readPolicy(JSON.parse(row[0] as string) as Record<string, unknown>) : open
}

function readPolicy(row: Readonly<Record<string, unknown>>): KeyPolicy {
  const { ranges } = rangesIn(textOf(row.addresses))
  const limits = {
    rate: rateIn(textOf(row.rate)),
    burst: Number(row.burst) || null,
    concurrency: Number(row.concurrency) || null,
  }
  return Object.freeze({
    worksFrom: ranges.length === 0 ? null : within(ranges),
    limits: Object.values(limits).some((limit) => limit !== null) ? Object.freeze(limits) : null,
    wantsKeys: row.idempotency_required === true,
    replica: row.replica === true,
    budget: Number(row.budget) || null,
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
