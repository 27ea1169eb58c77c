// Stock compared with bare SQL that leaves the same rows: confirming an order of three lines with its
// delivery, and validating the delivery.
import type pg from 'pg'
import { timed } from './timed.ts'
import { besides, openBeside } from './with-sql.ts'

const ROUNDS = 15
const LINES = 3

const wanted = ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'stock', 'sale_stock']

/** Copies rows under new ids, with some values of their own; gives the new ids. */
async function copyRows(client: pg.Client, table: string, where: string, more: object): Promise<number[]> {
  const { rows } = await client.query(
    `INSERT INTO ${table} SELECT r.* FROM (SELECT to_jsonb(x) AS row FROM ${table} x WHERE ${where} ORDER BY id) e
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, e.row || $1::jsonb || jsonb_build_object('id', nextval('${table}_id_seq'))) r RETURNING id`,
    [JSON.stringify(more)],
  )
  return rows.map((row) => row.id as number)
}

/**
 * The rows that confirming leaves: the order's state, a transfer, its moves and move lines, and
 * reservations.
 */
async function confirmBare(client: pg.Client, order: number, pattern: number): Promise<number> {
  await client.query('BEGIN')
  await client.query(`UPDATE sale_order SET state = 'sale', date_order = now() WHERE id = $1`, [order])
  await client.query(
    `UPDATE sale_order_line SET state = 'sale', invoice_status = 'to invoice' WHERE order_id = $1`,
    [order],
  )
  const [picking] = await copyRows(client, 'stock_picking', `id = ${pattern}`, {
    name: `BARE/${order}`,
    sale_id: order,
    state: 'assigned',
  })
  const moves = await copyRows(client, 'stock_move', `picking_id = ${pattern}`, {
    picking_id: picking,
    state: 'assigned',
  })
  const lines = await copyRows(client, 'stock_move_line', `picking_id = ${pattern}`, {
    picking_id: picking,
    state: 'assigned',
    picked: false,
  })
  await client.query(
    'UPDATE stock_move_line l SET move_id = m.id FROM stock_move m WHERE l.id = ANY($1) AND m.id = ANY($2) AND m.product_id = l.product_id',
    [lines, moves],
  )
  await client.query(
    `UPDATE stock_quant q SET reserved_quantity = q.reserved_quantity + l.quantity_product_uom FROM stock_move_line l
      WHERE l.id = ANY($1) AND q.product_id = l.product_id AND q.location_id = l.location_id`,
    [lines],
  )
  await client.query('COMMIT')
  return picking as number
}

/** The rows that validating leaves: states, and both sides of the ledger. */
async function validateBare(client: pg.Client, picking: number): Promise<void> {
  await client.query('BEGIN')
  await client.query(`UPDATE stock_picking SET state = 'done', date_done = now() WHERE id = $1`, [picking])
  await client.query(`UPDATE stock_move SET state = 'done', date = now() WHERE picking_id = $1`, [picking])
  await client.query(
    `UPDATE stock_move_line SET state = 'done', picked = TRUE, date = now() WHERE picking_id = $1`,
    [picking],
  )
  await client.query(
    `UPDATE sale_order_line s SET qty_delivered = qty_delivered + m.quantity FROM stock_move m WHERE m.picking_id = $1 AND s.id = m.sale_line_id`,
    [picking],
  )
  await client.query(
    `UPDATE stock_quant q SET quantity = q.quantity - l.quantity_product_uom, reserved_quantity = q.reserved_quantity - l.quantity_product_uom
      FROM stock_move_line l WHERE l.picking_id = $1 AND q.product_id = l.product_id AND q.location_id = l.location_id`,
    [picking],
  )
  await client.query(
    `UPDATE stock_quant q SET quantity = q.quantity + l.quantity_product_uom FROM stock_move_line l
      WHERE l.picking_id = $1 AND q.product_id = l.product_id AND q.location_id = l.location_dest_id`,
    [picking],
  )
  await client.query('COMMIT')
}

/** Measures each case and its bare SQL; returns printable lines. */
export async function goods(): Promise<string[]> {
  const bench = await openBeside(wanted)
  const { call, client } = bench
  try {
    const products = await call('product.product/create', {
      vals_list: Array.from({ length: LINES }, (_, n) => ({ name: `Bench ${n}`, is_storable: true })),
    })
    const [place] = await call('stock.location/search', { domain: [['usage', '=', 'internal']], limit: 1 })
    const counted = await call('stock.quant/create', {
      vals_list: products.map((product_id) => ({ product_id, location_id: place, inventory_quantity: 1000 })),
      context: { inventory_mode: true },
    })
    await call('stock.quant/action_apply_inventory', { ids: counted })
    const [partner_id] = await call('res.partner/create', { vals_list: [{ name: 'Bench' }] })
    const order_line = products.map((product_id) => [0, 0, { product_id, product_uom_qty: 2 }])
    const orders = await call('sale.order/create', {
      vals_list: Array.from({ length: 2 * ROUNDS + 2 }, () => ({ partner_id, order_line })),
    })
    const confirm = (id: number | undefined) => call('sale.order/action_confirm', { ids: [id] })
    const deliveryOf = async (id: number | undefined): Promise<number> => {
      const [picking] = await call('stock.picking/search', { domain: [['sale_id', '=', id]] })
      return picking as number
    }
    const validate = (id: number) => call('stock.picking/button_validate', { ids: [id] })
    const [first, second] = orders
    await confirm(first)
    await validate(await deliveryOf(first))
    await confirm(second)
    const pattern = await deliveryOf(second)
    const times = { confirm: [[], []], validate: [[], []] } as Record<
      'confirm' | 'validate',
      [number[], number[]]
    >
    for (let round = 1; round <= ROUNDS; round++) {
      const [mine, bare] = [orders[2 * round], orders[2 * round + 1] as number]
      times.confirm[0].push(await timed(() => confirm(mine)))
      const delivery = await deliveryOf(mine)
      let picking = 0
      times.confirm[1].push(
        await timed(async () => {
          picking = await confirmBare(client, bare, pattern)
        }),
      )
      times.validate[0].push(await timed(() => validate(delivery)))
      times.validate[1].push(await timed(() => validateBare(client, picking)))
    }
    return [
      besides(`confirm an order of ${LINES} lines with its delivery`, ...times.confirm),
      besides('validate it', ...times.validate),
    ]
  } finally {
    await bench.close()
  }
}
