// The process of `comptoir dev` that watches: starts a server for each state of the modules, and lets the one
// before go when the next is ready.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config/index.ts'
import { StartupError } from '../../errors.ts'
import { createLog } from '../../http/log.ts'
import { messageOf } from '../../kit/caught.ts'
import { startEmbedded } from '../../postgres/embedded/index.ts'
import { assertPortFree } from '../port.ts'
import { untilStopped } from '../stopping.ts'
import type { FromServer, ToServer } from './messages.ts'
import { TypesCheck } from './types-check.ts'
import { watchFiles } from './watch.ts'

export interface DevelopOptions {
  readonly config: Config
  readonly database: string
  readonly demo: boolean
  /** Further paths to watch, as typed. */
  readonly watch: readonly string[]
  /** Whether the compiler runs. */
  readonly types: boolean
}

const tell = (text: string): void => console.log(`dev: ${text}`)

/**
 * Serves and follows changes until a signal stops it. Throws StartupError for a port that cannot be had, when
 * PostgreSQL does not start, and for paths that are not there.
 */
export async function develop(options: DevelopOptions): Promise<void> {
  const { config } = options
  const log = createLog(config.log)
  await assertPortFree(config)
  // PostgreSQL keeps running while servers are restarted.
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbedded({ dataDir: config.dataDir, log: (text) => log.info(text) })
      : null
  const check = new TypesCheck(process.cwd(), tell)
  const servers = new Servers(options)
  try {
    const watching = watchAll(options, (files) => {
      tell(`${files.map((path) => relative(process.cwd(), path)).join(', ')} changed`)
      servers.next()
      if (options.types) check.start()
    })
    servers.next()
    if (options.types) check.start()
    await untilStopped(log)
    watching.close()
  } finally {
    check.stop()
    await servers.stop()
    await embedded?.stop()
  }
}

function watchAll(
  { config, watch }: DevelopOptions,
  changed: (files: readonly string[]) => void,
): { close(): void } {
  try {
    return watchFiles([...config.addons, ...watch.map((path) => resolve(path))], changed)
  } catch (error) {
    throw new StartupError(`The files cannot be watched: ${messageOf(error)}`, { cause: error })
  }
}

/** The server that answers, and the one that is getting ready. */
class Servers {
  readonly #options: DevelopOptions
  #current: ChildProcess | undefined
  #coming: ChildProcess | undefined
  #port: number

  constructor(options: DevelopOptions) {
    this.#options = options
    this.#port = options.config.port
  }

  /** Starts a server for the current files; a server that is still starting is stopped. */
  next(): void {
    this.#coming?.kill('SIGKILL')
    const child = fork(serverFile(), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    this.#coming = child
    const { config, database, demo } = this.#options
    child.on('message', (message: FromServer) => void this.#hear(child, message))
    child.once('exit', (code, signal) => this.#ended(child, code ?? signal))
    send(child, { order: { config, database, demo } })
  }

  async stop(): Promise<void> {
    this.#coming?.kill('SIGKILL')
    this.#coming = undefined
    await this.#stopCurrent()
  }

  async #hear(child: ChildProcess, message: FromServer): Promise<void> {
    if (child !== this.#coming && child !== this.#current) return
    if ('failed' in message) return this.#failed(child, message.failed)
    if ('listening' in message) {
      this.#port = message.listening.port
      return console.log(`listening on ${message.listening.url}`)
    }
    const { modules, welcome } = message.ready
    tell(welcome ?? `${modules.join(', ')} up to date in ${this.#options.database}`)
    this.#coming = undefined
    await this.#stopCurrent()
    this.#current = child
    send(child, { go: { port: this.#port } })
  }

  #failed(child: ChildProcess, why: string): void {
    if (child === this.#coming) this.#coming = undefined
    const goesOn = this.#current && this.#current !== child ? '; the previous server goes on' : ''
    tell(`failed${goesOn}. Change a file to try again:\n${why}`)
  }

  #ended(child: ChildProcess, how: unknown): void {
    if (child === this.#coming)
      this.#failed(child, `the server ended with ${String(how)} before it was ready`)
    if (child === this.#current) this.#current = undefined
  }

  async #stopCurrent(): Promise<void> {
    const child = this.#current
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
}

const serverFile = (): string =>
  fileURLToPath(new URL(`./server${import.meta.url.slice(-3)}`, import.meta.url))

function send(child: ChildProcess, message: ToServer): void {
  // A dead child is detected by its exit event.
  child.send(message, () => undefined)
}
