// Moves of a shop between two PostgreSQL servers under load: two nodes, writers that keep count, readers.
// `node test/machines/move.ts --rounds 4 --contacts 200000`: rounds, and contacts that the shop has besides.
// `--store`: contents of attachments are in a store, and are written and read back meanwhile; `--pooled`:
// both servers are behind PgBouncer, which lends connections to transactions.
import { parseArgs } from 'node:util'
import { addCluster } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { installedServer, startInstalled } from '../external/server.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { startStore } from '../support/s3.ts'
import { makeTemp } from '../support/temp.ts'
import { Load } from './load.ts'

interface Wanted {
  readonly rounds: number
  readonly contacts: number
  readonly store: boolean
  readonly pooled: boolean
}

const CLIENTS = 8
/** Further clients that write contents. */
const KEEPERS = 2

/** Attachments whose contents are written over all nodes, and read back in the end. */
class Contents {
  readonly kept = new Map<number, string>()
  readonly answers: Record<string, number> = {}
  #isOver = false
  #all: Promise<void>[] = []
  readonly #call: (node: number, path: string, body: object) => Promise<Response>

  constructor(urls: readonly string[], key: string) {
    const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
    this.#call = (node, path, body) =>
      fetch(`${urls[node % urls.length]}/json/2/ir.attachment/${path}`, {
        method: 'POST',
        headers: { ...headers, 'x-service-database': 'shop' },
        body: JSON.stringify(body),
      })
  }

  start(): void {
    this.#all = Array.from({ length: KEEPERS }, async (_, i) => {
      for (let n = 0; !this.#isOver; n++) {
        const content = `content ${i} ${n} `.repeat(50)
        const datas = Buffer.from(content).toString('base64')
        const answer = await this.#call(i + n, 'create', { vals_list: [{ name: `kept ${i} ${n}`, datas }] })
        const said = await answer.text()
        this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1
        if (answer.ok) this.kept.set((JSON.parse(said) as [number])[0], content)
        else await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#all)
  }

  /** Number of contents that differ from what was written, on either node. */
  async wrong(): Promise<number> {
    let wrong = 0
    const all = [...this.kept]
    for (const node of [0, 1])
      for (let at = 0; at < all.length; at += 100) {
        const part = new Map(all.slice(at, at + 100))
        const answer = await this.#call(node, 'read', { ids: [...part.keys()], fields: ['datas'] })
        if (!answer.ok) throw new Error(await answer.text())
        const rows = (await answer.json()) as { id: number; datas: string }[]
        const right = rows.filter(({ id, datas }) => Buffer.from(datas, 'base64').toString() === part.get(id))
        wrong += part.size - right.length
      }
    return wrong
  }
}

async function moves(folder: string, { rounds, contacts, store: stored, pooled }: Wanted): Promise<object> {
  const temp = makeTemp('move')
  const closing: (() => unknown)[] = [() => temp.remove()]
  try {
    const ways = []
    for (let i = 0; i < 2; i++) {
      const server = await startInstalled(folder)
      closing.push(() => server.stop())
      const { hostname: host, port, username: user } = new URL(server.url)
      const behind = { host, port: Number(port), user, password: '' }
      // Otherwise it refuses a database that was closed for a moment for fifteen seconds more.
      const settings = { ignore_startup_parameters: 'options', server_login_retry: '1' }
      const pooler = pooled ? await startPgBouncer(behind, { mode: 'transaction', size: 8, settings }) : null
      if (pooler) closing.push(() => pooler.stop())
      ways.push({ url: pooler?.url ?? server.url, direct: pooler ? server.url : null })
    }
    const [main, far] = ways as [(typeof ways)[0], (typeof ways)[0]]
    const store = stored ? await startStore() : null
    if (store) {
      closing.push(() => store.close())
      process.env.AWS_ACCESS_KEY_ID = store.credentials.accessKeyId
      process.env.AWS_SECRET_ACCESS_KEY = store.credentials.secretAccessKey
    }
    const nodes: Server[] = []
    for (let i = 0; i < 2; i++) {
      const node = await createServer({
        databaseUrl: main.url,
        dataDir: temp.path,
        ...(main.direct ? { pooler: 'transaction', directUrl: main.direct } : {}),
        ...(store ? { files: store.place } : {}),
      })
      closing.push(() => node.close())
      nodes.push(node)
    }
    const { databases } = nodes[0] as Server
    await addCluster(databases, 'far', far.url, far.direct)
    await databases.create('shop', { modules: modules.map(({ name }) => name), demo: true })
    await (await databases.database('shop')).system((env) =>
      env.query(sql`INSERT INTO res_partner (name, complete_name, email, active, type)
        SELECT 'contact ' || n, 'contact ' || n, 'contact' || n || '@example.com', TRUE, 'contact' FROM generate_series(1, ${contacts}::int) n`),
    )
    const [facts] = await databases.facts(['shop'])
    const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
    const urls = nodes.map(({ url }) => url)
    const [load, kept] = [new Load(urls, 'shop', key), new Contents(urls, key)]
    const { tally } = load
    const more = async () => {
      const wanted = tally.acknowledged.size + 60
      while (tally.acknowledged.size < wanted) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const results: object[] = []
    load.start(CLIENTS)
    if (store) kept.start()
    for (let round = 0; round < rounds; round++) {
      await more()
      tally.longestGap = 0
      const { held, closed } = await databases.move('shop', round % 2 ? 'main' : 'far')
      await more()
      results.push({
        held: Math.round(held),
        closed: Math.round(closed),
        longestGap: Math.round(tally.longestGap),
      })
    }
    await Promise.all([load.stop(), kept.stop()])
    return {
      megabytes: Math.round((facts?.bytes ?? 0) / 1e6),
      rounds: results,
      ...(await load.judge(databases)),
      ...(store && {
        contents: kept.kept.size,
        wrongContents: await kept.wrong(),
        answers: kept.answers,
        inTheStore: store.objects.size,
      }),
    }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

const folder = installedServer()
if (!folder) throw new Error('This machine has no PostgreSQL of its own.')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    contacts: { type: 'string', default: '0' },
    store: { type: 'boolean', default: false },
    pooled: { type: 'boolean', default: false },
  },
})
const { rounds, contacts, ...how } = values
const report = await moves(folder, { rounds: Number(rounds), contacts: Number(contacts), ...how })
console.log(JSON.stringify(report, undefined, 2))
