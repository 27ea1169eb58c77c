// Costs of many databases: opens some dozens of databases again and again under a small limit, and
// reports memory and connections.
// node test/databases/many.ts [--databases 60] [--opens 1000] [--limit 8]
import { parseArgs } from 'node:util'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/modules/index.ts'
import { Admin } from '../../src/postgres/index.ts'
import { makeTemp } from '../support/temp.ts'

const { values } = parseArgs({
  options: {
    databases: { type: 'string', default: '60' },
    opens: { type: 'string', default: '1000' },
    limit: { type: 'string', default: '8' },
  },
})
const [count, opens, limit] = [Number(values.databases), Number(values.opens), Number(values.limit)]
const temp = makeTemp('many')
const MB = 1024 * 1024
try {
  const server = await Databases.open({ dataDir: temp.path, modules, durable: false, maxOpen: limit })
  try {
    await server.create('shop-0')
    const admin = new Admin(server.address)
    for (let n = 1; n < count; n++) await admin.createDatabase(`shop-${n}`, 'shop-0')
    const tell = async (done: number) => {
      const database = await server.database('shop-0')
      const [row] = await database.pool.use((c) =>
        c.query("SELECT count(*)::int FROM pg_stat_activity WHERE datname LIKE 'shop-%'"),
      )
      console.log(
        JSON.stringify({
          opens: done,
          open: server.open,
          connections: row?.[0],
          rssMB: Math.round(process.memoryUsage.rss() / MB),
        }),
      )
      if (server.open > limit) process.exitCode = 1
    }
    const began = performance.now()
    for (let n = 0; n < opens; n++) {
      if (n % Math.ceil(opens / 5) === 0) await tell(n)
      const database = await server.database(`shop-${n % count}`)
      await database.pool.use((connection) => connection.query('SELECT 1'))
    }
    await tell(opens)
    console.log(
      JSON.stringify({
        databases: count,
        millisecondsAnOpen: Math.round((performance.now() - began) / opens),
      }),
    )
  } finally {
    await server.close()
  }
} finally {
  temp.remove()
}
