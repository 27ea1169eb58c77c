// Sends every recorded call over JSON-2 as a rehearsal first, then as it was recorded: the rehearsal leaves
// nothing in any table and has the status of the call.
// node test/conformance/rehearse.ts [--only '^sale/']
import { parseArgs } from 'node:util'
import { openBetween } from './between.ts'
import { replay } from './run.ts'
import { type ConformanceServer, installed, startConformanceServer } from './server.ts'

export interface Rehearsals {
  /** Calls that were rehearsed. */
  readonly calls: number
  /** Models and methods whose effect cannot be taken back: their rehearsal was refused. */
  readonly lasting: ReadonlySet<string>
  /** Calls whose rehearsal left something, with the tables. Must be empty. */
  readonly left: readonly string[]
  /** Calls whose rehearsal had another status. Must be empty. */
  readonly otherwise: readonly string[]
}

/** Rehearsals of a call that seems to leave something. */
const TIMES = 3

/** A wrong password is a guess, in a rehearsal too: it is counted, and written down. */
const ofGuesses = new Set(['failed_login', 'comptoir_audit'])

type Digest = (name: string) => Promise<ReadonlyMap<string, string>>

/** Rows of each table by number and by the transactions that wrote them. */
function digestOf({ databases }: ConformanceServer): Digest {
  return async (name) => {
    const { pool } = await databases.database(name)
    return pool.use(async (connection) => {
      const tables = (await connection.query(
        `SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'comptoir_key_use' ORDER BY 1`,
      )) as [string][]
      const parts = tables.map(
        ([table]) => `(SELECT count(*) || ' ' || COALESCE(sum(xmin::text::bigint), 0) FROM "${table}")`,
      )
      const [row] = await connection.query(`SELECT ARRAY[${parts.join()}]::text[]`)
      const [digests] = row as [string[]]
      return new Map(tables.map(([table], n) => [table, digests[n] as string]))
    })
  }
}

/** A stand-in for the server that has every call rehearsed before it passes it on. */
async function openRehearsing(server: ConformanceServer) {
  const digest = digestOf(server)
  const lasting = new Set<string>()
  const [left, otherwise]: [string[], string[]] = [[], []]
  let calls = 0
  const between = await openBetween(server.url, async ({ method, url, headers, send }) => {
    const name = url.match(/^\/json\/2\/([^?]+)/)?.[1]
    const database = headers['x-service-database'] ?? server.database
    let rehearsed: Response | null = null
    if (method === 'POST' && name && database === server.database) {
      calls++
      // Tables that the server writes on a schedule change only sometimes; tables that a rehearsal
      // changes do so each time.
      for (let time = 1; ; time++) {
        const before = await digest(database)
        rehearsed = await send({ prefer: 'tx=rollback' })
        await rehearsed.arrayBuffer()
        const after = await digest(database)
        const refused = !rehearsed.ok
        const changed = [...after].flatMap(([table, rows]) =>
          before.get(table) === rows || (refused && ofGuesses.has(table)) ? [] : [table],
        )
        if (changed.length && time === TIMES) left.push(`${name}: ${changed.join()}`)
        if (changed.length === 0 || time === TIMES) break
      }
    }
    const answer = await send()
    if (rehearsed?.headers.get('error-code') === 'not_in_dry_run') lasting.add(name ?? '')
    else if (rehearsed && rehearsed.status !== answer.status)
      otherwise.push(`${name}: ${rehearsed.status} and not ${answer.status}`)
    return answer
  })
  return { ...between, found: (): Rehearsals => ({ calls, lasting, left, otherwise }) }
}

/** Replays recorded conversations with every call rehearsed before. */
export async function rehearse(server: ConformanceServer, only: string): Promise<Rehearsals> {
  const between = await openRehearsing(server)
  try {
    await replay({ ...server, url: between.url }, only, { modules: installed })
    return between.found()
  } finally {
    await between.close()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '.' } } })
  const server = await startConformanceServer()
  try {
    const { calls, lasting, left, otherwise } = await rehearse(server, values.only)
    console.log(JSON.stringify({ calls, lasting: [...lasting], left, otherwise }, undefined, 2))
    process.exitCode = left.length || otherwise.length ? 1 : 0
  } finally {
    await server.close()
  }
}
