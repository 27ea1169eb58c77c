// Creations by several callers at a time over HTTP, beside a server that gives each its own transaction: in
// turns, by processor time and by the clock (docs/decisions/0085).
import { postmasterOf } from '../durability/processes.ts'
import { serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { callerOf } from './data.ts'
import { type Asking, type Load, measureRound } from './measure.ts'
import { middle } from './timed.ts'

const ROUNDS = 9
/** Calls of a round; and of a side before anything is measured, as a server that runs is warm. */
const [AMOUNT, WARM] = [400, 4000]
const CALLERS = [1, 2, 4, 8, 16] as const

interface Side {
  readonly load: Omit<Load, 'connections'>
  readonly cases: readonly Asking[]
  stop(): Promise<void>
}

/** A server with a customer and three products, and what is made there. */
async function openSide(flags: readonly string[]): Promise<Side> {
  const temp = makeTemp('bench-together')
  const server = await serve(temp.path, flags)
  const key = server.said('API key')
  const call = callerOf(server.url, key)
  const create = async (model: string, vals_list: readonly object[]) =>
    (await call(model, 'create', { vals_list })) as number[]
  const priced = [1, 2, 3].map((n) => ({ name: `Bench ${n}`, list_price: n + 0.9 }))
  const products = await create('product.product', priced)
  const [partner_id] = await create('res.partner', [{ name: 'Bench' }])
  const order_line = products.map((product_id) => [0, 0, { product_id, product_uom_qty: 2 }])
  const caseOf = (name: string, model: string, vals: (n: number) => object): Asking => ({
    name,
    path: `/json/2/${model}/create`,
    body: (n) => ({ vals_list: [vals(n)] }),
  })
  return {
    load: { url: server.url, key, ids: [], pid: server.pid, postgres: postmasterOf(temp.path) },
    cases: [
      caseOf('order of three lines', 'sale.order', () => ({ partner_id, order_line })),
      caseOf('contact', 'res.partner', (n) => ({ name: `Bench ${n}`, city: 'Namur' })),
    ],
    async stop() {
      await server.stop()
      temp.remove()
    },
  }
}

/** One kind of creation by so many callers, in turns on both sides; a line for people. */
async function compared(sides: readonly [Side, Side], place: number, connections: number): Promise<string> {
  const rounds: { cpu: number; clock: number }[][] = [[], []]
  for (let round = 0; round < ROUNDS; round++)
    for (const which of round % 2 ? [1, 0] : [0, 1]) {
      const { load, cases } = sides[which] as Side
      const { rps, cpu, postgresCpu } = await measureRound(
        { ...load, connections },
        cases[place] as Asking,
        AMOUNT,
      )
      rounds[which]?.push({ cpu: cpu + postgresCpu, clock: 1e6 / rps })
    }
  const [ours = [], apart = []] = rounds
  const ratio = (what: 'cpu' | 'clock') =>
    middle(ours.map((one, n) => one[what] / (apart[n]?.[what] ?? Number.NaN))).toFixed(2)
  const each = middle(ours.map(({ cpu }) => cpu)).toFixed(0)
  const other = middle(apart.map(({ cpu }) => cpu)).toFixed(0)
  const name = sides[0].cases[place]?.name
  return `${name}, ${connections} at a time: ${each} us of processor beside ${other} us each by itself: ${ratio('cpu')}; by the clock ${ratio('clock')}`
}

/** Runs the cases whose name fits; gives lines for people. */
export async function together(only: RegExp): Promise<string[]> {
  const sides = [await openSide([]), await openSide(['--no-join-creates'])] as const
  try {
    const said: string[] = []
    for (const [place, { name }] of sides[0].cases.entries()) {
      if (!only.test(name)) continue
      for (const { load, cases } of sides)
        await measureRound({ ...load, connections: 16 }, cases[place] as Asking, WARM)
      for (const callers of CALLERS) {
        said.push(await compared(sides, place, callers))
        console.error(said.at(-1))
      }
    }
    return said
  } finally {
    for (const side of sides) await side.stop()
  }
}
