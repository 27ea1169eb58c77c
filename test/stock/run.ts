// Many tills and pickers at once: 200 deliveries of one best-seller, and random operations that compete; says
// how long calls took, and judges the ledger. `npm run stock -- --deliveries 200 --operations 400 --workers
// 16 --seed 7`; `--pooled`: behind PgBouncer, which lends connections to transactions.
import { parseArgs } from 'node:util'
import { openOffice } from '../support/office.ts'
import { chance, compete, deliverAll } from './competition.ts'

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '200' },
    operations: { type: 'string', default: '400' },
    workers: { type: 'string', default: '16' },
    seed: { type: 'string', default: '7' },
    pooled: { type: 'boolean', default: false },
  },
})

const office = await openOffice(['base', 'mail', 'uom', 'product', 'stock'], {}, { pooled: values.pooled })
try {
  const { failed, milliseconds } = await deliverAll(office, Number(values.deliveries))
  const at = (share: number) =>
    milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))]?.toFixed(0)
  console.log(
    `${values.deliveries} deliveries of one product at once: ${failed} failed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  )
  const flaws = await compete(office, {
    operations: Number(values.operations),
    workers: Number(values.workers),
    next: chance(Number(values.seed)),
  })
  console.log(
    flaws.length
      ? flaws.join('\n')
      : `${values.operations} random operations of ${values.workers} workers: the ledger is in balance`,
  )
  if (failed || flaws.length) process.exitCode = 1
} finally {
  await office.close()
}
