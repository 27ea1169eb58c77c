// Modules installed and removed under load: eight callers on two nodes read and write while `sale`,
// `stock` and `point_of_sale` are installed and removed. Prints the longest wait of each kind of call,
// and exits with 1 if a call or a change failed. `--rounds 2 --contacts 20000`.
import { parseArgs } from 'node:util'
import { createServer, modules } from '../../src/main.ts'
import { createKey, installModules, uninstallModules } from '../../src/services/admin.ts'
import { raw } from '../../src/sql/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { openOthers } from '../support/nodes.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    contacts: { type: 'string', default: '20000' },
  },
})
const NAMES = ['sale', 'stock', 'point_of_sale']
const db = await openTestDatabase(modules, { installed: ['base', 'product'] })
await db.run((env) =>
  env.query(
    raw(
      `INSERT INTO res_partner (name, active, complete_name, type) SELECT 'Contact ' || n, true, 'Contact ' || n, 'contact' FROM generate_series(1, ${Number(options.contacts)}) AS n`,
    ),
  ),
)
const first = await createServer({ databases: db.databases })
const others = await openOthers(db, modules, 2)
const nodes = [first, ...others.servers]
const key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'beside', days: 1 })

async function call(node: number, path: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${nodes[node]?.url}/json/2/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `bearer ${key}`,
      'x-service-database': 'test',
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

const CALLS: Record<string, (n: number) => [string, unknown]> = {
  'read countries': () => ['res.country/search_read', { domain: [['code', 'like', 'A']], fields: ['name'] }],
  'write a tag': (n) => ['res.partner.category/create', { vals_list: [{ name: `Tag ${n}` }] }],
  'read contacts': () => ['res.partner/search_read', { domain: [], fields: ['name'], limit: 20 }],
  'write a contact': (n) => ['res.partner/create', { vals_list: [{ name: `New ${n}` }] }],
}
const waits = new Map<string, { calls: number; longest: number }>()
const failures = new Map<string, number>()
let isOver = false
let counter = 0
let phase = 'before'
const callers = Object.entries(CALLS).flatMap(([name, what]) =>
  [0, 1].map(async (node) => {
    while (!isOver) {
      const begun = performance.now()
      const { status, body } = await call(node, ...what(++counter))
      const took = performance.now() - begun
      const { calls, longest } = waits.get(`${phase}: ${name}`) ?? { calls: 0, longest: 0 }
      waits.set(`${phase}: ${name}`, { calls: calls + 1, longest: Math.max(longest, took) })
      if (status !== 200) {
        const failure = `${phase}: ${name}: ${status} ${JSON.stringify((body as { message: string }).message)}`
        failures.set(failure, (failures.get(failure) ?? 0) + 1)
      }
    }
  }),
)
await new Promise((done) => setTimeout(done, 2000))
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [name, act] of [
    ['install', () => installModules(db.databases, 'test', NAMES)],
    ['uninstall', () => uninstallModules(db.databases, 'test', NAMES)],
  ] as const) {
    phase = name
    const begun = performance.now()
    await act().then(
      () => console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`),
      (error: unknown) => failures.set(`${name}: ${error}`, 1),
    )
    for (const node of [0, 1]) {
      const { status } = await call(node, 'sale.order/search', { domain: [] })
      console.log(`  node ${node}: sale.order answers ${status}`)
    }
    phase = `after ${name}`
    await new Promise((done) => setTimeout(done, 1000))
  }
}
isOver = true
await Promise.all(callers)
for (const [name, { calls, longest }] of [...waits].sort())
  console.log(`${name}: ${calls} calls, longest ${longest.toFixed(0)} ms`)
for (const [failure, times] of failures) console.log(`FAILED ${times} times: ${failure}`)
await first.close()
await others.close()
await db.close()
process.exit(failures.size ? 1 : 0)
