// Who uses which API key: counted in memory, written to `comptoir.key.use` once a minute at most, off the
// requests' path.
import { NotFound } from '../errors.ts'
import { apart } from '../kit/watch/index.ts'
import type { Pool } from '../postgres/index.ts'
import { sqlState } from '../postgres/index.ts'
import { type Sql, sql } from '../sql/index.ts'
import { askPool } from './ask.ts'

/** One key's uses that are waiting to be written. */
interface Use {
  readonly hash: Buffer
  uses: number
  last: number
  address: string
  agent: string
}

const WRITE_MS = 60_000
/** What clients call themselves is kept up to this length. */
const LENGTH = 200

export class KeyUses {
  readonly #pool: Pool
  readonly #waiting = new Map<string, Use>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Counts a use of the key that is known by `name`. */
  note(name: string, hash: Buffer, address: string, agent: string | undefined): void {
    const use = this.#waiting.get(name)
    const last = this.#pool.now().getTime()
    if (use) {
      use.uses++
      use.last = last
      use.address = address
      use.agent = agent ?? ''
      return
    }
    this.#waiting.set(name, { hash, uses: 1, last, address, agent: agent ?? '' })
    this.#timer ??= this.#soon()
  }

  /**
   * Writes what was counted since the last time. What cannot be written now waits for the next time; never
   * throws.
   */
  write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(async () => {
      if (this.#waiting.size === 0) return
      const uses = [...this.#waiting]
      this.#waiting.clear()
      try {
        await askPool(this.#pool)(usesQuery(uses.map(([, use]) => use)).compile())
      } catch (error) {
        // Without the database, or its table while modules are not upgraded, there is nowhere to write.
        if (error instanceof NotFound || sqlState(error) === '42P01') return
        for (const [name, use] of uses) this.#again(name, use)
      }
    })
    return this.#writing
  }

  #soon(): NodeJS.Timeout {
    return apart(() => setTimeout(() => void this.write(), WRITE_MS).unref())
  }

  #again(name: string, use: Use): void {
    const later = this.#waiting.get(name)
    if (later) later.uses += use.uses
    else this.#waiting.set(name, use)
    this.#timer ??= this.#soon()
  }
}

/** Keys that were revoked meanwhile are left out. */
function usesQuery(uses: readonly Use[]): Sql {
  const rows = uses.map(({ hash, last, agent, ...use }) => ({
    ...use,
    hash: hash.toString('hex'),
    agent: agent.slice(0, LENGTH).replaceAll('\0', '').toWellFormed(),
    last: new Date(last).toISOString().slice(0, 19),
  }))
  return sql`INSERT INTO comptoir_key_use AS u (key_id, user_id, last_used, last_address, last_user_agent, uses)
    SELECT k.id, k.user_id, x.last, x.address, x.agent, x.uses
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(hash text, last timestamp, address text, agent text, uses int)
    JOIN res_users_apikeys k ON k.key_hash = decode(x.hash, 'hex') ORDER BY k.id
    ON CONFLICT (key_id) DO UPDATE SET uses = LEAST(COALESCE(u.uses, 0)::bigint + excluded.uses, 2147483647)::int,
      (last_used, last_address, last_user_agent) = (SELECT s.* FROM (VALUES (excluded.last_used, excluded.last_address, excluded.last_user_agent),
        (u.last_used, u.last_address, u.last_user_agent)) s ORDER BY 1 DESC NULLS LAST LIMIT 1)`
}
