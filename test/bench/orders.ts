// Creating an order compared with the bare SQL inserts of the same rows: the difference is the cost of
// prices, taxes, terms, rights and checks.
import type pg from 'pg'
import { timed } from './timed.ts'
import { besides, openBeside } from './with-sql.ts'

const ROUNDS = 31
/** Orders of each size, and their rows as often, before anything is measured: a server that runs is warm. */
const WARM = { 1: 1500, 3: 500, 10: 300, 100: 60 } as const
/** The rows of one order, inserted as they are under new ids: three statements in a transaction. */
async function insertBare(
  client: pg.Client,
  rows: { order: object; lines: readonly object[]; taxes: readonly object[] },
): Promise<void> {
  await client.query('BEGIN')
  const { rows: inserted } = await client.query(
    `INSERT INTO sale_order SELECT r.* FROM jsonb_populate_record(NULL::sale_order, $1::jsonb || jsonb_build_object('id', nextval('sale_order_id_seq'))) r RETURNING id`,
    [JSON.stringify(rows.order)],
  )
  const { rows: lines } = await client.query(
    `INSERT INTO sale_order_line SELECT r.* FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS e(line, n)
      CROSS JOIN LATERAL jsonb_populate_record(NULL::sale_order_line, e.line || jsonb_build_object('id', nextval('sale_order_line_id_seq'), 'order_id', $2::int)) r RETURNING id`,
    [JSON.stringify(rows.lines), inserted[0].id],
  )
  await client.query(
    'INSERT INTO account_tax_sale_order_line_rel (sale_order_line_id, account_tax_id) SELECT line, tax FROM unnest($1::int[], $2::int[]) AS x(line, tax)',
    [
      lines.map((line) => line.id),
      lines.map((_, n) => (rows.taxes[n % rows.taxes.length] as { account_tax_id: number }).account_tax_id),
    ],
  )
  await client.query('COMMIT')
}

/** Measures orders of 1 to 100 lines in turn with the bare inserts; gives lines for people. */
export async function orders(): Promise<string[]> {
  const bench = await openBeside()
  const { call, client } = bench
  try {
    const products = await call('product.product/create', {
      vals_list: Array.from({ length: 100 }, (_, n) => ({ name: `Bench ${n}`, list_price: n + 0.9 })),
    })
    const [partner_id] = await call('res.partner/create', { vals_list: [{ name: 'Bench' }] })
    const said: string[] = []
    for (const size of [1, 3, 10, 100] as const) {
      const order_line = products
        .slice(0, size)
        .map((product_id) => [0, 0, { product_id, product_uom_qty: 2 }])
      const create = () => call('sale.order/create', { vals_list: [{ partner_id, order_line }] })
      const [id] = await create()
      const rowsOf = async (text: string) =>
        (await client.query(text, [id])).rows.map((row) => row.row as object)
      const [order] = await rowsOf('SELECT to_jsonb(o) AS row FROM sale_order o WHERE id = $1')
      const lines = await rowsOf('SELECT to_jsonb(l) AS row FROM sale_order_line l WHERE order_id = $1')
      const taxes = await rowsOf(
        'SELECT to_jsonb(t) AS row FROM account_tax_sale_order_line_rel t JOIN sale_order_line l ON l.id = t.sale_order_line_id WHERE l.order_id = $1',
      )
      const insert = () => insertBare(client, { order: order as object, lines, taxes })
      for (let n = 0; n < WARM[size]; n++) {
        await create()
        await insert()
      }
      await client.query('VACUUM ANALYZE')
      const [ours, bare]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await timed(create))
        bare.push(await timed(insert))
      }
      said.push(besides(`order of ${size} lines`, ours, bare))
    }
    return said
  } finally {
    await bench.close()
  }
}
