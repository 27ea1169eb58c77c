// Failovers by Patroni: two nodes on two members with synchronous replication; the processes of the primary
// one are killed under load, Patroni promotes the other and takes the dead one back in.
// Called by patroni.test.ts for two rounds; as a script, with a right that is given and taken, on nodes and
// replicas: `node test/machines/patroni.ts 20` (--apply: commits wait until the replica shows them too).
import { createServer, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { makeTemp } from '../support/temp.ts'
import { type Judgement, Load } from './load.ts'
import { PatroniCluster, until, withoutPatroni } from './patroni-cluster.ts'
import { RightsLoad } from './rights-load.ts'

/** Writes that each node must acknowledge before and after each failover. */
const WRITES = 30

interface Rounds {
  readonly rounds: number
  readonly clients: number
  /** Whether a right is given and taken meanwhile, and read on replicas. */
  readonly withRights: boolean
  /** Settings of PostgreSQL. */
  readonly parameters?: Readonly<Record<string, string>>
}

export interface PatroniReport extends Judgement {
  readonly rounds: number
  readonly rights: RightsLoad['tally'] | undefined
  /** Milliseconds without an acknowledged write, by round. */
  readonly gaps: readonly number[]
}

/** Makes a cluster, two nodes and a database, and fails over so many times. */
export async function patroniRounds(rounds: Rounds): Promise<PatroniReport> {
  const temp = makeTemp('patroni-node')
  const cluster = await PatroniCluster.start(rounds.parameters)
  const nodes: Server[] = []
  try {
    const { url } = cluster
    for (let i = 0; i < 2; i++)
      nodes.push(
        await createServer({
          databaseUrl: url,
          dataDir: temp.path,
          ...(rounds.withRights && { replicaUrl: url }),
        }),
      )
    return await rounding(cluster, nodes, rounds)
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
    await cluster.stop()
    temp.remove()
  }
}

async function rounding(
  cluster: PatroniCluster,
  nodes: readonly Server[],
  { rounds, clients, withRights }: Rounds,
): Promise<PatroniReport> {
  const { databases } = nodes[0] as Server
  await databases.create('shop', { modules: ['base'] })
  const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
  const urls = nodes.map(({ url }) => url)
  const load = new Load(urls, 'shop', key)
  const rights = withRights ? await RightsLoad.prepare(databases, { urls, database: 'shop', key }) : undefined
  const { tally } = load
  const more = () => {
    const wanted = urls.map((url) => [url, (tally.byNode.get(url) ?? 0) + WRITES] as const)
    return until('each node acknowledges writes', () =>
      wanted.every(([url, count]) => (tally.byNode.get(url) ?? 0) >= count),
    )
  }
  /** The replica is tried again ever more seldom while it is away: rights are asked of it before each kill. */
  const again = async () => {
    const wanted = rights && rights.tally.far + 4
    if (wanted) await until('the replica answers', () => rights.tally.far >= wanted)
  }
  const gaps: number[] = []
  load.start(clients)
  rights?.start()
  try {
    for (let round = 0; round < rounds; round++) {
      await more()
      await again()
      tally.longestGap = 0
      await cluster.killPrimary()
      await more()
      gaps.push(Math.round(tally.longestGap))
      if (withRights) console.log(`round ${round + 1}: ${gaps.at(-1)} ms without a write`)
      cluster.restart()
      if (round + 1 < rounds) await cluster.whole()
    }
  } finally {
    await Promise.all([load.stop(), rights?.stop()])
  }
  return { rounds, ...(await load.judge(databases)), rights: rights?.tally, gaps }
}

if (process.argv[1] === import.meta.filename) {
  if (withoutPatroni) throw new Error(withoutPatroni)
  const parameters = process.argv.includes('--apply') ? { synchronous_commit: 'remote_apply' } : undefined
  const rounds = Number(process.argv[2] ?? 20)
  const report = await patroniRounds({ rounds, clients: 16, withRights: true, parameters })
  console.log(JSON.stringify(report, undefined, 2))
}
