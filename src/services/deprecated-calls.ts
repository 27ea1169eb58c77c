// Counts callers of the deprecated RPC paths: in memory, and written to `rpc.deprecated.call` at most once a
// minute, outside of requests.
import type { Databases } from '../databases/index.ts'
import { NotFound } from '../errors.ts'
import { hashKey } from '../kit/secrets.ts'
import { sqlState, withRetries } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'

/** One call whose credential was right. */
export interface DeprecatedUse {
  readonly uid: number
  /** The password or API key that it came with; only a hash of it is kept. */
  readonly password: string
  readonly userAgent: string | undefined
  /** Model and method, or service and function. */
  readonly method: string
}

/** A line of the tables that are waiting to be written. */
interface Line {
  readonly uid: number
  readonly hash: string
  readonly agent: string
  readonly method: string
  readonly first: number
  last: number
  calls: number
}

const WRITE_MS = 60_000
/** Clients choose what they call themselves: what a database has no room for is counted under `(other)`. */
const WAITING = 1000
const KEPT = 10_000
const LENGTH = 200
const OTHER = '(other)'

/** Counters of calls over the deprecated paths, by database and caller. */
export class DeprecatedCalls {
  readonly #databases: Databases
  readonly #waiting = new Map<string, Map<string, Line>>()
  readonly #log: (message: string) => void
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()

  constructor(databases: Databases, log: (message: string) => void = () => undefined) {
    this.#databases = databases
    this.#log = log
    this.#timer = setInterval(() => void this.write(), WRITE_MS).unref()
  }

  /** Counts a call. */
  note(database: string, { uid, password, userAgent = '', method }: DeprecatedUse): void {
    const lines = this.#waiting.get(database) ?? new Map<string, Line>()
    this.#waiting.set(database, lines)
    const now = Date.now()
    const hash = hashKey(password).toString('hex')
    const add = (agent: string, what: string) => {
      const name = JSON.stringify([uid, hash, agent, what])
      const line = lines.get(name)
      if (line) {
        line.calls++
        line.last = now
      } else if (lines.size >= WAITING && agent !== OTHER) add(OTHER, OTHER)
      else lines.set(name, { uid, hash, agent, method: what, first: now, last: now, calls: 1 })
    }
    add(storable(userAgent), storable(method))
  }

  /**
   * Writes the counts since the last time. Counts that cannot be written are kept for the next time; never
   * throws.
   */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const all = [...this.#waiting]
      this.#waiting.clear()
      for (const [name, lines] of all) await this.#writeTo(name, lines)
    })
    return this.#writing
  }

  async #writeTo(name: string, lines: Map<string, Line>): Promise<void> {
    try {
      const database = await this.#databases.database(name)
      await withRetries(() =>
        database.system(async (env) => {
          await env.query(statement([...lines.values()]))
          await env.query(forgetting)
        }),
      )
    } catch (error) {
      // Without the database, or its table while modules are not upgraded, there is nowhere to write.
      if (error instanceof NotFound || sqlState(error) === '42P01') return
      this.#log(`Deprecated calls could not be recorded: ${String(error)}`)
      if (!this.#waiting.has(name)) this.#waiting.set(name, lines)
    }
  }

  /** Writes for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.write()
  }
}

/** PostgreSQL's texts hold no NUL. */
const storable = (text: string): string => text.slice(0, LENGTH).replaceAll('\0', '').toWellFormed()

function statement(lines: readonly Line[]) {
  const rows = lines.map(({ first, last, ...line }) => ({ ...line, first: utc(first), last: utc(last) }))
  const source = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(uid int, hash text, agent text, method text, calls int, first timestamp, last timestamp)`
  // Several passwords of one user are one line: only keys have names.
  return sql`INSERT INTO rpc_deprecated_call AS c (user_id, login, apikey_id, apikey_name, user_agent, method, calls, first_call, last_call)
    SELECT u.id, max(u.login), COALESCE(k.id, 0), max(k.name), x.agent, x.method, sum(x.calls)::int, min(x.first), max(x.last)
    FROM ${source} JOIN res_users u ON u.id = x.uid LEFT JOIN res_users_apikeys k ON k.user_id = u.id AND k.key_hash = decode(x.hash, 'hex')
    GROUP BY u.id, COALESCE(k.id, 0), x.agent, x.method
    ON CONFLICT (user_id, apikey_id, user_agent, method) DO UPDATE SET login = EXCLUDED.login, apikey_name = EXCLUDED.apikey_name,
      calls = LEAST(c.calls::bigint + EXCLUDED.calls, 2147483647)::int, last_call = GREATEST(c.last_call, EXCLUDED.last_call)`
}

/** Lines beyond those a table keeps: the ones that were called longest ago. */
const forgetting = sql`DELETE FROM rpc_deprecated_call WHERE id IN (SELECT id FROM rpc_deprecated_call ORDER BY last_call DESC, id DESC OFFSET ${KEPT})`

const utc = (time: number): string => new Date(time).toISOString().slice(0, 19)
