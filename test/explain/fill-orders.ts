// Many orders at once, made by the database itself: copies of one, each with a customer, a day, a state and
// lines of its own.
import type { Environment } from '../../src/models/index.ts'
import { raw, sql } from '../../src/sql/index.ts'

/** Names of records that the cases ask about. */
export interface FilledOrders {
  readonly order: number
  /** A customer with few orders, contact of a company. */
  readonly customer: number
  readonly company: number
  /** A product that is on few lines. */
  readonly product: number
  readonly user: number
  /** A day in the middle, and the next one. */
  readonly day: readonly [string, string]
}

export const CUSTOMERS = 2000
const PRODUCTS = 500

/**
 * Creates `count` orders of three lines each, the newest last; most are confirmed, each hundredth is a
 * quotation. Gathers statistics. `around` runs the copying of rows.
 */
export async function fillOrders(
  run: Run,
  count: number,
  around: <T>(copy: () => Promise<T>) => Promise<T> = (copy) => copy(),
): Promise<FilledOrders> {
  const orders = await run(makeOne)
  return around(() => run((env) => copyIt(env, orders, count)))
}

type Run = <T>(work: (env: Environment) => Promise<T>) => Promise<T>
type Made = Awaited<ReturnType<typeof makeOne>>

/** One order as the module makes it, and whom and what the others are with. */
async function makeOne(env: Environment) {
  const companies = await env
    .model('res.partner')
    .create(Array.from({ length: CUSTOMERS / 10 }, (_, i) => ({ name: `Buyer ${i}`, is_company: true })))
  const customers = await env.model('res.partner').create(
    Array.from({ length: CUSTOMERS }, (_, i) => ({
      name: `Customer ${i}`,
      parent_id: companies.ids[i % companies.length] as number,
    })),
  )
  const products = await env
    .model('product.product')
    .create(Array.from({ length: PRODUCTS }, (_, i) => ({ name: `Sold ${i}`, list_price: i })) as never)
  const users = await env
    .model('res.users')
    .create(Array.from({ length: 20 }, (_, i) => ({ name: `Seller ${i}`, login: `seller ${i}` })))
  const [first] = (
    await env.model('sale.order').create([
      {
        partner_id: customers.ids[0] as number,
        order_line: [[0, 0, { product_id: products.ids[0] as number }]],
      } as never,
    ])
  ).ids as [number]
  return {
    first,
    companies: companies.ids,
    customers: customers.ids,
    products: products.ids,
    users: users.ids,
  }
}

async function copyIt(
  env: Environment,
  { first, companies, customers, products, users }: Made,
  count: number,
): Promise<FilledOrders> {
  await env.query(raw('SET LOCAL statement_timeout = 0'))
  const start = first + 1
  const numbers = sql`generate_series(${start}::int, ${start + count - 1}::int) AS n`
  const moments = sql`LATERAL (SELECT timestamp '2020-01-01' + n * interval '10 minutes') AS made(at)`
  // A lateral item: in the select list, the function would run once for each column.
  await env.query(sql`INSERT INTO sale_order SELECT r.* FROM sale_order o, ${numbers}, ${moments}, jsonb_populate_record(o, jsonb_build_object(
      'id', n, 'name', 'S' || lpad(n::text, 6, '0'),
      'partner_id', (${customers}::int[])[1 + n % ${CUSTOMERS}::int], 'user_id', (${users}::int[])[1 + n % 20],
      'state', CASE WHEN n % 100 = 0 THEN 'draft' ELSE 'sale' END, 'invoice_status', CASE WHEN n % 200 = 1 THEN 'to invoice' ELSE 'no' END,
      'date_order', made.at, 'create_date', made.at, 'write_date', made.at)) AS r WHERE o.id = ${first}::int`)
  await env.query(sql`INSERT INTO sale_order_line SELECT r.* FROM sale_order_line l, generate_series(0, 2) AS k, ${numbers}, ${moments},
      jsonb_populate_record(l, jsonb_build_object('id', l.id + n * 3 + k, 'order_id', n, 'create_date', made.at, 'write_date', made.at,
        'order_partner_id', (${customers}::int[])[1 + n % ${CUSTOMERS}::int], 'product_id', (${products}::int[])[1 + (n + k) % ${PRODUCTS}::int])) AS r
    WHERE l.order_id = ${first}::int`)
  await env.query(
    sql`SELECT gin_clean_pending_list(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'gin'`,
  )
  await env.query(raw('ANALYZE'))
  const order = start + Math.floor(count / 2)
  const [[day, next]] = (await env.query(
    sql`SELECT date_trunc('day', date_order)::text, (date_trunc('day', date_order) + interval '1 day')::text FROM sale_order WHERE id = ${order}::int`,
  )) as [[string, string]]
  return {
    order,
    customer: customers[7] as number,
    company: companies[7] as number,
    product: products[7] as number,
    user: users[7] as number,
    day: [day, next],
  }
}
