// 100,000 calls of search_read leave no growth: memory of the server after a warm-up and after each fifth of the calls.
// npm run soak -- [--calls 100000] [--warm-up 20000] [--growth 30]     (--growth: megabytes that are too much)
import { parseArgs } from 'node:util'
import { benchCases } from '../test/bench/cases.ts'
import { callerOf, fill } from '../test/bench/data.ts'
import { measure } from '../test/bench/measure.ts'
import { residentBytes } from '../test/durability/processes.ts'
import { serve } from '../test/support/serve.ts'
import { makeTemp } from '../test/support/temp.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    'warm-up': { type: 'string', default: '20000' },
    growth: { type: 'string', default: '30' },
  },
})
const bench = benchCases.find(({ name }) => name === 'search_read 80')
if (!bench) throw new Error('the bench has no search_read')
const temp = makeTemp('soak')
const server = await serve(temp.path)
try {
  const key = server.said('API key')
  const ids = await fill(callerOf(server.url, key), 500, () => undefined)
  const load = { url: server.url, key, ids, connections: 16 }
  const resident = () => residentBytes(server.pid) / 1024 ** 2
  await measure(load, bench, { amount: Number(values['warm-up']) })
  const start = resident()
  console.log(`after ${values['warm-up']} calls: ${start.toFixed(1)} MB`)
  const parts = 5
  for (let part = 1; part <= parts; part++) {
    const { rps } = await measure(load, bench, { amount: Math.ceil(Number(values.calls) / parts) })
    console.log(`after ${Math.ceil((Number(values.calls) * part) / parts)} more: ${resident().toFixed(1)} MB (${rps.toFixed(0)} a second)`)
  }
  const growth = resident() - start
  console.log(`growth: ${growth.toFixed(1)} MB`)
  if (growth > Number(values.growth)) process.exitCode = 1
} finally {
  await server.stop()
  temp.remove()
}
