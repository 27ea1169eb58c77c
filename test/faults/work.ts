// The work that a shop does all day, each kind in rounds that are judged by the laws of its books: tills,
// invoices and payments, deliveries and counts, purchases, work that is done later, and registers whose
// history is judged.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/sql/index.ts'
import { keepBooks } from '../books/bookkeeping.ts'
import { faultsOf, type Masters, mastersOf } from '../books/laws.ts'
import { chance, compete } from '../stock/competition.ts'
import type { Row } from '../support/till.ts'
import { assertOnce, send } from '../tills/crowd.ts'
import type { Place } from './place.ts'
import { Registers } from './registers.ts'

export interface Work {
  readonly name: string
  /** Rounds that are over, and what each was of. */
  done(): string
  /** One round; gives what does not hold after it. */
  round(): Promise<readonly string[]>
  /** Flaws once everything is over. */
  judge(): Promise<readonly string[]>
}

/** Numbers of documents that no other round has. */
const ROUND = 10_000

export async function worksOf(place: Place, seed: number): Promise<readonly Work[]> {
  const masters = await mastersOf(place.office)
  return [
    await tills(place, seed),
    await books(place, masters, seed),
    stock(place, seed + 1),
    await purchases(place),
    jobs(place),
    await Registers.open(place),
  ]
}

async function tills({ till }: Place, seed: number): Promise<Work> {
  const sold = await till.ask<number[]>('product.product/create', {
    vals_list: Array.from({ length: 5 }, (_, n) => ({
      name: `Sold ${n}`,
      is_storable: true,
      available_in_pos: true,
    })),
  })
  const all: Row[] = []
  const next = chance(seed)
  return {
    name: 'tills',
    done: () => `${all.length} orders`,
    async round() {
      const orders = Array.from({ length: 8 }, (_, i) =>
        till.order({
          n: all.length + i + 1,
          method: i % 3 === 0 ? till.card : till.cash,
          lines: [0, 1].map((n) => ({
            product: sold[(i + n) % sold.length] as number,
            price: ((i + n) % 9) + 1,
          })),
        }),
      )
      await send(till, { orders, tills: 4, nodes: 2, size: 4, next })
      all.push(...orders)
      await assertOnce(till, orders)
      return []
    },
    async judge() {
      await assertOnce(till, all)
      const answer = await till.ask<Row>(
        'pos.session/close_session_from_ui',
        { ids: [till.session] },
        'cashier',
      )
      return answer.successful === true ? [] : [`the session does not close: ${JSON.stringify(answer)}`]
    },
  }
}

async function books({ office, till }: Place, masters: Masters, seed: number): Promise<Work> {
  const bank = await till.make('account.journal', { name: 'Bank', code: 'FLTB', type: 'bank' })
  const next = chance(seed)
  let rounds = 0
  return {
    name: 'invoices',
    done: () => `${rounds * 2} rounds of 3 documents and 5 operations`,
    async round() {
      rounds++
      // Attempts to change what is posted compare all of it, and need a place of their own: `npm run books`.
      const story = { documents: 3, operations: 5, bank, next: () => next() * 0.88 }
      const flaws = await Promise.all(
        [0, 1].map((n) => keepBooks(office, { ...story, seed: seed + rounds * ROUND + n }, masters)),
      )
      return [...flaws.flat(), ...(await faultsOf(office))]
    },
    judge: () => faultsOf(office),
  }
}

function stock({ office }: Place, seed: number): Work {
  const next = chance(seed)
  let rounds = 0
  return {
    name: 'deliveries and counts',
    done: () => `${rounds * 12} operations`,
    async round() {
      rounds++
      return compete(office, { operations: 12, workers: 4, next })
    },
    judge: async () => [],
  }
}

async function purchases({ office, till }: Place): Promise<Work> {
  const product_id = await till.make('product.product', { name: 'Bought', is_storable: true })
  const partner_id = await till.make('res.partner', { name: 'Vendor' })
  let orders = 0
  return {
    name: 'purchases',
    done: () => `${orders} orders`,
    async round() {
      const partner_ref = `faults ${orders}`
      const line = { product_id, product_qty: 2, price_unit: 5 }
      const id = await till.make('purchase.order', { partner_id, partner_ref, order_line: [[0, 0, line]] })
      orders++
      await till.ask('purchase.order/button_confirm', { ids: [id] })
      const { picking_ids } = await till.read('purchase.order', id, ['picking_ids'])
      await till.ask('stock.picking/button_validate', { ids: picking_ids })
      return []
    },
    async judge() {
      const rows = await office.run((env) =>
        env.query(sql`SELECT o.partner_ref, count(*)::int, sum(l.qty_received)::float8, bool_and(o.state IN ('purchase', 'done'))
          FROM purchase_order o JOIN purchase_order_line l ON l.order_id = o.id WHERE o.partner_ref LIKE 'faults %' GROUP BY 1`),
      )
      const wrong = rows.filter(
        ([, count, received, isOrdered]) => count !== 1 || received !== 2 || !isOrdered,
      )
      return [
        ...wrong.map((row) => `purchase ${row.join(', ')}`),
        ...(rows.length === orders ? [] : [`${orders} purchases, and ${rows.length} are there`]),
      ]
    },
  }
}

function jobs({ office }: Place): Work {
  let promised = 0
  return {
    name: 'jobs',
    done: () => `${promised} jobs`,
    async round() {
      const body = { vals_list: [{ name: `job ${promised}` }] }
      const { status } = await office.call('admin', 'res.partner/create', body, {
        headers: { prefer: 'respond-async' },
      })
      if (status !== 202) return [`a job was answered by ${status}`]
      promised++
      await sleep(500)
      return []
    },
    async judge() {
      const look = () =>
        office.run((env) =>
          env.query(sql`SELECT (SELECT count(*)::int FROM comptoir_job WHERE state IN ('receiving', 'queued', 'running')),
            count(*)::int, count(DISTINCT name)::int FROM res_partner WHERE name LIKE 'job %'`),
        )
      let [row = []] = await look()
      // The lease of a process that died ends after a minute.
      for (let tries = 0; row[0] !== 0 && tries < 180; tries++) {
        await sleep(1000)
        ;[row = []] = await look()
      }
      const [open, rows, names] = row
      if (open === 0 && rows === promised && names === promised) return []
      const others = await office.run((env) =>
        env.query(
          sql`SELECT state, status, code, attempts, lease_no, created::text FROM comptoir_job WHERE state <> 'done'`,
        ),
      )
      return [
        `${promised} jobs: ${open} open, ${rows} records of ${names} names; not done: ${JSON.stringify(others)}`,
      ]
    },
  }
}
