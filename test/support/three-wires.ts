// A server with every module and its administrator, called over JSON-2, JSON-RPC, XML-RPC and a browser
// session: for what must hold on all wires alike.
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from './databases.ts'

/** The master password of the server. */
export const MASTER = 'master of tests'

/** The outcome of a call: its result, or the name and the message of its error. */
export interface Said {
  readonly result?: unknown
  readonly error?: { readonly name: string; readonly message: string; readonly status?: number }
  /** The answer as it came. */
  readonly text: string
}

export interface Wires extends Pick<TestDatabase, 'run' | 'databases'> {
  readonly server: Server
  /** A key of the administrator. */
  readonly key: string
  /** JSON-2: `model/method` and its parameters. */
  json2(path: string, body?: unknown, key?: string): Promise<Said>
  /** A service over JSON-RPC. */
  rpc(service: string, method: string, args: unknown): Promise<Said>
  /** `execute_kw` of the administrator, keywords as they are given. */
  kw(model: string, method: string, args: unknown, ...keywords: unknown[]): Promise<Said>
  /** An envelope's `params` to a session route, with the administrator's cookie. */
  session(path: string, params: unknown): Promise<Said>
  /** The cookie of the administrator's session. */
  readonly cookie: string
  close(): Promise<void>
}

/**
 * Opens the database `test` on a server that knows `names` or all modules, with those `installed`, by default
 * all that it knows.
 */
export async function openWires(
  names: readonly string[] = modules.map(({ name }) => name),
  installed = names,
): Promise<Wires> {
  const fixture = await openTestDatabase(
    modules.filter(({ name }) => names.includes(name)),
    { masterPassword: MASTER, installed },
  )
  const server = await createServer({ databases: fixture.databases })
  const key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const envelope = async (
    path: string,
    params: unknown,
    headers: Record<string, string> = {},
  ): Promise<Said> => {
    const response = await post(path, { jsonrpc: '2.0', id: 1, method: 'call', params }, headers)
    const text = await response.text()
    const { result, error } = JSON.parse(text) as {
      result?: unknown
      error?: { data: { name: string; message: string } }
    }
    return error ? { error: error.data, text } : { result, text }
  }
  const rpc: Wires['rpc'] = (service, method, args) => envelope('/jsonrpc', { service, method, args })
  const signedIn = await post('/web/session/authenticate', {
    params: { db: 'test', login: 'admin', password: 'admin' },
  })
  const cookie = String(signedIn.headers.get('set-cookie')).split(';', 1)[0] as string
  return {
    run: fixture.run,
    databases: fixture.databases,
    server,
    key,
    cookie,
    rpc,
    kw: (model, method, args, ...keywords) =>
      rpc('object', 'execute_kw', ['test', 2, 'admin', model, method, args, ...keywords]),
    session: (path, params) => envelope(path, params, { cookie }),
    async json2(path, body = {}, by = key) {
      const response = await post(`/json/2/${path}`, body, {
        authorization: `bearer ${by}`,
        'x-odoo-database': 'test',
      })
      const text = await response.text()
      const parsed = JSON.parse(text) as unknown
      if (response.ok) return { result: parsed, text }
      return { error: { ...(parsed as { name: string; message: string }), status: response.status }, text }
    },
    async close() {
      await server.close()
      await fixture.close()
    },
  }
}
