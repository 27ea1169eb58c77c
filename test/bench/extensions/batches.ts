// Batches compared with single calls.
import type { Asker } from './asker.ts'
import { rate, ratio, type Size } from './figures.ts'

/** A batch of ten creates compared with ten calls, one after the other. */
export async function batches(on: Asker, { rounds, calls }: Size) {
  const body = (n: number) => ({ vals_list: [{ name: `Batch ${n}` }] })
  const ten = Array.from({ length: 10 }, (_, n) => n)
  const together = async () => {
    const batch = ten.map((n) => ({ model: 'res.partner', method: 'create', body: body(n) }))
    return 10 * (await rate(calls / 10, 1, () => on.post('/x/1/batch', { calls: batch })))
  }
  const apart = () => rate(calls, 1, (n) => on.post('/json/2/res.partner/create', body(n)))
  await together()
  return { 'batch of ten creates / ten calls': await ratio(rounds, together, apart) }
}
