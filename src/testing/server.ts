// A server for tests: a database copied from a template that all tests of the machine share, a client, a way
// back to the beginning.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '../client/index.ts'
import { Databases } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import { newKey } from '../kit/secrets.ts'
import { createServer, modules as own, type Server } from '../main.ts'
import { undeclaredReads } from '../models/engine.ts'
import type { Environment, Models, Module } from '../models/index.ts'
import { inOrder } from '../modules/load.ts'
import { clearUnclean } from '../postgres/embedded/index.ts'
import { placeOfBuild } from './cache-folder.ts'
import { TestClock } from './clock.ts'
import { dropOf, type Holding, holdName } from './held-names.ts'
import { keepRunning } from './keep-running.ts'
import { closeOnSignals } from './signals.ts'
import { templateFor } from './template.ts'
import { TemplateCopies } from './template-copies.ts'

// Undeclared reads of a module's statements are errors in tests.
undeclaredReads.areErrors = true

/** The modules, sample records and clock of a test server. */
export interface TestServerOptions {
  /**
   * Modules to install, with their dependencies: modules of Comptoir by name, others as `defineModule`
   * returned them. `base` is always installed.
   */
  readonly modules?: readonly (string | Module)[]
  /** Whether there are sample records, as with `--demo`. Default false. */
  readonly demo?: boolean
  /**
   * The moment that it is for the server and its database, such as `2026-03-01T09:00:00Z`: dates of creation,
   * `today`, expirations, SQL's `now()`.
   * It stands still until `setClock`. Without it the machine's clock counts.
   */
  readonly clock?: string | Date
}

/** A server for tests, whose database is removed by `close`. */
export interface TestServer extends Server {
  /** Name of the database. Others that a test makes have names that begin with it. */
  readonly database: string
  /** An API key of the administrator, without an end; login and password are `admin`. */
  readonly key: string
  /** Calls over HTTP with that key. Its types are those of the modules in view. */
  readonly client: Client<Models>
  /**
   * Runs work without checks of rights, in a transaction that is committed. If the work throws, the
   * transaction is rolled back and the error is thrown.
   */
  run<T>(work: (env: Environment) => Promise<T>): Promise<T>
  /** Takes the database, its files and the clock back to the start. Calls in flight finish first. */
  reset(): Promise<void>
  /**
   * Another moment. Throws UserError for a server that was started without a clock, and for what is no
   * moment.
   */
  setClock(moment: string | Date): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a server on a free port of the loopback with a database of its own, which is a copy of a
 * template that all test processes of the user and build share (`COMPTOIR_TEST_CACHE`). `close()`
 * removes the server's files and database; PostgreSQL stops with the last process that uses it. A list
 * is short for `{ modules }`. Throws UserError for unknown modules and StartupError if PostgreSQL cannot
 * start.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { startTestServer } from 'comptoir/testing'
 *
 * const server = await startTestServer(['base'])
 * try {
 *   const [ann] = await server.client.model('res.partner').create([{ name: 'Ann' }])
 *   assert.equal(typeof ann, 'number')
 * } finally {
 *   await server.close()
 * }
 * ```
 */
export async function startTestServer(
  options: TestServerOptions | readonly (string | Module)[] = {},
): Promise<TestServer> {
  const {
    modules = [],
    demo = false,
    clock: moment,
  }: TestServerOptions = isList(options) ? { modules: options } : options
  const clock = moment === undefined ? null : new TestClock(moment)
  const foreign = modules.filter((entry) => typeof entry !== 'string' && !own.includes(entry)) as Module[]
  const databases = await openShared([...own, ...foreign], clock)
  let holding: Holding | undefined
  try {
    holding = await holdName(databases.address)
    const { name } = holding
    const names = modules.map((entry) => (typeof entry === 'string' ? entry : entry.name))
    const template = await templateFor(
      databases,
      { modules: names, demo, at: clock?.now() ?? null },
      `${name}_template`,
    )
    return await serve({
      databases,
      holding,
      clock,
      stock: new TemplateCopies(databases, { name, template, key: newKey() }),
    })
  } catch (error) {
    if (holding) await leave(databases, holding)
    else await databases.close()
    throw error
  }
}

const isList = (
  options: TestServerOptions | readonly (string | Module)[],
): options is readonly (string | Module)[] => Array.isArray(options)

/** The databases of the PostgreSQL that all test processes share. */
async function openShared(modules: readonly Module[], clock: TestClock | null): Promise<Databases> {
  const dataDir = await placeOfBuild()
  await clearUnclean(dataDir)
  await keepRunning(dataDir)
  const log = join(dataDir, 'audit.jsonl')
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000) rmSync(log, { force: true })
  return Databases.open({
    dataDir,
    modules: inOrder(modules),
    durable: false,
    pool: { max: 8 },
    ...(clock ? { clock } : {}),
  })
}

interface Parts {
  readonly databases: Databases
  readonly holding: Holding
  readonly clock: TestClock | null
  readonly stock: TemplateCopies
}

async function serve({ databases, holding, clock, stock }: Parts): Promise<TestServer> {
  const { name } = holding
  const copied = stock.first()
  // Awaited below, even if the server fails to start.
  copied.catch(() => undefined)
  const server = await createServer({ databases })
  try {
    await copied
  } catch (error) {
    await server.close()
    throw error
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= finish()
    return closing
  }
  const forget = closeOnSignals(close)
  const finish = async () => {
    forget()
    await server.close()
    await stock.settle()
    await leave(databases, holding)
  }
  return {
    ...server,
    database: name,
    key: stock.key,
    client: createClient<Models>({ url: server.url, database: name, key: stock.key }),
    run: async (work) => (await databases.database(name)).system(work),
    async reset() {
      await stock.renew()
      clock?.back()
    },
    async setClock(moment) {
      if (!clock)
        throw new UserError('The server was started without a clock: startTestServer({ clock: … }).')
      await clock.set(moment, await databases.database(name))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function leave(databases: Databases, holding: Holding): Promise<void> {
  try {
    await dropOf(databases, holding.name)
    await holding.release()
  } finally {
    await databases.close()
  }
}
