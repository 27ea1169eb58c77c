// Moves of a shop between two PostgreSQL servers under load: two nodes, writers that keep count, readers.
// `node test/machines/move.ts 4 200000`: rounds, and contacts that the shop has besides.

import { addCluster } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { installedServer, startInstalled } from '../external/server.ts'
import { makeTemp } from '../support/temp.ts'
import { Load } from './load.ts'

async function moves(folder: string, rounds: number, contacts: number, clients = 8): Promise<object> {
  const temp = makeTemp('move')
  const servers = [await startInstalled(folder), await startInstalled(folder)] as const
  const nodes: Server[] = []
  try {
    for (let i = 0; i < 2; i++)
      nodes.push(await createServer({ databaseUrl: servers[0].url, dataDir: temp.path }))
    const { databases } = nodes[0] as Server
    await addCluster(databases, 'far', servers[1].url, null)
    await databases.create('shop', { modules: modules.map(({ name }) => name), demo: true })
    await (await databases.database('shop')).system((env) =>
      env.query(sql`INSERT INTO res_partner (name, complete_name, email, active, type)
        SELECT 'contact ' || n, 'contact ' || n, 'contact' || n || '@example.com', TRUE, 'contact' FROM generate_series(1, ${contacts}::int) n`),
    )
    const [facts] = await databases.facts(['shop'])
    const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
    const load = new Load(
      nodes.map(({ url }) => url),
      'shop',
      key,
    )
    const { tally } = load
    const more = async () => {
      const wanted = tally.acknowledged.size + 60
      while (tally.acknowledged.size < wanted) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const found: object[] = []
    load.start(clients)
    for (let round = 0; round < rounds; round++) {
      await more()
      tally.longestGap = 0
      const { held, closed } = await databases.move('shop', round % 2 ? 'main' : 'far')
      await more()
      found.push({
        held: Math.round(held),
        closed: Math.round(closed),
        longestGap: Math.round(tally.longestGap),
      })
    }
    await load.stop()
    return {
      megabytes: Math.round((facts?.bytes ?? 0) / 1e6),
      rounds: found,
      ...(await load.judge(databases)),
    }
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
    for (const server of servers) await server.stop()
    temp.remove()
  }
}

const folder = installedServer()
if (!folder) throw new Error('This machine has no PostgreSQL of its own.')
const [rounds, contacts] = process.argv.slice(2).map(Number)
console.log(JSON.stringify(await moves(folder, rounds ?? 4, contacts ?? 0), undefined, 2))
