// PgBouncer as Debian packages it, before a PostgreSQL of a test: in a directory that goes away.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { makeTemp } from './temp.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync)

/** Why tests with PgBouncer are left out on this machine; false where it is there. */
export const withoutPgBouncer: string | false = PROGRAM
  ? false
  : 'this machine has no PgBouncer (Debian: apt-get install pgbouncer)'

export interface Behind {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export interface PoolerOptions {
  readonly mode: 'session' | 'transaction'
  /** Connections to PostgreSQL a database at most. */
  readonly size?: number
  /** Any that is free by default. */
  readonly port?: number | undefined
  /** Further lines of its settings. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts it before a server, for every database of it. */
export async function startPgBouncer(
  { host, port, user, password }: Behind,
  { mode, size = 3, settings = {}, port: wanted }: PoolerOptions,
): Promise<{ url: string; port: number; stop(): Promise<void> }> {
  const temp = makeTemp('pgbouncer')
  const listenPort = wanted ?? (await freePort())
  const file = (name: string) => join(temp.path, name)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: file('users'),
    pool_mode: mode,
    default_pool_size: size,
    max_client_conn: 500,
    ...settings,
  }
  writeFileSync(file('users'), `"${user}" "${password}"\n`, { mode: 0o644 })
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(
    file('ini'),
    `[databases]\n* = host=${host} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`,
    { mode: 0o644 },
  )
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(PROGRAM as string, [...asUser, file('ini')], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const exited = once(child, 'exit')
  while (!(await isListening(listenPort))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not start:\n${said}`)
    await sleep(25)
  }
  return {
    url: `postgres://${user}@127.0.0.1:${listenPort}/`,
    port: listenPort,
    async stop() {
      child.kill('SIGKILL')
      await exited
      temp.remove()
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
