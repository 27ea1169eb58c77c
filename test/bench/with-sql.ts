// A database with a server, a caller and a connection for bare SQL, for comparisons of the two.
import pg from 'pg'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { middle } from './timed.ts'

export interface Beside {
  readonly database: TestDatabase
  readonly client: pg.Client
  /** A call of the administrator, `model/method`, that must succeed. */
  call<T = number[]>(path: string, body: object): Promise<T>
  close(): Promise<void>
}

/** Opens a database with the modules named, all of them by default. */
export async function openBeside(wanted?: readonly string[]): Promise<Beside> {
  const database = await openTestDatabase(modules.filter(({ name }) => !wanted || wanted.includes(name)))
  const server = await createServer({ databases: database.databases })
  const key = await createKey(database.databases, 'test', 'admin', { scope: null, name: 'bench', days: 1 })
  const client = new pg.Client({ ...database.databases.address, database: 'test' } as pg.ClientConfig)
  await client.connect()
  return {
    database,
    client,
    async call<T>(path: string, body: object) {
      const response = await fetch(`${server.url}/json/2/${path}`, {
        method: 'POST',
        headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    },
    async close() {
      await client.end()
      await server.close()
      await database.close()
    },
  }
}

/** Both sides in the middle, for people. */
export const besides = (what: string, ours: readonly number[], bare: readonly number[]): string =>
  `${what}: ${middle(ours).toFixed(1)} ms, bare SQL ${middle(bare).toFixed(1)} ms: ${(middle(ours) / middle(bare)).toFixed(1)} times`
