// Verification of credentials for one database: the queue of attempts, their statements, and their entries in
// the audit log.
import { Gate } from '../kit/gate.ts'
import { patience } from '../kit/patience.ts'
import type { AuditRow } from '../models/language/outside.ts'
import { auditInsert } from '../models/rights/audit.ts'
import type { Pool } from '../postgres/index.ts'
import type { Sql } from '../sql/index.ts'
import { type Ask, askPoolWhileHolding } from './ask.ts'

/**
 * Entries about one address, or one user at it, that a process writes in a second; the others are one entry,
 * once the second is over.
 */
const ENTRIES = 10
const SECOND = 1000

interface Recently {
  written: number
  /** Entries that were not written, and the last of them. */
  more: number
  last: AuditRow | null
}

/**
 * Attempts of one address that a process judges at a time: that is as fast as the hash, and leaves room for
 * others.
 */
const AT_ONCE = 4

export class AttemptQueue {
  readonly ask: Ask
  readonly turns: Gate
  /** Receives every row that is written to the audit log. */
  tell: ((row: AuditRow) => void) | null = null
  readonly #recently = new Map<string, Recently>()

  constructor(ask: Ask) {
    this.ask = ask
    this.turns = new Gate({
      places: Number.POSITIVE_INFINITY,
      share: AT_ONCE,
      queue: 200,
      patienceMs: 5000 * patience.factor,
      refusal: 'Too many logins from this address are waiting to be checked. Try again in a moment.',
    })
  }

  static of(pool: Pool): AttemptQueue {
    return new AttemptQueue(askPoolWhileHolding(pool))
  }

  run(statement: Sql): ReturnType<Ask> {
    return this.ask(statement.compile())
  }

  /** Writes an entry about an attempt down, unless very many of its kind were written just now. */
  async write(row: AuditRow): Promise<void> {
    const key = `${row.event} ${row.address} ${row.uid ?? ''}`
    const recently = this.#recently.get(key) ?? this.#begin(key)
    if (recently.written < ENTRIES) {
      recently.written++
      await this.#write(row)
    } else {
      recently.more++
      recently.last = row
    }
  }

  #begin(key: string): Recently {
    const recently: Recently = { written: 0, more: 0, last: null }
    this.#recently.set(key, recently)
    setTimeout(() => {
      this.#recently.delete(key)
      const { last, more } = recently
      // Not awaited: if the database goes away, only the end of a flood is lost.
      if (last) this.#write({ ...last, detail: { ...last.detail, entries: more } }).catch(() => undefined)
    }, SECOND).unref()
    return recently
  }

  async #write(row: AuditRow): Promise<void> {
    await this.run(auditInsert([row]))
    this.tell?.(row)
  }
}
