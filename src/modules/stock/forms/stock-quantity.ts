// Quantities of goods by day, for graphs (report.stock.quantity): incoming, outgoing, and on hand or
// forecast, from three months ago to three months from now.
import { date, float, implement, many2one, model, type Of, selection } from '#models'

/** Days before and after today. */
const DAYS = 91
/** Days of moves are those of UTC, as for all quantities at a date. */
const TODAY = "(now() AT TIME ZONE 'UTC')::date"
const only = { readonly: true } as const

/** The warehouse that a place lies in, in SQL, by the place's name in the statement. */
const warehouseOf = (place: string) =>
  `(SELECT w.id FROM stock_warehouse w JOIN stock_location v ON v.id = w.view_location_id
    WHERE starts_with(${place}.parent_path, v.parent_path) AND ${place}.usage IN ('internal', 'transit') ORDER BY length(v.parent_path) DESC LIMIT 1)`

/** Quantities that moves bring to warehouses (positive) and take from them (negative). */
const changes = `SELECT m.product_id, x.warehouse_id, m.company_id, m.date::date AS day, m.state = 'done' AS is_done,
    x.sign * CASE WHEN m.state = 'done' THEN m.quantity * u.factor / NULLIF(b.factor, 0) ELSE m.product_qty END AS quantity
  FROM stock_move m JOIN stock_location s ON s.id = m.location_id JOIN stock_location d ON d.id = m.location_dest_id
  JOIN product_product p ON p.id = m.product_id JOIN product_template t ON t.id = p.product_tmpl_id AND t.is_storable
  JOIN uom_uom u ON u.id = m.product_uom JOIN uom_uom b ON b.id = t.uom_id
  CROSS JOIN LATERAL (SELECT ${warehouseOf('d')} AS warehouse_id, 1 AS sign UNION ALL SELECT ${warehouseOf('s')}, -1) x
  WHERE x.warehouse_id IS NOT NULL AND ${warehouseOf('d')} IS DISTINCT FROM ${warehouseOf('s')}
    AND (m.state IN ('waiting', 'confirmed', 'partially_available', 'assigned') OR m.state = 'done' AND m.date >= ${TODAY} - ${DAYS})`

/**
 * The id of a row, from its product, warehouse, day and state: a product in a warehouse has three ids for
 * each day, and the number fits into four bytes.
 */
const idOf = (state: number) =>
  `(((r.product_id::bigint * 31 + r.warehouse_id) * ${3 * (2 * DAYS + 1)} + ((r.date - ${TODAY}) + ${DAYS}) * 3 + ${state}) % 2147483647)::int`

const stands = `SELECT q.product_id, ${warehouseOf('l')} AS warehouse_id, q.company_id, q.quantity, -${DAYS} AS first, ${DAYS} AS last
    FROM stock_quant q JOIN stock_location l ON l.id = q.location_id AND l.usage IN ('internal', 'transit')
  UNION ALL SELECT c.product_id, c.warehouse_id, c.company_id, CASE WHEN c.is_done THEN -c.quantity ELSE c.quantity END,
    CASE WHEN c.is_done THEN -${DAYS} ELSE GREATEST(c.day - ${TODAY}, 0) END, CASE WHEN c.is_done THEN c.day - ${TODAY} - 1 ELSE ${DAYS} END
    FROM (${changes}) c`

const report = model('report.stock.quantity', {
  label: 'Stock Quantity Report',
  order: 'date, id',
  recName: 'product_id',
  logAccess: false,
  query: `SELECT ${idOf(0)} AS id, 'forecast' AS state, r.date, r.product_id, p.product_tmpl_id, r.warehouse_id, r.company_id, r.product_qty
    FROM (SELECT a.product_id, a.warehouse_id, a.company_id, ${TODAY} + d.day AS date, sum(a.quantity)::float8 AS product_qty
      FROM (${stands}) a JOIN generate_series(-${DAYS}, ${DAYS}) AS d(day) ON d.day BETWEEN a.first AND a.last
      WHERE a.warehouse_id IS NOT NULL GROUP BY 1, 2, 3, 4) r JOIN product_product p ON p.id = r.product_id
    UNION ALL SELECT CASE r.state WHEN 'in' THEN ${idOf(1)} ELSE ${idOf(2)} END, r.state, r.date, r.product_id, p.product_tmpl_id, r.warehouse_id, r.company_id, r.product_qty
    FROM (SELECT c.product_id, c.warehouse_id, c.company_id, c.day AS date, CASE WHEN c.quantity < 0 THEN 'out' ELSE 'in' END AS state, sum(c.quantity)::float8 AS product_qty
      FROM (${changes}) c WHERE NOT c.is_done AND c.day BETWEEN ${TODAY} - ${DAYS} AND ${TODAY} + ${DAYS} GROUP BY 1, 2, 3, 4, 5) r
    JOIN product_product p ON p.id = r.product_id`,
  fields: {
    date: date({ label: 'Date', ...only }),
    product_id: many2one('product.product', { label: 'Product', ...only }),
    product_tmpl_id: many2one('product.template', { label: 'Product Tmpl', ...only }),
    warehouse_id: many2one('stock.warehouse', { label: 'Warehouse', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    state: selection(
      { forecast: 'Forecasted Stock', in: 'Forecasted Receipts', out: 'Forecasted Deliveries' },
      { label: 'State', ...only },
    ),
    product_qty: float({ label: 'Quantity', ...only }),
  },
})

declare module '#models' {
  interface Models {
    'report.stock.quantity': ReportStockQuantity
  }
  interface ReportStockQuantity extends Of<typeof report> {}
}

export default implement(report)
