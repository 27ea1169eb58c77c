// A PostgreSQL server of the machine's own packages, such as Debian's 15, for tests of `--database-url`: in a
// directory that goes away.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../../src/postgres/index.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemp } from '../support/temp.ts'

/** The folder of `initdb` and `postgres`, or null when the machine has none. */
export function installedServer(): string | null {
  const initdb = globSync('/usr/lib/postgresql/*/bin/initdb').sort()[0]
  return initdb ? join(initdb, '..') : null
}

interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: then it runs as somebody else. */
function account(): Account | null {
  if (process.getuid?.() !== 0) return null
  const line = readFileSync('/etc/passwd', 'utf8').match(/^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m)
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : null
}

/**
 * Starts the server in `folder` on the loopback; its only user needs no password and is no superuser's equal:
 * it may create databases.
 */
export async function startInstalled(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const temp = makeTemp('external')
  const data = join(temp.path, 'data')
  mkdirSync(data, { mode: 0o700 })
  const who = account()
  if (who) chownSync(data, who.uid, who.gid)
  const as = { stdio: 'ignore' as const, cwd: '/', ...(who ?? {}) }
  execFileSync(
    join(folder, 'initdb'),
    ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    as,
  )
  const port = await freePort()
  const settings = ['-F', '-h', '127.0.0.1', '-p', String(port), '-k', data]
  const child = spawn(join(folder, 'postgres'), ['-D', data, ...settings], as)
  const exited = once(child, 'exit')
  const address = { host: '127.0.0.1', port, user: 'owner', password: '', database: 'postgres' }
  for (;;) {
    try {
      const connection = await Connection.connect(address)
      await connection.simple('CREATE ROLE shop LOGIN CREATEDB')
      await connection.close()
      break
    } catch (error) {
      if (child.exitCode !== null) throw error
      await sleep(50)
    }
  }
  return {
    url: `postgres://shop@127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGINT')
      await exited
      if (existsSync(temp.path)) temp.remove()
    },
  }
}
