// A server for the recorded conversations: embedded database in a directory that goes away, one database, and
// a quick way to mint keys.
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Extensions, everyExtension, noExtension } from '../../src/config/index.ts'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import '../support/patience.ts'
import { takeDataDir } from '../support/shared-server.ts'

/** Names of the modules that the database has, as the runner takes them. */
export const installed = modules.map((module) => module.name).join(',')

export interface ConformanceServer {
  readonly url: string
  readonly database: string
  readonly databases: Databases
  readonly master: string
  /** A bash command that prints an API key of user $LOGIN in database $DB. */
  readonly keyCommand: string
  /** An API key of the administrator. */
  key(): Promise<string>
  /** Address of a second server for the same database, which offers nothing beyond the documented API. */
  plain(): Promise<string>
  close(): Promise<void>
}

/**
 * Starts everything and creates the database with all modules, and with what lies beyond the documented API
 * or parts of it. Nothing keeps running when that fails.
 */
export async function startConformanceServer(
  extensions: Extensions = everyExtension,
): Promise<ConformanceServer> {
  const temp = await takeDataDir('conformance')
  const [database, master] = ['conf', 'master']
  const opened: (() => unknown)[] = [() => temp.remove()]
  const close = async () => {
    for (const leave of opened.splice(0).reverse()) await leave()
  }
  try {
    const databases = await Databases.open({
      dataDir: temp.path,
      modules,
      masterPassword: master,
      extensions,
      durable: false,
    })
    opened.push(
      () => databases.close(),
      () => temp.release(databases),
    )
    await databases.create(database, {
      modules: modules.map((module) => module.name),
      login: 'admin',
      password: 'admin',
    })
    const serving = { databases, dataDir: temp.path, masterPassword: master }
    const server = await createServer({ ...serving, extensions })
    opened.push(() => server.close())
    const keyOf = (name: string, login: string) =>
      createKey(databases, name, login, { scope: null, name: 'conformance', days: 1 })
    const mint = await startMint(keyOf)
    opened.push(mint.close)
    const key = () => keyOf(database, 'admin')
    const plain = async () => {
      const other = await createServer({ ...serving, extensions: noExtension })
      opened.push(() => other.close())
      return other.url
    }
    return { url: server.url, database, databases, master, keyCommand: mint.command, key, plain, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The runner mints keys by a shell command; `comptoir key create` would start a process for each. This
 * answers over loopback with keys that `keyOf` makes, and the command needs nothing but bash.
 */
export async function startMint(
  keyOf: (database: string, login: string) => Promise<string>,
): Promise<{ command: string; close(): Promise<void> }> {
  const http = createHttpServer(async (request, response) => {
    const parameters = new URL(request.url ?? '/', 'http://mint').searchParams
    try {
      response.end(await keyOf(parameters.get('db') ?? '', parameters.get('login') ?? ''))
    } catch (error) {
      response.statusCode = 500
      response.end(`no key: ${error instanceof Error ? error.message : error}`)
    }
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /?db=%s&login=%s HTTP/1.0\\r\\n\\r\\n' "$DB" "$LOGIN" >&3; tail -n 1 <&3`
  return {
    command,
    close: () => new Promise((done) => http.close(() => done())),
  }
}
