// Nodes on one PostgreSQL, and what a deed costs there: processor time of both, log, bytes on the wire.
// Processor time rather than seconds, so that a machine that is shared with others says much the same.
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Databases } from '../../../src/databases/index.ts'
import { modules } from '../../../src/main.ts'
import { type Embedded, startEmbedded } from '../../../src/postgres/embedded/index.ts'
import { Connection } from '../../../src/postgres/index.ts'
import { createKey } from '../../../src/services/admin.ts'
import { cpuSeconds } from '../../bench/cpu.ts'
import { postmasterOf } from '../../durability/processes.ts'
import { type Served, serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { type Ask, type Deed, deedNames, doOne, prepare, type Stock } from './deeds.ts'
import type { Cost } from './model.ts'

export const DATABASE = 'shop-0'
/** Unused copies of it: as created, and with the initial content of a measurement. */
const [EMPTY, PATTERN] = ['empty', 'pattern']
const SIZE = { contacts: 10_000, goods: 1000, lanes: 32 }

/** A run of deeds: which, how many, how many at a time, over how many databases. */
export interface Run {
  readonly deeds: Readonly<Partial<Record<Deed, number>>>
  readonly lanes: number
  readonly databases?: number
}

/** Where calls go, and over which connections. */
interface Way {
  readonly agent: Agent
  readonly node: Served
  readonly database?: string
  readonly sockets?: Set<Socket>
}

export class Ground {
  readonly nodes: Served[] = []
  readonly #temp = makeTemp('scale')
  readonly #further: { remove(): void }[] = []
  #embedded!: Embedded
  #key = ''
  #stock!: Stock
  #n = 0
  #databases = 1

  static async open(): Promise<Ground> {
    const ground = new Ground()
    const dataDir = ground.#temp.path
    ground.#embedded = await startEmbedded({ dataDir, log: () => undefined })
    const databases = await Databases.open({ dataDir: `${dataDir}/maker`, databaseUrl: ground.url, modules })
    try {
      await databases.create(DATABASE, { modules: modules.map(({ name }) => name) })
      ground.#key = await createKey(databases, DATABASE, 'admin', { scope: null, name: 'load', days: 1 })
    } finally {
      await databases.close()
    }
    await ground.sql(`CREATE DATABASE "${EMPTY}" TEMPLATE "${DATABASE}"`)
    const first = await ground.serve()
    const agent = new Agent({ keepAlive: true })
    ground.#stock = await prepare(ground.#ask({ agent, node: first }), SIZE)
    agent.destroy()
    await first.stop()
    ground.nodes.length = 0
    await ground.sql('VACUUM ANALYZE', DATABASE)
    await ground.sql(`CREATE DATABASE "${PATTERN}" TEMPLATE "${DATABASE}"`)
    await ground.serve()
    return ground
  }

  get url(): string {
    const { user, password, host, port } = this.#embedded
    return `postgres://${user}:${password}@${host}:${port}/`
  }

  /** One node more. */
  async serve(): Promise<Served> {
    const temp = makeTemp('scale-node')
    this.#further.push(temp)
    const node = await serve(temp.path, ['--database-url', this.url])
    this.nodes.push(node)
    return node
  }

  async sql(text: string, database = 'postgres'): Promise<unknown[][]> {
    const connection = await Connection.connect({ ...this.#embedded, database, statementTimeout: 0 })
    try {
      return await connection.query(text)
    } finally {
      await connection.close()
    }
  }

  /** Copies of the database as it was at first: so many with it. */
  async copies(count: number): Promise<void> {
    for (; this.#databases < count; this.#databases++)
      await this.sql(`CREATE DATABASE "shop-${this.#databases}" TEMPLATE "${PATTERN}"`)
  }

  /** One small call to each of some databases. */
  async touch(names: readonly string[], node: Served): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    for (const database of names)
      await this.#ask({ agent, node, database })('res.partner/search_count', { domain: [] })
    agent.destroy()
  }

  /** The disk space of a database without records: bytes, and files. */
  async empty(): Promise<{ readonly disk: number; readonly files: number }> {
    const [row] = await this.sql(
      `SELECT pg_database_size(oid)::float8, oid::int FROM pg_database WHERE datname = '${EMPTY}'`,
    )
    const { pgdata } = JSON.parse(readFileSync(join(this.#temp.path, 'postgres.json'), 'utf8'))
    const files = readdirSync(resolve(this.#temp.path, pgdata, 'base', String(row?.[1])))
    return { disk: Number(row?.[0]), files: files.length }
  }

  /** Process id of PostgreSQL. */
  get postgres(): number {
    return postmasterOf(this.#temp.path) as number
  }

  /** Seconds of processor time so far, of all nodes and of PostgreSQL. */
  get cpu(): { readonly node: number; readonly postgres: number } {
    return {
      node: this.nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      postgres: cpuSeconds(this.postgres),
    }
  }

  /** Does all of a run, its kinds mixed; gives what one deed cost on average. */
  async run({ deeds, lanes, databases = 1 }: Run): Promise<Cost> {
    const order = mixed(deeds)
    const agent = new Agent({ keepAlive: true })
    const sockets = new Set<Socket>()
    const [before, from, held] = [this.cpu, await this.#log(), await this.#size()]
    const queue = order.values()
    const lane = async (i: number) => {
      const node = this.nodes[i % this.nodes.length] as Served
      const ask = this.#ask({ agent, node, database: `shop-${i % databases}`, sockets })
      for (const deed of queue) await doOne(deed, { ask, stock: this.#stock, n: this.#n++, lane: i })
    }
    await Promise.all(Array.from({ length: lanes }, (_, i) => lane(i)))
    const [after, to] = [this.cpu, await this.#log()]
    const holds = await this.#size()
    const bytes = [...sockets].reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0)
    agent.destroy()
    const each = (total: number) => total / order.length
    return {
      node: each(after.node - before.node),
      postgres: each(after.postgres - before.postgres),
      wal: each(to - from),
      wire: each(bytes),
      disk: each(holds - held),
    }
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.stop()
    await this.#embedded.stop()
    for (const temp of [...this.#further, this.#temp]) temp.remove()
  }

  /** Bytes of all databases. */
  async #size(): Promise<number> {
    const [row] = await this.sql('SELECT sum(pg_database_size(oid))::float8 FROM pg_database')
    return Number(row?.[0])
  }

  /** Bytes that PostgreSQL has written into its log. */
  async #log(): Promise<number> {
    const [row] = await this.sql("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8")
    return Number(row?.[0])
  }

  #ask({ agent, node, database = DATABASE, sockets = new Set() }: Way): Ask {
    const { hostname, port } = new URL(node.url)
    const headers = {
      authorization: `bearer ${this.#key}`,
      'content-type': 'application/json',
      'x-service-database': database,
    }
    return async (path, body) => {
      const { promise, resolve, reject } = Promise.withResolvers<[number, string]>()
      const sent = request(
        { agent, hostname, port, path: `/json/2/${path}`, method: 'POST', headers },
        (answer) => {
          buffer(answer).then((all) => resolve([answer.statusCode ?? 0, all.toString('utf8')]), reject)
        },
      )
      sent.on('error', reject).on('socket', (socket) => sockets.add(socket))
      sent.end(JSON.stringify(body))
      const [status, text] = await promise
      if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 400)}`)
      return JSON.parse(text)
    }
  }
}

/** So many of each kind, evenly mixed. */
export function mixed(counts: Run['deeds']): Deed[] {
  const places = deedNames.flatMap((deed) =>
    Array.from(
      { length: counts[deed] ?? 0 },
      (_, i) => [(i + 0.5) / (counts[deed] as number), deed] as const,
    ),
  )
  return places.sort(([a], [b]) => a - b).map(([, deed]) => deed)
}
