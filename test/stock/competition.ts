// Operations that compete for goods, and what must hold of the ledger afterwards.
import { sql } from '../../src/sql/index.ts'
import type { Office } from '../support/office.ts'
import { patiently } from '../support/patient.ts'

type Shop = Office<never>

/** Numbers from 0 to 1 that follow from a seed. */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

async function ask<T>(shop: Shop, path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call('admin', path, body)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
  return answer as T
}

const places = (shop: Shop) =>
  shop.run(async (env) => ({
    stock: await env.ref('stock.stock_location_stock'),
    incoming: await env.ref('stock.picking_type_in'),
    outgoing: await env.ref('stock.picking_type_out'),
  }))

/**
 * Validates deliveries of one product, all at once. Gives how many failed, and how long each call took, the
 * shortest first.
 */
export async function deliverAll(
  shop: Shop,
  count: number,
): Promise<{ failed: number; milliseconds: number[] }> {
  const { stock, outgoing } = await places(shop)
  const [product_id] = await ask<number[]>(shop, 'product.product/create', {
    vals_list: [{ name: 'Best-seller', is_storable: true }],
  })
  const vals_list = [{ product_id, location_id: stock, inventory_quantity: count }]
  const ids = await ask<number[]>(shop, 'stock.quant/create', {
    vals_list,
    context: { inventory_mode: true },
  })
  await ask(shop, 'stock.quant/action_apply_inventory', { ids })
  const pickings = await ask<number[]>(shop, 'stock.picking/create', {
    vals_list: Array.from({ length: count }, () => ({
      picking_type_id: outgoing,
      move_ids: [[0, 0, { product_id, product_uom_qty: 1 }]],
    })),
  })
  await ask(shop, 'stock.picking/action_confirm', { ids: pickings })
  let failed = 0
  const milliseconds = await Promise.all(
    pickings.map(async (id) => {
      const begun = performance.now()
      const validate = () => shop.call('admin', 'stock.picking/button_validate', { ids: [id] })
      const { status } = await patiently(validate)
      if (status !== 200) failed++
      return performance.now() - begun
    }),
  )
  return { failed, milliseconds: milliseconds.toSorted((a, b) => a - b) }
}

interface Contest {
  readonly operations: number
  readonly workers: number
  readonly next: () => number
}

/**
 * Does operations by chance, some at a time: receipts, deliveries, counts, cancellations. Gives what does not
 * hold afterwards, a line each.
 */
export async function compete(shop: Shop, { operations, workers, next }: Contest): Promise<string[]> {
  const { stock, incoming, outgoing } = await places(shop)
  const products = await ask<number[]>(shop, 'product.product/create', {
    vals_list: Array.from({ length: 3 }, (_, n) => ({ name: `Contested ${n}`, is_storable: true })),
  })
  const flaws: string[] = []
  const refused = new Set([200, 422])
  const call = async (path: string, body: object): Promise<unknown> => {
    const { status, body: answer } = await patiently(() => shop.call('admin', path, body))
    if (!refused.has(status)) flaws.push(`${path}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
    return status === 200 ? answer : null
  }
  const deliver = async (): Promise<void> => {
    const product_id = products[Math.floor(next() * products.length)]
    const quantity = 1 + Math.floor(next() * 5)
    const kind = next()
    if (kind < 0.15) {
      const vals_list = [{ product_id, location_id: stock, inventory_quantity: quantity * 4 }]
      const ids = await call('stock.quant/create', { vals_list, context: { inventory_mode: true } })
      if (ids) await call('stock.quant/action_apply_inventory', { ids })
      return
    }
    const move_ids = [[0, 0, { product_id, product_uom_qty: quantity }]]
    const ids = await call('stock.picking/create', {
      vals_list: [{ picking_type_id: kind < 0.5 ? incoming : outgoing, move_ids }],
    })
    await call('stock.picking/action_confirm', { ids })
    if (kind > 0.9) await call('stock.picking/action_cancel', { ids })
    else await call('stock.picking/button_validate', { ids, context: { skip_backorder: true } })
  }
  let left = operations
  const worker = async (): Promise<void> => {
    while (left-- > 0) await deliver()
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return [...flaws, ...(await imbalances(shop))]
}

/**
 * Flaws of the ledger, a line each. A quantity that somebody typed and has in hand may be more than there is:
 * the place owes it once it is done. `product` is the one whose goods moved: judged alone, as a long row of
 * stories would judge all that came before it after every step.
 */
export function imbalances(shop: Shop, product: number | null = null): Promise<string[]> {
  return shop.run(async (env) => {
    const rows =
      await env.query(sql`WITH q AS MATERIALIZED (SELECT * FROM stock_quant WHERE ${product}::integer IS NULL OR product_id = ${product})
      SELECT 'goods appear or vanish: product ' || product_id FROM q GROUP BY product_id HAVING sum(quantity) <> 0
      UNION ALL SELECT 'more is reserved than held: quant ' || q.id FROM q WHERE q.reserved_quantity > GREATEST(q.quantity, 0)
        + COALESCE((SELECT sum(l.quantity_product_uom) FROM stock_move_line l WHERE l.picked AND l.product_id = q.product_id
          AND l.location_id = q.location_id AND COALESCE(l.lot_id, 0) = COALESCE(q.lot_id, 0) AND l.state NOT IN ('done', 'cancel')), 0)
      UNION ALL SELECT 'reserved by no line: quant ' || q.id FROM q JOIN stock_location p ON p.id = q.location_id AND p.usage = 'internal'
        WHERE q.reserved_quantity <> (SELECT COALESCE(sum(l.quantity_product_uom), 0) FROM stock_move_line l
          WHERE l.product_id = q.product_id AND l.location_id = q.location_id AND COALESCE(l.lot_id, 0) = COALESCE(q.lot_id, 0)
            AND l.state NOT IN ('done', 'cancel'))`)
    return rows.map((row) => row[0] as string)
  })
}
