// Connections through a pooler in transaction mode, where nothing of a session stays. Each transaction sets
// its settings, and no statement is prepared under a name, as the next transaction may use another
// connection.
import { localSettings, type SessionSettings, transactionSetting } from './session.ts'

interface Query {
  readonly text: string
  readonly values: readonly unknown[]
  readonly each?: boolean | undefined
}

export class TransactionPooling {
  readonly #select: Query
  readonly #locals: readonly Query[]
  /** Whether a transaction is open once all that left is answered. */
  #open = false

  /** `mustLead`: each transaction checks that the server is still a primary one. */
  constructor(settings: SessionSettings, mustLead: boolean) {
    this.#select = { text: transactionSetting(settings, mustLead), values: [] }
    this.#locals = localSettings(settings).map((text) => ({ text, values: [] }))
  }

  /** A script that is sent unchanged may open a transaction, or end it. */
  note(script: string): void {
    if (/^BEGIN\b/i.test(script)) this.#open = true
    else if (/^(COMMIT|ROLLBACK)\s*;?\s*$/i.test(script)) this.#open = false
  }

  /**
   * The batch with its settings, and the number of added statements: before its first statement, or after a
   * BEGIN, at the place `at`.
   */
  dress(
    queries: readonly Query[],
    patient: boolean,
  ): { readonly queries: readonly Query[]; readonly at: number; readonly added: number } {
    const begins = isBegin(queries[0])
    const at = begins ? 1 : 0
    const fresh = !this.#open
    for (const query of queries) {
      if (isBegin(query)) this.#open = true
      else if (isEnd(query)) this.#open = false
    }
    if (!fresh || isEnd(queries[0])) return { queries, at: 0, added: 0 }
    // A patient transaction may first lock, and must see rows committed until it has the lock, so no query
    // may take its snapshot earlier.
    const settings = begins && patient ? this.#locals : [this.#select]
    return {
      queries: [...queries.slice(0, at), ...settings, ...queries.slice(at)],
      at,
      added: settings.length,
    }
  }
}

const isBegin = (query: Query | undefined): boolean => /^BEGIN\b/i.test(query?.text ?? '')
const isEnd = (query: Query | undefined): boolean => /^(COMMIT|ROLLBACK)\s*$/i.test(query?.text ?? '')
