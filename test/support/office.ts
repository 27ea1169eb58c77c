// A database with some modules and a server, for tests: users with given groups besides the
// administrator, and calls in their names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from '../../src/main.ts'
import { Connection } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from './databases.ts'
import { openOthers } from './nodes.ts'
import { modulesWith } from './sets.ts'

async function asSuperuser({ databases }: TestDatabase, statements: readonly string[]): Promise<void> {
  const { user, password } = JSON.parse(
    readFileSync(join(databases.options.dataDir, 'postgres.json'), 'utf8'),
  ) as { user: string; password: string }
  const connection = await Connection.connect({ ...databases.address, user, password, database: 'test' })
  try {
    await connection.simple(
      ['BEGIN', 'SET LOCAL session_replication_role = replica', ...statements, 'COMMIT'].join('; '),
    )
  } finally {
    await connection.close()
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Which of several servers is called, with which headers, and what cuts the call off. */
export interface To {
  readonly node?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Office<Person extends string> {
  readonly run: TestDatabase['run']
  /** Where PostgreSQL is, for SQL without the engine; the database is `test`. */
  readonly address: TestDatabase['databases']['address']
  /**
   * Runs statements in one transaction as the superuser of PostgreSQL, without any trigger: what an intruder
   * on the machine could do.
   */
  tamper(...statements: readonly string[]): Promise<void>
  /** A call over JSON-2, `model/method`, or of another path, `/x/1/batch`. */
  call(person: Person | 'admin', path: string, body: object, to?: To): Promise<Answer>
  /** A page or a file, by its path. */
  get(person: Person | 'admin', path: string): Promise<Response>
  close(): Promise<void>
}

/**
 * Opens a database with at least the modules named; `people` are internal users, by login, with the groups
 * they have besides; those of the portal are not internal. `nodes` servers are over the database, `pooled` by
 * a pooler that lends connections to transactions.
 */
export async function openOffice<Person extends string>(
  wanted: readonly string[],
  people: Readonly<Record<Person, readonly string[]>>,
  { nodes = 1, pooled = false }: { readonly nodes?: number; readonly pooled?: boolean } = {},
): Promise<Office<Person>> {
  const moduleSet = modulesWith(...wanted)
  const database = await openTestDatabase(moduleSet, { pooled })
  const server = await createServer({ databases: database.databases })
  const others = await openOthers(database, moduleSet, nodes)
  const urls = [server, ...others.servers].map(({ url }) => url)
  await database.run(async (env) => {
    for (const [login, groups] of Object.entries<readonly string[]>(people)) {
      const ids = await Promise.all(
        (groups.includes('base.group_portal') ? groups : ['base.group_user', ...groups]).map((group) =>
          env.ref(group),
        ),
      )
      await env.model('res.users').create([{ name: login, login, group_ids: [[6, 0, ids]] } as object])
    }
  })
  const keys = new Map<string, string>()
  for (const login of ['admin', ...Object.keys(people)])
    keys.set(
      login,
      await createKey(database.databases, 'test', login, { scope: null, name: 'test', days: 1 }),
    )
  return {
    run: database.run,
    address: database.databases.address,
    tamper: (...statements) => asSuperuser(database, statements),
    async call(person, path, body, { node = 0, headers = {}, signal } = {}) {
      const authorization = `bearer ${keys.get(person)}`
      const response = await fetch(new URL(path, `${urls[node]}/json/2/`), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: response.status === 304 ? null : await response.json(),
      }
    },
    get: (person, path) =>
      fetch(`${server.url}${path}`, {
        headers: { authorization: `bearer ${keys.get(person)}` },
        redirect: 'manual',
      }),
    async close() {
      await server.close()
      await others.close()
      await database.close()
    },
  }
}
