// Tills that send overlapping lists of the same orders at once, stale drafts among them, over lines that
// break: and what must hold afterwards.
import assert from 'node:assert/strict'
import { sql } from '../../src/sql/index.ts'
import type { Row, Till } from '../support/till.ts'

export interface Crowd {
  /** The orders, as they are in the end. */
  readonly orders: readonly Row[]
  readonly tills: number
  readonly nodes: number
  /** Orders in one call of a till. */
  readonly size: number
  /** Numbers from 0 to 1. */
  readonly next: () => number
}

export interface Told {
  readonly calls: number
  /** Calls whose tills did not get an answer. */
  readonly cut: number
  /** Answers that asked to come again, by status. */
  readonly again: ReadonlyMap<number, number>
  /** Of the calls that were answered, the shortest first. */
  readonly milliseconds: readonly number[]
}

/** An order before it was paid. */
const draftOf = (order: Row): Row => ({ ...order, state: 'draft', payment_ids: [] })

/** The calls of a till: each order reaches three tills, one of which sends it as a draft too. */
function callsOf({ orders, tills, size, next }: Crowd, till: number): Row[][] {
  const sequence = orders.flatMap((order, i) => {
    const apart = (till - i + tills * orders.length) % tills
    return apart === 0 ? [order] : apart === 1 ? [draftOf(order), order] : apart === 3 ? [order] : []
  })
  const mixed = sequence.map((order) => ({ order, at: next() })).toSorted((a, b) => a.at - b.at)
  return Array.from({ length: Math.ceil(mixed.length / size) }, (_, i) =>
    mixed.slice(i * size, (i + 1) * size).map(({ order }) => order),
  )
}

/** Milliseconds until a till's connection breaks; every other call waits for its answer. */
const patience = (call: number, next: () => number): number | null =>
  call % 2 === 1 ? null : call === 0 ? 0 : Math.floor(next() * 200)

/**
 * Sends everything, each till its calls one after the other, until each call was answered. Throws for answers
 * other than "done" and "again".
 */
export async function send(till: Till, crowd: Crowd): Promise<Told> {
  const again = new Map<number, number>()
  const milliseconds: number[] = []
  let [calls, cut] = [0, 0]
  const attempt = async (orders: readonly Row[], node: number): Promise<boolean> => {
    const limit = patience(calls++, crowd.next)
    const begun = performance.now()
    try {
      const { status, body } = await till.sync(orders, 'cashier', {
        node,
        ...(limit !== null && { signal: AbortSignal.timeout(limit) }),
      })
      milliseconds.push(performance.now() - begun)
      if (status === 200) return true
      if (status !== 409 && status !== 503) assert.fail(`${status} ${JSON.stringify(body)}`)
      again.set(status, (again.get(status) ?? 0) + 1)
    } catch (error) {
      if (limit === null || (error as Error).name !== 'TimeoutError') throw error
      cut++
    }
    return false
  }
  const work = async (n: number): Promise<void> => {
    for (const orders of callsOf(crowd, n)) while (!(await attempt(orders, n % crowd.nodes))) {}
  }
  await Promise.all(Array.from({ length: crowd.tills }, (_, n) => work(n)))
  return { calls, cut, again, milliseconds: milliseconds.toSorted((a, b) => a - b) }
}

/** Lists of commands of an order, such as its lines. */
const listOf = (order: Row, name: string): readonly unknown[] => (order[name] ?? []) as readonly unknown[]

/**
 * Throws where an order is there twice, or not as it was sent; where numbers of lines lack, or goods, unless
 * they leave later.
 */
export async function assertOnce(till: Till, orders: readonly Row[], hasLeft = true): Promise<void> {
  const uuids = orders.map(({ uuid }) => uuid as string)
  const { rows, numbers, moved } = await till.run(async (env) => ({
    rows: await env.query(sql`SELECT o.uuid, o.state, o.amount_total::float8, o.amount_paid::float8,
        (SELECT count(*)::int FROM pos_order_line l WHERE l.order_id = o.id),
        (SELECT count(*)::int FROM pos_payment p WHERE p.pos_order_id = o.id),
        (SELECT COALESCE(sum(p.amount), 0)::float8 FROM pos_payment p WHERE p.pos_order_id = o.id)
      FROM pos_order o WHERE o.uuid = ANY(${uuids}::text[])`),
    numbers:
      await env.query(sql`SELECT count(*)::int, count(DISTINCT l.name)::int, max(l.name::int) FROM pos_order_line l
      JOIN pos_order o ON o.id = l.order_id WHERE o.session_id = ${till.session}::int`),
    moved:
      await env.query(sql`SELECT COALESCE(sum(m.quantity), 0)::float8 FROM stock_move m JOIN stock_picking k ON k.id = m.picking_id
      JOIN pos_order o ON o.id = k.pos_order_id WHERE o.uuid = ANY(${uuids}::text[]) AND m.state = 'done'`),
  }))
  const rowsByUuid = new Map(rows.map((row) => [row[0], row.slice(1)]))
  assert.equal(rows.length, orders.length)
  for (const order of orders) {
    const { uuid, amount_total: total } = order
    const [lines, payments] = [listOf(order, 'lines').length, listOf(order, 'payment_ids').length]
    assert.deepEqual(
      rowsByUuid.get(uuid as string),
      ['paid', total, total, lines, payments, total],
      String(uuid),
    )
  }
  const [[all, distinct, last] = []] = numbers
  assert.deepEqual([distinct, last], [all, all], 'numbers of lines have no gaps')
  const lines = orders.reduce((count, order) => count + listOf(order, 'lines').length, 0)
  assert.equal(moved[0]?.[0], hasLeft ? lines : 0, 'each line moved one piece, once')
}
