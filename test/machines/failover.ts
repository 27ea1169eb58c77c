// Failovers under load: two nodes on two PostgreSQL servers of which one follows the other; the primary one
// is killed and the other takes over, again and again, while a right is given and taken.
// Called by failover.test.ts for one round; as a script: `node test/machines/failover.ts 20`.
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { installedServer } from '../external/server.ts'
import { makeTemp } from '../support/temp.ts'
import { type Judgement, Load } from './load.ts'
import { Pair } from './pair.ts'
import { RightsLoad } from './rights-load.ts'

export interface FailoverReport extends Judgement {
  readonly rounds: number
  readonly rights: RightsLoad['tally']
  /** Milliseconds without an acknowledged write, by round. */
  readonly gaps: readonly number[]
}

/** Two nodes on a pair of servers, which of the two may be whichever, and a database. */
export interface Place {
  readonly pair: Pair
  readonly nodes: readonly Server[]
  readonly key: string
  close(): Promise<void>
}

export async function openPlace(folder: string, isSynchronous = true): Promise<Place> {
  const temp = makeTemp('failover')
  const pair = await Pair.start(folder, isSynchronous)
  const nodes: Server[] = []
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await pair.stop()
    temp.remove()
  }
  try {
    const { url } = pair
    for (let i = 0; i < 2; i++)
      nodes.push(await createServer({ databaseUrl: url, replicaUrl: url, dataDir: temp.path }))
    const { databases } = nodes[0] as Server
    await databases.create('shop', { modules: ['base'] })
    const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
    return { pair, nodes, key, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes that each round must acknowledge before and after its failover. */
const WRITES = 60

export async function failOvers(
  { pair, nodes, key }: Place,
  rounds: number,
  clients = 16,
): Promise<FailoverReport> {
  const { databases } = nodes[0] as Server
  const urls = nodes.map(({ url }) => url)
  const load = new Load(urls, 'shop', key)
  const rights = await RightsLoad.prepare(databases, { urls, database: 'shop', key })
  const { tally } = load
  const more = async () => {
    const wanted = tally.acknowledged.size + WRITES
    const taken = rights.tally.taken + 1
    while (tally.acknowledged.size < wanted || rights.tally.taken < taken)
      await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const gaps: number[] = []
  load.start(clients)
  rights.start()
  for (let round = 0; round < rounds; round++) {
    await more()
    tally.longestGap = 0
    await pair.failOver()
    await more()
    gaps.push(Math.round(tally.longestGap))
    if (round + 1 < rounds) await pair.follow()
  }
  await Promise.all([load.stop(), rights.stop()])
  return {
    rounds,
    ...(await load.judge(databases)),
    rights: rights.tally,
    gaps,
  }
}

if (process.argv[1] === import.meta.filename) {
  const folder = installedServer()
  if (!folder) throw new Error('This machine has no PostgreSQL of its own.')
  const place = await openPlace(folder)
  const report = await failOvers(place, Number(process.argv[2] ?? 20)).finally(place.close)
  console.log(`${modules.length} modules; ${JSON.stringify(report, undefined, 2)}`)
}
