// Value of a product's goods in a company (comptoir.stock.balance): a row for each pair, locked while
// goods come and go.
import { changed, type Environment, float, implement, many2one, model, type Of } from '#models'
import { sql } from '../../sql/index.ts'

export const balance = model('comptoir.stock.balance', {
  label: 'Stock Value',
  order: 'id',
  recName: 'product_id',
  logAccess: false,
  rules: {
    one_row: {
      unique: ['product_id', 'company_id'],
      message: 'A company can have only one value of a product.',
    },
  },
  fields: {
    product_id: many2one('product.product', { label: 'Product', required: true, ondelete: 'cascade' }),
    company_id: many2one('res.company', { label: 'Company', required: true, ondelete: 'cascade' }),
    value: float({ label: 'Value', required: true, default: 0 }),
    initial_cost: float({ label: 'Initial Cost', help: 'Cost of one before any goods came or left.' }),
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

/** Each product of each company once. */
const asJson = (list: readonly Held[]) =>
  JSON.stringify([
    ...new Map(
      list.map((item) => [heldKey(item), { product: item.product, company: item.company }]),
    ).values(),
  ])

/** The quantity that a company has of a product, of its own: in places that hold goods; and its worth. */
export interface Balance {
  readonly quantity: number
  readonly value: number
  /** The cost before any goods came or left; null of goods that did before it was kept. */
  readonly initialCost: number | null
}

/**
 * Quantities and values of products, their rows locked in the order of their keys until the call ends: who
 * else values them waits. One statement, unless a product is valued for the first time.
 */
export async function lockBalances(
  env: Environment,
  list: readonly Held[],
): Promise<ReadonlyMap<string, Balance>> {
  const balances = await lockRows(env, list)
  const lacking = list.filter((item) => !balances.has(heldKey(item)))
  if (lacking.length === 0) return balances
  const pairs = sql`jsonb_to_recordset(${asJson(lacking)}::jsonb) AS x(product int, company int)`
  await env.execute(
    sql`INSERT INTO comptoir_stock_balance (product_id, company_id, value, initial_cost)
    SELECT x.product, x.company, 0, COALESCE((p.standard_price ->> x.company::text)::float8, 0)
    FROM ${pairs} JOIN product_product p ON p.id = x.product ORDER BY 1, 2 ON CONFLICT (product_id, company_id) DO NOTHING`,
    { reads: ['product.product'] },
  )
  return lockRows(env, list)
}

/** The same of products that were valued before. */
async function lockRows(env: Environment, list: readonly Held[]): Promise<Map<string, Balance>> {
  const pairs = sql`jsonb_to_recordset(${asJson(list)}::jsonb) AS x(product int, company int)`
  const rows = await env.rows(
    sql`SELECT b.product_id, b.company_id, b.value::float8, b.initial_cost, (SELECT COALESCE(sum(q.quantity), 0) FROM stock_quant q
      JOIN stock_location l ON l.id = q.location_id WHERE q.product_id = b.product_id AND q.owner_id IS NULL
        AND l.company_id = b.company_id AND l.usage IN ('internal', 'transit'))::float8
    FROM comptoir_stock_balance b JOIN ${pairs} ON b.product_id = x.product AND b.company_id = x.company
    ORDER BY b.product_id, b.company_id FOR UPDATE OF b`,
    {
      reads: ['comptoir.stock.balance', 'stock.quant', 'stock.location'],
      row: ['int', 'int', 'float', 'float?', 'float'],
      kept: [],
    },
  )
  return new Map(
    rows.map(([product, company, value, initialCost, quantity]) => [
      heldKey({ product, company }),
      { quantity, value, initialCost },
    ]),
  )
}

/** Stores values in one statement, sent through the write buffer. */
export function storeBalances(
  env: Environment,
  values: readonly (Held & { readonly value: number })[],
): void {
  env.unit.send(sql`UPDATE comptoir_stock_balance b SET value = x.value
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS x(product int, company int, value float8)
    WHERE b.product_id = x.product AND b.company_id = x.company`)
  const field = env.def('comptoir.stock.balance').fields.get('value')
  if (field) env.unit.cache.forget(field)
  changed(env, 'comptoir.stock.balance', [], [])
}
