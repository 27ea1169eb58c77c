// Three nodes of two workers each on two PostgreSQL servers, of which one follows: writers and readers on
// all, one record that many write, a right that is given and taken, and nodes that are killed, one at a
// time or a worker of one. Called by nodes.test.ts for one of each; as a script:
// `node test/machines/nodes.ts 20`
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { killAll, withDescendants } from '../durability/processes.ts'
import { installedServer } from '../external/server.ts'
import { freePort } from '../support/free-port.ts'
import { patiently, type Served, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { Load } from './load.ts'
import { Pair } from './pair.ts'
import { RightsLoad } from './rights-load.ts'

const NODES = 3
const WRITERS = 6
/** Clients that write to one record. */
const HOT = 12
/** Writes that each round must see acknowledged before and after its kill. */
const WRITES = 40

/** A node, which comes back at its address. */
class Node {
  readonly url: string
  readonly #start: () => Promise<Served>
  #served: Served | null = null

  constructor(port: number, start: () => Promise<Served>) {
    this.url = `http://127.0.0.1:${port}`
    this.#start = start
  }

  async start(): Promise<void> {
    this.#served = await this.#start()
  }

  /** Kills the node, or a worker of it; gives the seconds until it is ready again. */
  async die(whole: boolean): Promise<number> {
    const all = withDescendants((this.#served as Served).pid)
    const began = performance.now()
    await killAll(whole ? all : all.slice(-1))
    if (whole) await this.start()
    while (!(await this.#isReady())) await sleep(50)
    return (performance.now() - began) / 1000
  }

  async #isReady(): Promise<boolean> {
    return (await fetch(`${this.url}/web/health?ready=1`).catch(() => null))?.status === 200
  }

  async stop(): Promise<void> {
    await this.#served?.stop()
  }
}

/** Clients who all write to one record, over all nodes. */
class Hot {
  readonly statuses: Record<string, number> = {}
  readonly #clients: Promise<void>[] = []
  #isOver = false

  start(urls: readonly string[], key: string, id: number): void {
    const client = async (i: number) => {
      for (let n = 0; !this.#isOver; n++) {
        const answer = await fetch(`${urls[(i + n) % urls.length]}/json/2/res.partner/write`, {
          method: 'POST',
          headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ids: [id], vals: { comment: `${i}/${n}` } }),
        }).catch(() => null)
        await answer?.arrayBuffer().catch(() => undefined)
        const status = answer?.status ?? 'no answer'
        this.statuses[status] = (this.statuses[status] ?? 0) + 1
        if (!answer) await sleep(20)
      }
    }
    for (let i = 0; i < HOT; i++) this.#clients.push(client(i))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }
}

/** Results of rounds of kills, the first of every three of a worker. */
export async function nodesRounds(rounds: number, tell: (words: string) => void = () => undefined) {
  const folder = installedServer()
  if (!folder) throw new Error('This machine has no PostgreSQL of its own.')
  const temp = makeTemp('nodes')
  const pair = await Pair.start(folder)
  const ground = await createServer({ databaseUrl: pair.url, dataDir: temp.path })
  const nodes: Node[] = []
  const loads: { stop(): Promise<void> }[] = []
  try {
    const { databases } = ground
    await databases.create('shop', { modules: ['base'] })
    const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
    const settings = ['--database-url', pair.url, '--replica-url', pair.url, '--workers', '2']
    for (let i = 0; i < NODES; i++) {
      const port = await freePort()
      const node = new Node(port, () =>
        serve(`${temp.path}/${i}`, [...settings, '--pool-size', '6', '--port', String(port)], patiently),
      )
      nodes.push(node)
      await node.start()
    }
    const urls = nodes.map(({ url }) => url)
    const load = new Load(urls, 'shop', key)
    const rights = await RightsLoad.prepare(databases, { urls, database: 'shop', key })
    const hot = new Hot()
    loads.push(load, rights, hot)
    const { tally } = load
    const more = async () => {
      const [wanted, taken] = [tally.acknowledged.size + WRITES, rights.tally.taken + 2]
      while (tally.acknowledged.size < wanted || rights.tally.taken < taken) await sleep(20)
    }
    load.start(WRITERS)
    rights.start()
    hot.start(urls, key, 1)
    await more()
    tell('all is well')
    const calm = { ...hot.statuses }
    const recovered: number[] = []
    for (let round = 0; round < rounds; round++) {
      const node = nodes[Math.floor(Math.random() * NODES)] as Node
      const whole = round % 3 !== 0
      recovered.push(Number((await node.die(whole)).toFixed(1)))
      await more()
      tell(`round ${round + 1}: a ${whole ? 'node' : 'worker'}, ${recovered.at(-1)} s to be ready again`)
    }
    await Promise.all(loads.map((load) => load.stop()))
    return {
      rounds,
      ...(await load.judge(databases)),
      rights: rights.tally,
      hotBeforeKills: calm,
      hot: hot.statuses,
      longestGapMs: Math.round(tally.longestGap),
      secondsToRecover: recovered,
    }
  } finally {
    // Clients would write forever if a node did not come back.
    await Promise.all(loads.map((load) => load.stop()))
    await Promise.all(nodes.map((node) => node.stop()))
    await ground.close()
    await pair.stop()
    temp.remove()
  }
}

if (process.argv[1] === import.meta.filename) {
  const report = await nodesRounds(Number(process.argv[2] ?? 20), (words) => console.log(words))
  console.log(JSON.stringify(report, undefined, 2))
}
