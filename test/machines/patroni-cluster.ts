// Three members of Patroni and the etcd that they ask, on the loopback, set as the recipe sets them
// (deploy/ha), with shorter times: all of Debian's packages, in directories that go away.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '../../src/postgres/index.ts'
import { installedServer } from '../external/server.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemp } from '../support/temp.ts'
import { account } from './pair.ts'

const [ETCD, PATRONI] = ['/usr/bin/etcd', '/usr/bin/patroni']

/** Why there can be no such cluster on this machine; false where there can. */
export const withoutPatroni: string | false =
  existsSync(ETCD) && existsSync(PATRONI) && installedServer()
    ? false
    : 'this machine has no Patroni, etcd or PostgreSQL (Debian: apt-get install patroni etcd-server postgresql)'

interface Member {
  readonly name: string
  readonly port: number
  readonly rest: number
  readonly file: string
  child: ChildProcess
}

export class PatroniCluster {
  readonly #temp = makeTemp('patroni')
  readonly #who = account()
  readonly #members: Member[] = []
  #etcd: ChildProcess | null = null
  #etcdPort = 0

  private constructor() {}

  /** Starts etcd and the members, of which the others follow the first. */
  static async start(parameters: Readonly<Record<string, string>> = {}): Promise<PatroniCluster> {
    const cluster = new PatroniCluster()
    try {
      await cluster.#form(parameters)
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** The URL of all members. */
  get url(): string {
    return `postgres://shop@${this.#members.map(({ port }) => `127.0.0.1:${port}`).join()}/`
  }

  /** Waits until all members run, one is primary and another one confirms commits. */
  async whole(): Promise<void> {
    await until('one leads and another one confirms', async () => {
      const roles = await Promise.all(this.#members.map(roleOf))
      return roles.some(isPrimary) && roles.some(isFollower) && !roles.includes('away')
    })
  }

  /** Ends the primary member as a power cut would: Patroni and all processes of PostgreSQL. */
  async killPrimary(): Promise<void> {
    await this.whole()
    const roles = await Promise.all(this.#members.map(roleOf))
    await this.#kill(this.#members[roles.findIndex(isPrimary)] as Member)
  }

  /** Starts again what was killed. */
  restart(): void {
    for (const member of this.#members)
      if (hasEnded(member.child)) member.child = spawn(PATRONI, [member.file], this.#as)
  }

  async stop(): Promise<void> {
    for (const member of this.#members) await this.#kill(member)
    this.#etcd?.kill('SIGKILL')
    this.#temp.remove()
  }

  async #form(parameters: Readonly<Record<string, string>>): Promise<void> {
    await this.#startEtcd()
    const first = await this.#member('one', parameters)
    await until('one is primary', async () => isPrimary(await roleOf(first)))
    await this.#member('two', parameters)
    await this.#member('three', parameters)
    await this.whole()
    const owner = await Connection.connect({
      host: '127.0.0.1',
      port: first.port,
      user: 'owner',
      password: '',
      database: 'postgres',
    })
    await owner.simple('CREATE ROLE shop LOGIN CREATEDB')
    await owner.close()
  }

  async #startEtcd(): Promise<void> {
    this.#etcdPort = await freePort()
    const url = `http://127.0.0.1:${this.#etcdPort}`
    const peer = `http://127.0.0.1:${await freePort()}`
    const settings = {
      'data-dir': this.#own('etcd'),
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    const etcd = spawn(ETCD, [...flags, '--enable-v2', '--unsafe-no-fsync'], this.#as)
    this.#etcd = etcd
    await until('etcd answers', async () => {
      if (hasEnded(etcd)) throw new Error('etcd does not start')
      const answer = await fetch(`${url}/health`).catch(() => null)
      return answer?.ok === true
    })
  }

  async #member(name: string, parameters: Readonly<Record<string, string>>): Promise<Member> {
    const [port, rest] = [await freePort(), await freePort()]
    const folder = this.#own(name)
    const settings = {
      scope: 'comptoir',
      name,
      restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
      etcd: { host: `127.0.0.1:${this.#etcdPort}` },
      bootstrap: {
        dcs: {
          ttl: 5,
          loop_wait: 1,
          retry_timeout: 2,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          failsafe_mode: true,
          postgresql: {
            use_pg_rewind: true,
            parameters: {
              wal_log_hints: 'on',
              max_connections: 100,
              fsync: 'off',
              wal_retrieve_retry_interval: '500ms',
              ...parameters,
            },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { auth: 'trust' }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, 'data'),
        pgpass: join(folder, 'pgpass'),
        bin_dir: installedServer(),
        authentication: {
          superuser: { username: 'owner', password: 'x' },
          replication: { username: 'follower', password: 'x' },
          rewind: { username: 'owner', password: 'x' },
        },
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          'host all all 127.0.0.1/32 trust',
          'host replication all 127.0.0.1/32 trust',
          'local all all trust',
        ],
      },
    }
    // JSON is YAML.
    const file = join(this.#temp.path, `${name}.yml`)
    writeFileSync(file, JSON.stringify(settings), { mode: 0o644 })
    const member = { name, port, rest, file, child: spawn(PATRONI, [file], this.#as) }
    this.#members.push(member)
    return member
  }

  async #kill({ name, child }: Member): Promise<void> {
    const data = join(this.#temp.path, name, 'data')
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && directoryOf(pid) === data)
    for (const pid of [...pids.map(Number), child.pid as number]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It went with another.
      }
    }
    if (!hasEnded(child)) await once(child, 'exit')
  }

  #own(name: string): string {
    const folder = join(this.#temp.path, name)
    mkdirSync(folder, { mode: 0o700 })
    if (this.#who) chownSync(folder, this.#who.uid, this.#who.gid)
    return folder
  }

  get #as() {
    return { stdio: 'ignore' as const, cwd: '/', ...(this.#who ?? {}) }
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null
const isPrimary = (role: string): boolean => /master|primary|leader/.test(role)
const isFollower = (role: string): boolean => role.endsWith(' sync')

/** The member's role according to Patroni, and whether the primary server waits for it. */
async function roleOf({ rest }: Member): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${rest}/patroni`).catch(() => null)
  const said = ((await answer?.json().catch(() => null)) ?? {}) as {
    readonly role?: string
    readonly state?: string
    readonly sync_standby?: boolean
  }
  return said.state === 'running' ? `${said.role}${said.sync_standby ? ' sync' : ''}` : 'away'
}

/** Asks until it is so. Throws after half an hour, which no machine is too slow for. */
export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 18_000) throw new Error(`Not within half an hour: ${what}`)
    await sleep(100)
  }
}

/**
 * The data directory of a process of PostgreSQL: its command names it, as its children's do not, and they are
 * known by their parent.
 */
function directoryOf(pid: string): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1] ?? ''
    const words = [pid, parent].map((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').split('\0'))
    const named = words.flatMap((line) =>
      line.flatMap((word, i) => (word === '-D' ? [line[i + 1] ?? ''] : [])),
    )
    return named[0] ?? ''
  } catch {
    return ''
  }
}
