// Entry of `comptoir/testing`: a server of its own for the tests of a module, with a database that goes away.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Databases } from './databases/index.ts'
import { createServer, modules as own, type Server } from './main.ts'
import type { Environment, Module } from './models/index.ts'
import { inOrder } from './modules/load.ts'
import { createKey } from './services/admin.ts'

export interface TestServer extends Server {
  /** An API key of the administrator, for calls over HTTP. */
  readonly key: string
  /** Runs work beside all rights, in a transaction that is committed. Throws what the work throws, and nothing is kept then. */
  run<T>(work: (env: Environment) => Promise<T>): Promise<T>
}

/**
 * Starts a server on a free port of the loopback with one database, `test`, in which `modules` and what they need are installed; login and
 * password of the administrator are `admin`. The embedded PostgreSQL skips syncing to disk. `close()` removes everything.
 */
export async function startTestServer(modules: readonly Module[]): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'comptoir-test-'))
  // The account PostgreSQL runs under has to get through.
  chmodSync(folder, 0o711)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  let databases: Databases | undefined
  try {
    databases = await Databases.open({ dataDir: folder, modules: inOrder([...own, ...modules]), durable: false })
    await databases.create('test', { modules: modules.map(({ name }) => name), login: 'admin', password: 'admin' })
    const database = await databases.database('test')
    const key = await createKey(databases, 'test', 'admin', { name: 'test', scope: null, days: 1 })
    const server = await createServer({ databases })
    const close = async () => {
      await server.close()
      await databases?.close()
      remove()
    }
    return { ...server, key, close, run: (work) => database.system(work) }
  } catch (error) {
    await databases?.close()
    remove()
    throw error
  }
}
