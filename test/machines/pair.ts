// Two PostgreSQL servers of the machine's own packages, one following the other by streaming replication,
// synchronously: for tests of what happens when the primary server dies. In directories that go away.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../../src/postgres/index.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemp } from '../support/temp.ts'

interface Member {
  readonly data: string
  readonly port: number
  child: ChildProcess | null
}

const OWNER = { host: '127.0.0.1', user: 'owner', password: '', database: 'postgres' }

export class Pair {
  readonly #temp = makeTemp('pair')
  readonly #folder: string
  readonly #who = account()
  readonly #isSynchronous: boolean
  #primary!: Member
  #standby!: Member

  private constructor(folder: string, isSynchronous: boolean) {
    this.#folder = folder
    this.#isSynchronous = isSynchronous
  }

  /** Starts both; the second follows the first, and confirms each commit where it is synchronous. */
  static async start(folder: string, isSynchronous = true): Promise<Pair> {
    const pair = new Pair(folder, isSynchronous)
    const [first, two] = [await pair.#member('one'), await pair.#member('two')]
    pair.#run('initdb', '-D', first.data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync')
    await pair.#serve(first)
    await pair.#asOwner(first, (connection) => connection.simple('CREATE ROLE shop LOGIN CREATEDB'))
    pair.#primary = first
    pair.#standby = two
    await pair.follow()
    return pair
  }

  /** The URL of both. */
  get url(): string {
    return `postgres://shop@127.0.0.1:${this.#primary.port},127.0.0.1:${this.#standby.port}/`
  }

  get primaryUrl(): string {
    return `postgres://shop@127.0.0.1:${this.#primary.port}/`
  }

  get standbyUrl(): string {
    return `postgres://shop@127.0.0.1:${this.#standby.port}/`
  }

  /** Seconds of processor time that each server took, its processes together. */
  get cpu(): { readonly primary: number; readonly standby: number } {
    return { primary: cpuOf(this.#primary), standby: cpuOf(this.#standby) }
  }

  /** A statement of the standby's superuser, such as one that stops it from following. */
  async onStandby(statement: string): Promise<void> {
    await this.#asOwner(this.#standby, (connection) => connection.simple(statement))
  }

  /** Ends the standby server as a power cut would; the other one goes on alone. */
  async killStandby(): Promise<void> {
    await die(this.#standby)
    await this.#asOwner(this.#primary, waitForNobody)
  }

  /** Starts the standby server again where it was. */
  async restartStandby(): Promise<void> {
    rmSync(join(this.#standby.data, 'postmaster.pid'), { force: true })
    await this.#serve(this.#standby)
    await this.#asOwner(this.#primary, waitForAll)
  }

  /** Cuts the standby server off once it has all that was written so far; what follows it does not get. */
  async cutStandby(): Promise<void> {
    const [[position] = []] = await this.#asOwner(this.#primary, (connection) =>
      connection.query('SELECT pg_current_wal_flush_lsn()::text'),
    )
    await this.#asOwner(this.#standby, async (connection) => {
      const has = async (condition: string) =>
        (await connection.query(`SELECT ${condition}`))[0]?.[0] === true
      while (!(await has(`pg_last_wal_receive_lsn() >= '${position}'`))) await sleep(20)
      await connection.simple("ALTER SYSTEM SET primary_conninfo = ''")
      await connection.query('SELECT pg_reload_conf()')
      while (!(await has('NOT EXISTS (SELECT FROM pg_stat_wal_receiver)'))) await sleep(20)
    })
  }

  /** Ends the primary server as a power cut would, and makes the other one the primary. */
  async failOver(): Promise<void> {
    const [dead, next] = [this.#primary, this.#standby]
    await die(dead)
    await this.#asOwner(next, async (connection) => {
      await connection.query('SELECT pg_promote()')
      await waitForNobody(connection)
    })
    this.#primary = next
    this.#standby = { ...dead, child: null }
  }

  /**
   * Makes the standby server anew from the primary one; where it is synchronous, no commit is acknowledged
   * before both have it from then on.
   */
  async follow(): Promise<void> {
    const { data } = this.#standby
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { mode: 0o700 })
    if (this.#who) chownSync(data, this.#who.uid, this.#who.gid)
    const from = ['-h', '127.0.0.1', '-p', String(this.#primary.port), '-U', 'owner']
    this.#run('pg_basebackup', '-D', data, ...from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
    appendFileSync(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
    await this.#serve(this.#standby)
    if (this.#isSynchronous) await this.#asOwner(this.#primary, waitForAll)
  }

  async stop(): Promise<void> {
    for (const { child } of [this.#standby, this.#primary]) {
      if (!child || child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGQUIT')
      await once(child, 'exit')
    }
    this.#temp.remove()
  }

  async #member(name: string): Promise<Member> {
    const data = join(this.#temp.path, name)
    mkdirSync(data, { mode: 0o700 })
    if (this.#who) chownSync(data, this.#who.uid, this.#who.gid)
    return { data, port: await freePort(), child: null }
  }

  async #serve(member: Member): Promise<void> {
    const settings = [
      '-F',
      '-h',
      '127.0.0.1',
      '-p',
      String(member.port),
      '-k',
      member.data,
      '-c',
      'max_connections=100',
    ]
    member.child = spawn(join(this.#folder, 'postgres'), ['-D', member.data, ...settings], this.#as)
    for (;;) {
      try {
        return await this.#asOwner(member, async () => undefined)
      } catch (error) {
        if (member.child.exitCode !== null) throw error
        await sleep(25)
      }
    }
  }

  async #asOwner<T>({ port }: Member, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await Connection.connect({ ...OWNER, port, statementTimeout: 0 })
    try {
      return await work(connection)
    } finally {
      connection.destroy()
    }
  }

  #run(program: string, ...args: string[]): void {
    execFileSync(join(this.#folder, program), args, this.#as)
  }

  get #as() {
    return { stdio: 'ignore' as const, cwd: '/', ...(this.#who ?? {}) }
  }
}

/** A primary server without a replica must not wait for one. */
async function waitForNobody(connection: Connection): Promise<void> {
  await connection.simple("ALTER SYSTEM SET synchronous_standby_names = ''")
  await connection.query('SELECT pg_reload_conf()')
}

/** From now on no commit is acknowledged before the other one has it. */
async function waitForAll(connection: Connection): Promise<void> {
  await connection.simple("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await connection.query('SELECT pg_reload_conf()')
  const synchronous = "SELECT count(*)::int FROM pg_stat_replication WHERE sync_state = 'sync'"
  while ((await connection.query(synchronous))[0]?.[0] !== 1) await sleep(20)
}

/** Ends all processes of a server at once: nothing is said to anybody. */
async function die({ child }: Member): Promise<void> {
  for (const pid of processesOf(child)) process.kill(pid, 'SIGKILL')
  await once(child as ChildProcess, 'exit')
}

function processesOf(child: ChildProcess | null): number[] {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child?.pid)])
    .toString()
    .split('\n')
    .map(Number)
    .filter(Boolean)
  return [child?.pid as number, ...children]
}

/** Of the processes that are there, and of those that the server saw the end of. */
function cpuOf({ child }: Member): number {
  const ticks = processesOf(child).flatMap((pid, i) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return fields.slice(11, i === 0 ? 15 : 13).map(Number)
    } catch {
      return []
    }
  })
  return ticks.reduce((sum, tick) => sum + tick, 0) / 100
}

/** PostgreSQL refuses to run as root: then it runs as somebody else. */
export function account(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const line = readFileSync('/etc/passwd', 'utf8').match(/^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m)
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : null
}
