// The commonest calls of this checkout, with all extensions switched off, compared with those of an
// earlier checkout. The earlier one is also compared with itself, which shows the difference between
// two equal servers.
import type { BenchCase } from '../cases.ts'
import { callerOf } from '../data.ts'
import { checkoutOf } from '../earlier.ts'
import type { Load } from '../measure.ts'
import { caseNamed, compared, opener, report, type Size } from './reads.ts'

const CALLS = ['context_get', 'read one', 'search_read 80', 'create one', 'write one'].map(caseNamed)
const OFF = ['--extensions', 'no']
const [GOODS, LINES] = [100, 3]

/** Installs what orders need, and gives the case of one of three lines. */
async function ordering({ url, key, ids }: Load): Promise<BenchCase> {
  const call = callerOf(url, key)
  const domain = [['name', '=', 'sale_management']]
  await call('ir.module.module', 'button_immediate_install', {
    ids: await call('ir.module.module', 'search', { domain }),
  })
  const goods = (await call('product.product', 'create', {
    vals_list: Array.from({ length: GOODS }, (_, n) => ({ name: `Good ${n}`, list_price: n + 0.9 })),
  })) as number[]
  const line = (n: number) => [0, 0, { product_id: goods[n % GOODS], product_uom_qty: 2 }]
  const order = (n: number) => ({
    partner_id: ids[n % ids.length],
    order_line: Array.from({ length: LINES }, (_, of) => line(n + of)),
  })
  return {
    name: 'order of three lines',
    path: '/json/2/sale.order/create',
    body: (n) => ({ vals_list: [order(n)] }),
    least: 0,
    writes: true,
  }
}

/** Says a line for people as soon as it is known. Throws where no earlier checkout is named. */
export async function calls(size: Size, say: (line: string) => void): Promise<void> {
  if (size.before === undefined) throw new Error('--only calls wants --before, a commit or another checkout')
  const stops: (() => unknown)[] = []
  const open = opener(stops)
  const each = { ...size, seconds: size.seconds / (CALLS.length + 1) }
  const compare = async (loads: readonly Load[], cases: readonly BenchCase[], amount = size.amount) => {
    const [first] = cases
    const sides = loads.map((load, n) => ({ load, bench: (cases[n] ?? first) as BenchCase }))
    const [same, later] = await compared(sides, { ...each, amount })
    if (same) say(report(`${first?.name}, before by itself`, same))
    if (later) say(report(`${first?.name}, now by before`, later))
  }
  try {
    const earlier = checkoutOf(size.before)
    stops.push(earlier.remove)
    const loads = [
      await open('before', OFF, earlier.path),
      await open('before-too', OFF, earlier.path),
      await open('now', OFF),
    ]
    for (const bench of CALLS) await compare(loads, [bench])
    await compare(loads, await Promise.all(loads.map(ordering)), Math.ceil(size.amount / 4))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}
