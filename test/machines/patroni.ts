// Failovers by Patroni: etcd and two Patroni members with synchronous replication on the loopback, all of
// Debian's packages (apt-get install patroni etcd-server postgresql). The processes of the primary server are
// killed under load; Patroni promotes the other and takes the dead one back in. `node
// test/machines/patroni.ts 20`
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from '../../src/main.ts'
import { Connection } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { installedServer } from '../external/server.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemp } from '../support/temp.ts'
import { Load } from './load.ts'
import { account } from './pair.ts'
import { RightsLoad } from './rights-load.ts'

const WRITES = 60

interface Member {
  readonly name: string
  readonly port: number
  readonly rest: number
  readonly file: string
  child: ChildProcess
}

const temp = makeTemp('patroni')
const who = account()
const as = { stdio: 'ignore' as const, cwd: '/', ...(who ?? {}) }
const etcdPort = await freePort()

function own(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (who) chownSync(folder, who.uid, who.gid)
  return folder
}

async function startEtcd(): Promise<ChildProcess> {
  const url = `http://127.0.0.1:${etcdPort}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const folder = own(join(temp.path, 'etcd'))
  const flags = [
    '--data-dir',
    folder,
    '--listen-client-urls',
    url,
    '--advertise-client-urls',
    url,
    '--listen-peer-urls',
    peer,
  ]
  const cluster = [
    '--initial-advertise-peer-urls',
    peer,
    '--initial-cluster',
    `default=${peer}`,
    '--unsafe-no-fsync',
  ]
  const child = spawn('/usr/bin/etcd', [...flags, ...cluster], as)
  while (
    !(await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('etcd does not start')
    await sleep(50)
  }
  return child
}

async function member(name: string, bin: string): Promise<Member> {
  const [port, rest] = [await freePort(), await freePort()]
  const data = join(own(join(temp.path, name)), 'data')
  const settings = {
    scope: 'comptoir',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 5,
        loop_wait: 1,
        retry_timeout: 2,
        maximum_lag_on_failover: 1048576,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { wal_log_hints: 'on', max_connections: 100, fsync: 'off' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      pgpass: join(temp.path, name, 'pgpass'),
      bin_dir: bin,
      authentication: {
        superuser: { username: 'owner', password: 'x' },
        replication: { username: 'follower', password: 'x' },
        rewind: { username: 'owner', password: 'x' },
      },
      parameters: { unix_socket_directories: join(temp.path, name) },
      pg_hba: [
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
        'local all all trust',
      ],
    },
  }
  // JSON is YAML.
  const file = join(temp.path, `${name}.yml`)
  writeFileSync(file, JSON.stringify(settings), { mode: 0o644 })
  return { name, port, rest, file, child: spawn('/usr/bin/patroni', [file], as) }
}

async function roleOf({ rest }: Member): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${rest}/patroni`).catch(() => null)
  const said = answer
    ? ((await answer.json().catch(() => ({}))) as { role?: string; state?: string; sync_standby?: boolean })
    : {}
  return said.state === 'running' ? `${said.role}${said.sync_standby ? ' sync' : ''}` : 'away'
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 1200) throw new Error(`Not within two minutes: ${what}`)
    await sleep(100)
  }
}

/** Ends a member and its PostgreSQL at once, as a power cut would. */
async function kill({ name, child }: Member): Promise<void> {
  const data = join(temp.path, name, 'data')
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && cwdOf(pid) === data)
  for (const pid of [...pids.map(Number), child.pid as number]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It went with another.
    }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/**
 * Of a process of PostgreSQL, its data directory: its command names it, as its children's do not, and they
 * end with it.
 */
function cwdOf(pid: string): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1] ?? ''
    const words = [pid, parent].map((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').split('\0'))
    return (
      words.flatMap((line) => line.flatMap((word, i) => (word === '-D' ? [line[i + 1] ?? ''] : [])))[0] ?? ''
    )
  } catch {
    return ''
  }
}

async function main(rounds: number): Promise<void> {
  const bin = installedServer()
  if (!bin || !existsSync('/usr/bin/patroni') || !existsSync('/usr/bin/etcd'))
    throw new Error('Needs patroni, etcd-server and postgresql of Debian')
  const etcd = await startEtcd()
  const members: Member[] = []
  const nodes: Server[] = []
  try {
    await form(members, bin)
    const databaseUrl = `postgres://shop@${members.map(({ port }) => `127.0.0.1:${port}`).join()}/`
    for (let i = 0; i < 2; i++)
      nodes.push(
        await createServer({ databaseUrl, replicaUrl: databaseUrl, dataDir: join(temp.path, 'node') }),
      )
    console.log(JSON.stringify(await rounding(nodes, members, rounds), undefined, 2))
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
    for (const one of members) await kill(one)
    etcd.kill('SIGKILL')
    temp.remove()
  }
}

/** Two members, the second of which follows the first. */
async function form(members: Member[], bin: string): Promise<void> {
  const first = await member('one', bin)
  members.push(first)
  await until('one is primary', async () => isPrimary(await roleOf(first)))
  const second = await member('two', bin)
  members.push(second)
  await until('two follows', async () => (await roleOf(second)).endsWith('sync'))
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

const isPrimary = (role: string): boolean => /master|primary|leader/.test(role)

async function rounding(
  nodes: readonly Server[],
  members: readonly Member[],
  rounds: number,
): Promise<object> {
  const { databases } = nodes[0] as Server
  await databases.create('shop', { modules: ['base'] })
  const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
  const urls = nodes.map(({ url }) => url)
  const load = new Load(urls, 'shop', key)
  const rights = await RightsLoad.prepare(databases, { urls, database: 'shop', key })
  const { tally } = load
  const more = () => {
    const wanted = tally.acknowledged.size + WRITES
    return until('writes are acknowledged', async () => tally.acknowledged.size >= wanted)
  }
  /** The replica is tried again ever more seldom while it is away: rights are asked of it before each kill. */
  const again = () => {
    const wanted = rights.tally.far + 4
    return until('the replica answers', async () => rights.tally.far >= wanted)
  }
  const gaps: number[] = []
  load.start(16)
  rights.start()
  for (let round = 0; round < rounds; round++) {
    const roles = await Promise.all(members.map(roleOf))
    const primary = members[roles.findIndex(isPrimary)] as Member
    await more()
    await again()
    tally.longestGap = 0
    await kill(primary)
    await more()
    gaps.push(Math.round(tally.longestGap))
    console.log(`round ${round + 1}: ${gaps.at(-1)} ms without a write`)
    primary.child = spawn('/usr/bin/patroni', [primary.file], as)
    await until('the dead one follows', async () => (await roleOf(primary)).endsWith('sync'))
  }
  await Promise.all([load.stop(), rights.stop()])
  return { rounds, ...(await load.judge(databases)), rights: rights.tally, gaps }
}

await main(Number(process.argv[2] ?? 20))
