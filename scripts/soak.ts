// A million calls leave no growth: memory of the server after a warm-up and after each tenth of the calls,
// reads, writes and XML-RPC in turns. npm run soak -- [--calls 1000000] [--warm-up 100000] [--growth 30]
// [--connections 64]     (--growth: megabytes that are too much)
// The warm-up is long, for V8 lets its heap grow a while before it tidies. Ends with a verdict, and with an
// error code where the memory grew. A million calls take some ten minutes of an idle machine.
import { parseArgs } from 'node:util'
import { benchCases } from '../test/bench/cases.ts'
import { callerOf, fill } from '../test/bench/data.ts'
import { type Load, measure } from '../test/bench/measure.ts'
import { residentBytes } from '../test/durability/processes.ts'
import { serve } from '../test/support/serve.ts'
import { makeTemp } from '../test/support/temp.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    'warm-up': { type: 'string', default: '100000' },
    growth: { type: 'string', default: '30' },
    connections: { type: 'string', default: '64' },
  },
})
const PARTS = 10

/** Those that a single user can make, without the ones that take long. */
const cases = benchCases.filter(({ as, name }) => !as && name !== 'create 100')

/** So many calls, the same number of each case; gives calls a second. */
async function run(load: Load, calls: number): Promise<number> {
  const start = performance.now()
  for (const bench of cases) await measure(load, bench, { amount: Math.ceil(calls / cases.length) })
  return (calls / (performance.now() - start)) * 1000
}

const temp = makeTemp('soak')
const server = await serve(temp.path)
try {
  const key = server.said('API key')
  const call = callerOf(server.url, key)
  const ids = await fill(call, 500, () => undefined)
  const { uid } = (await call('res.users', 'context_get', {})) as { uid: number }
  const load = {
    url: server.url,
    key,
    ids,
    connections: Number(values.connections),
    database: server.said('database'),
    uid,
  }
  const resident = () => residentBytes(server.pid) / 1024 ** 2
  await run(load, Number(values['warm-up']))
  const start = resident()
  const since = performance.now()
  console.log(`after ${values['warm-up']} calls: ${start.toFixed(1)} MB`)
  for (let part = 1; part <= PARTS; part++) {
    const rate = await run(load, Number(values.calls) / PARTS)
    console.log(
      `after ${Math.ceil((Number(values.calls) * part) / PARTS)} more: ${resident().toFixed(1)} MB (${rate.toFixed(0)} a second)`,
    )
  }
  const growth = resident() - start
  const steady = growth <= Number(values.growth)
  const minutes = (performance.now() - since) / 60_000
  console.log(
    `${values.calls} calls in ${minutes.toFixed(1)} minutes, all answered with 200; growth: ${growth.toFixed(1)} MB`,
  )
  console.log(
    steady ? 'verdict: memory is steady' : `verdict: memory GROWS, by more than ${values.growth} MB`,
  )
  if (!steady) process.exitCode = 1
} finally {
  await server.stop()
  temp.remove()
}
