// The server process: made, started, found again after its parent's death, and stopped.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import type { Login } from '../address.ts'
import { Connection } from '../connection.ts'
import { isConnectionLost, sqlState } from '../errors.ts'
import { program } from './binaries.ts'
import { disownPidFile, isServer, readPidFile } from './pid.ts'
import type { Place } from './place.ts'

export interface Running extends Login {
  readonly host: string
  readonly port: number
  readonly pid: number
}

const HOST = '127.0.0.1'
/** Crash recovery of a busy server may take its time. */
const PATIENCE = 120_000
const MAX_LOG = 10_000_000
/**
 * Data that one process of PostgreSQL may have, in kB: a statement that needs more fails ("out of memory").
 * Otherwise the kernel would kill a process, and every database would go through recovery. Shared memory
 * (shared_buffers) is not counted.
 */
const DATA_KB = 224 * 1024

/** The running server on these files, once it answers; undefined if none runs. */
export async function findRunning(pgdata: string, login: Login): Promise<Running | undefined> {
  const end = performance.now() + PATIENCE
  for (;;) {
    const noted = readPidFile(pgdata)
    if (!noted || !isServer(noted.pid, pgdata)) return undefined
    const server = {
      user: login.user,
      password: login.password,
      host: HOST,
      port: noted.port,
      pid: noted.pid,
    }
    if (noted.ready && (await answers(server))) return server
    if (performance.now() > end)
      throw new StartupError(`PostgreSQL (process ${noted.pid}) runs on ${pgdata} but does not answer.`)
    await sleep(20)
  }
}

/**
 * Starts the server and waits until it answers. Throws StartupError with the last lines of its log when it
 * does not come up.
 */
export async function startServer(
  place: Place,
  login: Login,
  logFile: string,
  preferredPort = 0,
): Promise<Running> {
  disownPidFile(place.pgdata)
  if (existsSync(logFile) && statSync(logFile).size > MAX_LOG) renameSync(logFile, `${logFile}.1`)
  // The port may be taken between our look and the server's; after a crash, its children may take a moment to
  // end.
  for (let attempt = 1; attempt <= 5; attempt++) {
    const running = await tryStart(place, login, logFile, await freePort(preferredPort))
    if (running) return running
    await sleep(200 * attempt)
  }
  throw new StartupError(
    `PostgreSQL does not start on ${place.pgdata}. The end of ${logFile}:\n${tail(logFile)}`,
  )
}

async function tryStart(
  place: Place,
  login: Login,
  logFile: string,
  port: number,
): Promise<Running | undefined> {
  const log = openSync(logFile, 'a', 0o600)
  const [command, ...args] = bounded([
    program(place.installation, 'postgres'),
    '-D',
    place.pgdata,
    '-h',
    HOST,
    '-p',
    String(port),
  ])
  const child = spawn(command, args, {
    ...processOptions(place),
    // A process group of its own: Ctrl-C in the terminal does not reach it, and this process stops the server
    // after the calls in flight.
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  const failure = new Promise<never>((_, reject) => child.once('error', reject))
  const end = performance.now() + PATIENCE
  const answering = async (): Promise<Running | undefined> => {
    while (!ended && performance.now() < end) {
      const server = { user: login.user, password: login.password, host: HOST, port, pid: child.pid ?? 0 }
      // Only then the port is its own: a server that lost the race for it ends, and who won may take our
      // password too.
      const noted = readPidFile(place.pgdata)
      if (noted?.ready && noted.pid === child.pid && (await answers(server))) return server
      await sleep(20)
    }
    if (!ended)
      throw new StartupError(`PostgreSQL (process ${child.pid}) does not answer yet; ${logFile} may say why.`)
    return undefined
  }
  try {
    return await Promise.race([answering(), failure])
  } catch (cause) {
    ended = true
    if (cause instanceof StartupError) throw cause
    throw new StartupError(`PostgreSQL cannot be run: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
}

/** A command with the limit of data, if the system supports it (Linux); `exec` keeps the process id. */
function bounded(command: readonly string[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = command
  if (process.platform !== 'linux') return [first, ...rest]
  return ['/bin/sh', '-c', `ulimit -d ${DATA_KB} 2>/dev/null; exec "$0" "$@"`, first, ...rest]
}

/**
 * Fast shutdown: cuts connections, rolls back what is open, writes everything out. Waits until the server is
 * gone.
 */
export async function stopServer(place: Place, pid: number): Promise<void> {
  if (process.platform === 'win32') {
    execFileSync(program(place.installation, 'pg_ctl'), ['stop', '-D', place.pgdata, '-m', 'fast', '-w'])
    return
  }
  for (const [signal, patience] of [
    ['SIGINT', 60_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 1000],
  ] as const) {
    if (!isServer(pid, place.pgdata)) return
    signalServer(pid, signal)
    const end = performance.now() + patience
    // The pid file is removed last. A zombie process would seem alive forever, so the process alone does not
    // suffice.
    while (performance.now() < end && readPidFile(place.pgdata)?.pid === pid && isServer(pid, place.pgdata))
      await sleep(10)
    if (readPidFile(place.pgdata)?.pid !== pid) return
  }
}

/** SIGINT requests a fast shutdown, SIGQUIT an immediate one. */
export function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It may have ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Options of a child that works on the database files: as their owner, untouched by the PG* variables of this
 * process, and by those that say how it keeps its own memory.
 */
export function processOptions({ account }: Place): {
  uid?: number
  gid?: number
  cwd: string
  env: NodeJS.ProcessEnv
} {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|MALLOC_)/.test(name)),
  )
  return { ...account, cwd: parse(process.cwd()).root, env: { ...env, LC_ALL: 'C' } }
}

/**
 * Whether the server accepts connections. False while it starts, recovers or stops; throws when it is another
 * server or refuses the password.
 */
async function answers(server: Running): Promise<boolean> {
  try {
    const connection = await Connection.connect({ ...server, database: 'postgres' })
    await connection.close()
    return true
  } catch (error) {
    if (isConnectionLost(error)) return false
    if (sqlState(error) === '28P01')
      throw new StartupError('The database server rejects the password in postgres.json.', {
        cause: error,
      })
    throw error
  }
}

/** `preferred` when it is free, else any free port of the loopback. */
export function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => (preferred ? freePort(0).then(resolve, reject) : reject(error)))
    probe.listen(preferred, HOST, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function tail(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-8).join('\n')
}
