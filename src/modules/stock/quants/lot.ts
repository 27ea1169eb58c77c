// Lots and serial numbers (stock.lot): goods of a product that are told apart. They may be there before the
// product is tracked (recorded).

import {
  char,
  computedTogether,
  date,
  type Environment,
  float,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { givenVals, nextNumbers } from '../../base/index.ts'

export const lot = model('stock.lot', {
  label: 'Lot/Serial',
  formsBySaving: true,
  order: 'name, id',
  recNamesSearch: ['name', 'ref'],
  rules: {
    name_of_product: {
      uniqueExpression: 'product_id, name, COALESCE(company_id, 0)',
      message: 'The combination of lot/serial number and product must be unique within a company.',
    },
    of_product: { index: ['product_id'] },
  },
  fields: {
    name: char({ label: 'Lot/Serial Number', required: true, mustSend: false, index: 'trigram' }),
    ref: char({ label: 'Internal Reference' }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      checkCompany: true,
      ondelete: 'restrict',
    }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', related: 'product_id.uom_id' }),
    quant_ids: one2many('stock.quant', 'lot_id', { label: 'Quants' }),
    product_qty: float({ label: 'On Hand Quantity', computed: true }),
    note: html({ label: 'Description' }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    location_id: many2one('stock.location', {
      label: 'Location',
      asStored: true,
      computed: true,
      help: 'Where all of it is; empty when it is in several places.',
    }),
    delivery_count: integer({ label: 'Delivery order count', computed: true }),
    last_delivery_date: date({ label: 'Last Delivery', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'stock.lot': StockLot
  }
  interface StockLot extends Of<typeof lot> {}
}

type Ones = readonly { readonly id: number }[]
const idsOf = (ones: Ones) => idList(ones.map(({ id }) => id))

/** Quantity of each lot in internal places. */
async function held(env: Environment, lots: Ones): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT q.lot_id, COALESCE(sum(q.quantity), 0)::float8 FROM stock_quant q JOIN stock_location l ON l.id = q.location_id
    WHERE q.lot_id = ANY(${idsOf(lots)}) AND l.usage IN ('internal', 'transit') GROUP BY 1`,
    { reads: ['stock.quant', 'stock.location'], row: ['int', 'float'] },
  )
  const quantityByLot = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(lots.map(({ id }) => [id, quantityByLot.get(id) ?? 0]))
}

/** The next of the company's numbers for lots without a name. */
async function named(env: Environment, list: readonly Readonly<Record<string, unknown>>[]) {
  const nameless = list.filter((vals) => !vals.name)
  if (nameless.length === 0) return list
  const names = await nextNumbers(env.sudo(), 'stock.lot.serial', nameless.length)
  return list.map((vals) => (vals.name ? vals : { ...vals, name: names?.[nameless.indexOf(vals)] ?? 'New' }))
}

export default implement(lot, {
  computed: {
    product_qty: computedTogether(lot, [], (lots, env) => held(env, lots), {
      sql: (
        scope,
      ) => sql`COALESCE((SELECT sum(q.quantity)::float8 FROM stock_quant q JOIN stock_location l ON l.id = q.location_id
        WHERE q.lot_id = ${scope.id} AND l.usage IN ('internal', 'transit')), 0)`,
    }),
    location_id: computedTogether(lot, [], async (lots, env) => {
      const rows = await env.rows(
        sql`SELECT lot_id, min(location_id), count(DISTINCT location_id)::int FROM stock_quant
        WHERE lot_id = ANY(${idsOf(lots)}) AND quantity > 0 GROUP BY 1`,
        { reads: ['stock.quant'], row: ['int', 'int', 'int'] },
      )
      const placeByLot = new Map(rows.map((row) => [row[0], row[2] === 1 ? { id: row[1] } : null]))
      return new Map(lots.map(({ id }) => [id, placeByLot.get(id) ?? null]))
    }),
    delivery_count: computedTogether(lot, [], async (lots, env) => {
      const rows = await env.rows(
        sql`SELECT l.lot_id, count(DISTINCT l.picking_id)::int FROM stock_move_line l
        JOIN stock_location d ON d.id = l.location_dest_id WHERE l.lot_id = ANY(${idsOf(lots)}) AND l.state = 'done' AND d.usage = 'customer' GROUP BY 1`,
        { reads: ['stock.move.line', 'stock.location'], row: ['int', 'int'] },
      )
      const countByLot = new Map(rows.map((row) => [row[0], row[1]]))
      return new Map(lots.map(({ id }) => [id, countByLot.get(id) ?? 0]))
    }),
    last_delivery_date: computedTogether(lot, [], async (lots, env) => {
      const rows = await env.rows(
        sql`SELECT l.lot_id, to_char(max(l.date), 'YYYY-MM-DD') FROM stock_move_line l
        JOIN stock_location d ON d.id = l.location_dest_id WHERE l.lot_id = ANY(${idsOf(lots)}) AND l.state = 'done' AND d.usage = 'customer' GROUP BY 1`,
        { reads: ['stock.move.line', 'stock.location'], row: ['int', 'text?'] },
      )
      const countByLot = new Map(rows.map((row) => [row[0], row[1]]))
      return new Map(lots.map(({ id }) => [id, countByLot.get(id) ?? null]))
    }),
  },
  wrapCreate: (next) => async (lots, list) => {
    const valsList = givenVals(list as readonly unknown[])
    return next(lots, (await named(lots.env, valsList)) as typeof list)
  },
  wrapWrite: (next) => async (lots, changes) => {
    const moving = changes.filter(({ vals }) => 'product_id' in vals).flatMap(({ ids }) => ids)
    if (moving.length) {
      const used = await lots.env.rows(
        sql`SELECT 1 FROM stock_move_line WHERE lot_id = ANY(${idList(moving)}) LIMIT 1`,
        { reads: ['stock.move.line'], row: ['int'] },
      )
      if (used.length) throw new UserError('The product of a lot with moves cannot be changed.')
    }
    await next(lots, changes)
  },
})
