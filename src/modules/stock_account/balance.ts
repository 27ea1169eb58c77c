// What the goods of a product are worth to a company (comptoir.stock.balance): a row for both, locked while
// goods come and go.
import { type Environment, float, implement, many2one, model, type Of } from '#models'
import { sql } from '../../sql/index.ts'

export const balance = model('comptoir.stock.balance', {
  label: 'Stock Value',
  order: 'id',
  recName: 'product_id',
  logAccess: false,
  rules: {
    one_row: { unique: ['product_id', 'company_id'], message: 'A company has one value of a product.' },
  },
  fields: {
    product_id: many2one('product.product', { label: 'Product', required: true, ondelete: 'cascade' }),
    company_id: many2one('res.company', { label: 'Company', required: true, ondelete: 'cascade' }),
    value: float({ label: 'Value', required: true, default: 0 }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.stock.balance': StockBalance
  }
  interface StockBalance extends Of<typeof balance> {}
}

export default implement(balance)

export interface Held {
  readonly product: number
  readonly company: number
}

export const heldKey = ({ product, company }: Held): string => `${company}/${product}`
const asJson = (list: readonly Held[]) =>
  JSON.stringify([...new Map(list.map((one) => [heldKey(one), one])).values()])

/**
 * Values of products, their rows locked in the order of their keys until the call ends: who else values them
 * waits. Two statements.
 */
export async function lockBalances(env: Environment, list: readonly Held[]): Promise<Map<string, number>> {
  const asked = sql`jsonb_to_recordset(${asJson(list)}::jsonb) AS x(product int, company int)`
  await env.execute(sql`INSERT INTO comptoir_stock_balance (product_id, company_id, value)
    SELECT x.product, x.company, 0 FROM ${asked} ORDER BY 1, 2 ON CONFLICT (product_id, company_id) DO NOTHING`)
  const rows = await env.rows(
    sql`SELECT b.product_id, b.company_id, b.value::float8 FROM comptoir_stock_balance b
    JOIN ${asked} ON b.product_id = x.product AND b.company_id = x.company ORDER BY b.product_id, b.company_id FOR UPDATE OF b`,
    { reads: ['comptoir.stock.balance'], row: ['int', 'int', 'float'] },
  )
  return new Map(rows.map((row) => [heldKey({ product: row[0], company: row[1] }), row[2]]))
}

/** Stores values; one statement. */
export async function storeBalances(
  env: Environment,
  values: readonly (Held & { readonly value: number })[],
): Promise<void> {
  await env.execute(
    sql`UPDATE comptoir_stock_balance b SET value = x.value
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS x(product int, company int, value float8)
    WHERE b.product_id = x.product AND b.company_id = x.company`,
    { reads: ['comptoir.stock.balance'] },
  )
}

/** What companies have of products, of their own: in places that hold goods, by key; one statement. */
export async function quantitiesHeld(env: Environment, list: readonly Held[]): Promise<Map<string, number>> {
  const rows = await env.rows(
    sql`SELECT x.product, x.company, COALESCE(sum(q.quantity), 0)::float8
    FROM jsonb_to_recordset(${asJson(list)}::jsonb) AS x(product int, company int) JOIN stock_quant q ON q.product_id = x.product AND q.owner_id IS NULL
    JOIN stock_location l ON l.id = q.location_id AND l.company_id = x.company AND l.usage IN ('internal', 'transit') GROUP BY 1, 2`,
    { reads: ['stock.quant', 'stock.location'], row: ['int', 'int', 'float'] },
  )
  return new Map(rows.map((row) => [heldKey({ product: row[0], company: row[1] }), row[2]]))
}
