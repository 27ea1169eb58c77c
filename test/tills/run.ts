// Nothing twice, nothing lost: tills over two servers send overlapping lists of the same orders at once, cut
// off and sent again; others sell one thing at once; then a session of many orders is closed. Says how long
// it took, and judges what is there. `npm run tills -- --orders 1000 --tills 8 --nodes 2 --size 20 --hot 16
// --closing 10000 --seed 7`; with `--late` goods leave at the closing.
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { chance } from '../stock/competition.ts'
import { recordStatements } from '../support/statements.ts'
import { openTill, type Row, type Till } from '../support/till.ts'
import { assertOnce, send } from './crowd.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    tills: { type: 'string', default: '8' },
    nodes: { type: 'string', default: '2' },
    size: { type: 'string', default: '20' },
    closing: { type: 'string', default: '10000' },
    hot: { type: 'string', default: '16' },
    late: { type: 'boolean', default: false },
    seed: { type: 'string', default: '7' },
  },
})
const number = (name: Exclude<keyof typeof values, 'late'>) => Number(values[name])
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

interface Shop {
  readonly sold: readonly number[]
  readonly customer: number
}

async function stocked(till: Till): Promise<Shop> {
  const sold = await till.ask<number[]>('product.product/create', {
    vals_list: Array.from({ length: 20 }, (_, n) => ({
      name: `Thing ${n}`,
      is_storable: true,
      available_in_pos: true,
    })),
  })
  if (values.late)
    await till.run((env) =>
      env.model('pos.session').browse([till.session]).write({ update_stock_at_closing: true }),
    )
  return { sold, customer: await till.make('res.partner', { name: 'Ann' }) }
}

/** The orders of a day: cash, cards, and sometimes a customer who pays later. */
const ordersOf = (till: Till, { sold, customer }: Shop, from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, i) =>
    till.order({
      n: from + i,
      method: i % 25 === 0 ? till.account : i % 3 === 0 ? till.card : till.cash,
      more: { partner_id: i % 25 === 0 ? customer : false },
      lines: Array.from({ length: 3 }, (_, n) => ({
        product: sold[(i * 7 + n * 3) % sold.length] as number,
        price: ((i + n) % 9) + 1,
      })),
    }),
  )

async function crowd(till: Till, shop: Shop): Promise<void> {
  const orders = ordersOf(till, shop, 1, number('orders'))
  const begun = performance.now()
  const sent = await send(till, {
    orders,
    tills: number('tills'),
    nodes: number('nodes'),
    size: number('size'),
    next: chance(number('seed')),
  })
  await assertOnce(till, orders, !values.late)
  const { milliseconds: all } = sent
  const at = (share: number) => all[Math.min(all.length - 1, Math.floor(all.length * share))]?.toFixed(0)
  const refused = [...sent.again].map(([status, count]) => `${count} times ${status}`).join(', ')
  console.log(
    `${orders.length} orders by ${values.tills} tills over ${values.nodes} servers, each order sent four times: every order once`,
    `(${sent.calls} calls, ${sent.cut} cut off, asked to come again: ${refused || 'none'})`,
    `in ${seconds(performance.now() - begun)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms a call`,
  )
}

/** Tills that all sell the same thing, ten calls each, one after the other. */
async function bestseller(till: Till): Promise<void> {
  const vals = { name: 'Bestseller', is_storable: true, available_in_pos: true }
  const product = await till.make('product.product', vals)
  const [tills, calls] = [number('hot'), 10]
  const milliseconds: number[] = []
  let again = -tills * calls
  const begun = performance.now()
  const work = async (tillNumber: number): Promise<void> => {
    for (let call = 0; call < calls; call++) {
      const order = till.order({ n: 500_000 + tillNumber * calls + call, lines: [{ product, price: 1 }] })
      const from = performance.now()
      for (let status = 503; status === 503; again++) {
        const answer = await till.sync([order], 'cashier', { node: tillNumber % number('nodes') })
        status = answer.status
        assert.ok(status === 200 || status === 503, JSON.stringify(answer.body))
      }
      milliseconds.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: tills }, (_, tillNumber) => work(tillNumber)))
  const { qty_available } = await till.read('product.product', product, ['qty_available'])
  assert.equal(qty_available, values.late ? 0 : -tills * calls)
  const sorted = milliseconds.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  console.log(
    `${tills} tills sell one thing at once, ${calls} orders each: all done, ${qty_available} left, asked ${again} times to come again,`,
    `in ${seconds(performance.now() - begun)}, p50 ${at(0.5)?.toFixed(0)} ms, p99 ${at(0.99)?.toFixed(0)} ms a call`,
  )
}

async function closing(till: Till, shop: Shop): Promise<void> {
  const count = number('closing') - number('orders')
  const orders = ordersOf(till, shop, number('orders') + 1, Math.max(0, count))
  let begun = performance.now()
  for (let i = 0; i < orders.length; i += 200) {
    const { status, body } = await till.sync(orders.slice(i, i + 200))
    assert.equal(status, 200, JSON.stringify(body))
  }
  console.log(`${orders.length} more orders, 200 a call: ${seconds(performance.now() - begun)}`)
  const recorder = recordStatements()
  begun = performance.now()
  const body = { ids: [till.session] }
  const answer = await till.ask<Row>('pos.session/close_session_from_ui', body, 'cashier')
  const took = performance.now() - begun
  recorder.stop()
  assert.equal(answer.successful, true, JSON.stringify(answer))
  const domain = [['session_id', '=', till.session]]
  const groups = { groupby: ['state'], aggregates: ['__count', 'amount_total:sum'] }
  const [group, ...others] = await till.ask<Row[]>('pos.order/formatted_read_group', { domain, ...groups })
  assert.deepEqual([group?.state, others], ['done', []])
  console.log(
    `closing a session of ${group?.__count} orders: ${seconds(took)}, ${recorder.statements.length} statements, ${recorder.trips()} trips`,
  )
}

const till = await openTill([], number('nodes'))
try {
  const shop = await stocked(till)
  await crowd(till, shop)
  await bestseller(till)
  await closing(till, shop)
} finally {
  await till.close()
}
