// Statements that this process sends to PostgreSQL, over all its connections, and how often it waits for an
// answer.
import { Connection, type Query } from '../../src/postgres/index.ts'

/**
 * Statements of this process's connections, and the number of times one was sent while none was in
 * flight.
 */
export interface Recorder {
  readonly statements: readonly Query[]
  trips(): number
  forget(): void
  stop(): void
}

/**
 * Statements that run on a schedule or because of other processes, during any call: probes of the
 * connection for announcements, the list of databases, and estimates of table sizes.
 */
const isByTheClock = ({ text, values }: Query) =>
  (text.includes('pg_notify') && String(values[1]).endsWith(' echo .')) ||
  text.startsWith('SELECT datname::text FROM pg_database') ||
  text.startsWith('SELECT relpages')

/** Looks over the shoulder of every connection of this process, until it is stopped. */
export function recordStatements(): Recorder {
  const statements: Query[] = []
  const flying = new Map<Connection, number>()
  let trips = 0
  const { query, flush } = Connection.prototype
  const note = (connection: Connection, { text, values, each }: Query, answer: Promise<unknown>) => {
    if (isByTheClock({ text, values })) return
    statements.push({ text, values: [...values], ...(each ? { each } : {}) })
    const before = flying.get(connection) ?? 0
    if (before === 0) trips++
    flying.set(connection, before + 1)
    const landed = () => void flying.set(connection, (flying.get(connection) ?? 1) - 1)
    answer.then(landed, landed)
  }
  Connection.prototype.query = function (text, values = []) {
    const answer = query.call(this, text, values)
    note(this, { text, values }, answer)
    return answer
  }
  Connection.prototype.flush = function (queries) {
    const answers = flush.call(this, queries)
    for (const [i, query] of queries.entries()) note(this, query, answers[i] as Promise<unknown>)
    return answers
  }
  return {
    statements,
    trips: () => trips,
    forget() {
      statements.length = 0
      trips = 0
    },
    stop() {
      Connection.prototype.query = query
      Connection.prototype.flush = flush
    },
  }
}

/** The result of some work, and the statements sent meanwhile over all connections. */
export interface Measured<T> {
  readonly response: T
  readonly trips: number
  readonly statements: number
  readonly texts: string[]
}

/** Runs `work`, and counts. */
export async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const recorder = recordStatements()
  try {
    const response = await work()
    const texts = recorder.statements.map(({ text }) => text)
    return { response, trips: recorder.trips(), statements: texts.length, texts }
  } finally {
    recorder.stop()
  }
}

/** Runs `work` and gives the texts of what was sent meanwhile, over all connections. */
export const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> =>
  (await measured(work)).texts
