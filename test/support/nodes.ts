// Several servers over one PostgreSQL, as on several machines: each with its own pools and its own memory.
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules, type Server, type ServerOptions } from '../../src/main.ts'
import type { Module } from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from './databases.ts'

/** An answer as it came. */
export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

export interface Nodes extends TestDatabase {
  readonly servers: readonly Server[]
  /** A key of the administrator. */
  readonly key: string
  /** The address of PostgreSQL, over another port if one is given. */
  address(port?: number): string
  /** A call over JSON-2 to a node. */
  call(path: string, body: unknown, headers?: Record<string, string>, node?: number): Promise<Heard>
  post(path: string, body: unknown, headers?: Record<string, string>, node?: number): Promise<Heard>
}

/** Further servers over the PostgreSQL of a database, `count` with the one that is there. */
export async function openOthers(
  fixture: TestDatabase,
  moduleSet: readonly Module[],
  count: number,
  options: Omit<Options, 'count' | 'known'> = {},
): Promise<{ readonly servers: readonly Server[]; close(): Promise<void> }> {
  const others: Databases[] = []
  const servers: Server[] = []
  for (let n = 1; n < count; n++) {
    const databases = await Databases.open({
      dataDir: fixture.databases.options.dataDir,
      databaseUrl: addressOf(fixture),
      modules: moduleSet,
    })
    others.push(databases)
    servers.push(await createServer({ databases, ...options }))
  }
  return {
    servers,
    async close() {
      for (const server of servers) await server.close()
      for (const databases of others) await databases.close()
    },
  }
}

function addressOf({ databases }: TestDatabase, other?: number): string {
  const { host, port, user, password } = databases.address
  return `postgres://${user}:${password}@${host}:${other ?? port}/postgres`
}

interface Options
  extends Pick<ServerOptions, 'extensions' | 'rateLimit' | 'metrics' | 'webhookAllow' | 'webhookHttp'> {
  readonly count?: number
  readonly known?: readonly Module[]
}

/** Opens the database `test` on `count` servers. */
export async function openNodes({
  count = 1,
  known: moduleSet = modules,
  ...options
}: Options = {}): Promise<Nodes> {
  const fixture = await openTestDatabase(moduleSet)
  const first = await createServer({ databases: fixture.databases, ...options })
  const others = await openOthers(fixture, moduleSet, count, options)
  const servers = [first, ...others.servers]
  const key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'nodes', days: 1 })
  const post: Nodes['post'] = async (path, body, headers = {}, node = 0) => {
    const response = await fetch(`${servers[node]?.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `bearer ${key}`,
        'x-service-database': 'test',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    }
  }
  return {
    ...fixture,
    servers,
    key,
    address: (port) => addressOf(fixture, port),
    post,
    call: (path, body, headers, node) => post(`/json/2/${path}`, body, headers, node),
    async close() {
      await first.close()
      await others.close()
      await fixture.close()
    },
  }
}
