// Point of sale compared with bare SQL that leaves, or reads, the same rows: an order and a hundred,
// the products that a till loads (10,000), and the closing of a session of a thousand orders.
import pg from 'pg'
import type { Query } from '../../src/postgres/index.ts'
import { recordStatements } from '../support/statements.ts'
import { openTill, type Row, type Till } from '../support/till.ts'
import { middle, timed } from './timed.ts'

const ROUNDS = 9
const PRODUCTS = 10_000
const CLOSED = 1000

/** Columns in which a row and its copy must differ, besides the id. */
const fresh: Readonly<Record<string, string>> = {
  pos_order: `'uuid', gen_random_uuid()`,
  pos_order_line: `'uuid', gen_random_uuid()`,
  pos_payment: `'uuid', gen_random_uuid()`,
  stock_picking: `'name', gen_random_uuid()`,
  account_move: `'name', gen_random_uuid(), 'state', 'draft'`,
}

/** Copies rows under new ids: what a call inserted, without the call. */
const copy = (client: pg.Client, table: string, where: string, times: number, more = fresh[table]) =>
  client.query(
    `INSERT INTO ${table} SELECT r.* FROM generate_series(1, ${times}) g(n) CROSS JOIN (SELECT to_jsonb(x) AS row FROM ${table} x WHERE ${where}) e
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${table}, e.row || jsonb_build_object('n', g.n, 'id', nextval('${table}_id_seq')${more ? `, ${more}` : ''})) r`,
  )

const inTransaction = async (client: pg.Client, work: () => Promise<unknown>): Promise<void> => {
  await client.query('BEGIN')
  await work()
  await client.query('COMMIT')
}

/** The rows of an order, table by table. */
async function patternOf(client: pg.Client, order: number): Promise<readonly [string, string][]> {
  const pickings = `SELECT id FROM stock_picking WHERE pos_order_id = ${order}`
  const rows: readonly [string, string][] = [
    ['pos_order', `id = ${order}`],
    ['pos_order_line', `order_id = ${order}`],
    ['pos_payment', `pos_order_id = ${order}`],
    ['stock_picking', `pos_order_id = ${order}`],
    ['stock_move', `picking_id IN (${pickings})`],
    ['stock_move_line', `picking_id IN (${pickings})`],
  ]
  const copies: [string, string][] = []
  for (const [table, where] of rows) {
    const ids = (await client.query(`SELECT id FROM ${table} WHERE ${where}`)).rows.map(({ id }) => id)
    if (ids.length) copies.push([table, `id IN (${ids.join(', ')})`])
  }
  return copies
}

/** The rows of an order that is there, so many times over. */
const syncBare = (client: pg.Client, pattern: readonly [string, string][], times: number) =>
  inTransaction(client, async () => {
    for (const [table, where] of pattern) await copy(client, table, where, times)
  })

/** The reads of orders by a closing session, and copies of the rows that it left. */
const closeBare = (client: pg.Client, reads: readonly Query[], session: number, moves: readonly number[]) =>
  inTransaction(client, async () => {
    for (const { text, values } of reads) await client.query(text, [...values])
    const columns = `'move_id', currval('account_move_id_seq')`
    for (const move of moves) {
      await copy(client, 'account_move', `id = ${move}`, 1)
      await copy(client, 'account_move_line', `move_id = ${move}`, 1, `${columns}, 'parent_state', 'draft'`)
      await copy(client, 'account_bank_statement_line', `move_id = ${move}`, 1, columns)
    }
    await client.query(
      `UPDATE pos_order SET state = 'done', write_date = now() WHERE session_id = ${session}`,
    )
    await client.query(`UPDATE pos_session SET state = 'closed', stop_at = now() WHERE id = ${session}`)
  })

/** A session at the shop, counted and open. */
async function opened(till: Till): Promise<number> {
  await till.ask('pos.config/open_ui', { ids: [till.config] })
  const { current_session_id } = await till.read('pos.config', till.config, ['current_session_id'])
  const ids = [current_session_id]
  await till.ask('pos.session/set_opening_control', { ids, cashbox_value: 0, notes: '' })
  return current_session_id as number
}

const line = (what: string, ours: readonly number[], bare: readonly number[]) =>
  `${what}: ${middle(ours).toFixed(1)} ms, bare SQL ${middle(bare).toFixed(1)} ms: ${(middle(ours) / middle(bare)).toFixed(1)} times`

/** Statements of a call that match a pattern. */
async function statementsLike(work: () => Promise<unknown>, pattern: RegExp): Promise<Query[]> {
  const recorder = recordStatements()
  await work()
  recorder.stop()
  return recorder.statements.filter(({ text }) => pattern.test(text))
}

/** Measures each case and its bare SQL; returns printable lines. */
export async function tills(): Promise<string[]> {
  const till = await openTill()
  const client = new pg.Client({ ...till.address, database: 'test' } as pg.ClientConfig)
  try {
    await client.connect()
    const products = await stocked(till)
    let n = 0
    const orders = (count: number, more: Row = {}): Row[] =>
      Array.from({ length: count }, () =>
        till.order({
          n: ++n,
          lines: Array.from({ length: 3 }, (_, i) => ({ product: products[i] as number, price: i + 1 })),
          more,
        }),
      )
    const sync = async (some: readonly Row[]) => {
      const { status, body } = await till.sync(some)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as { 'pos.order': [{ id: number }] }
    }
    const said: string[] = []
    for (const size of [1, 100]) {
      const pattern = await patternOf(client, (await sync(orders(size)))['pos.order'][0].id)
      const [ours, bare]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        const some = orders(size)
        ours.push(await timed(() => sync(some)))
        bare.push(await timed(() => syncBare(client, pattern, size)))
      }
      said.push(line(`sync of ${size} ${size === 1 ? 'order' : 'orders'} of 3 goods`, ours, bare))
    }
    return [...said, await loading(till, client), await closing(till, client, orders, sync)]
  } finally {
    await client.end()
    await till.close()
  }
}

async function stocked(till: Till): Promise<number[]> {
  const productIds: number[] = []
  const categ = await till.make('pos.category', { name: 'Food' })
  for (let at = 0; at < PRODUCTS; at += 1000)
    productIds.push(
      ...(await till.ask<number[]>('product.product/create', {
        vals_list: Array.from({ length: 1000 }, (_, i) => ({
          name: `Product ${at + i}`,
          default_code: `P${at + i}`,
          barcode: `B${at + i}`,
          list_price: 1 + (i % 90),
          is_storable: true,
          available_in_pos: true,
          pos_categ_ids: [[6, 0, [categ]]],
        })),
      })),
    )
  return productIds
}

async function loading(till: Till, client: pg.Client): Promise<string> {
  const load = () => till.ask('pos.session/load_data', { ids: [till.session], models_to_load: [] }, 'cashier')
  await load()
  const reads = await statementsLike(load, /^\s*SELECT/i)
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timed(load))
    bare.push(
      await timed(() =>
        inTransaction(client, async () => {
          for (const { text, values } of reads) await client.query(text, [...values])
        }),
      ),
    )
  }
  return `${line(`load_data of ${PRODUCTS} products`, ours, bare)}, ${reads.length} statements`
}

async function closing(
  till: Till,
  client: pg.Client,
  orders: (count: number, more: Row) => Row[],
  sync: (some: readonly Row[]) => Promise<unknown>,
): Promise<string> {
  await till.ask('pos.session/close_session_from_ui', { ids: [till.session] })
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < 4; round++) {
    const session = await opened(till)
    for (let i = 0; i < CLOSED; i += 200) await sync(orders(200, { session_id: session }))
    const recorder = recordStatements()
    const close = () => till.ask('pos.session/close_session_from_ui', { ids: [session] })
    ours.push(await timed(close))
    recorder.stop()
    const { rows } = await client.query(
      `SELECT move_id AS id FROM pos_session WHERE id = $1 UNION SELECT move_id FROM account_bank_statement_line WHERE pos_session_id = $1
        UNION SELECT move_id FROM account_payment WHERE pos_session_id = $1`,
      [session],
    )
    const reads = recorder.statements.filter(({ text }) =>
      /^SELECT (?:o\.id, o\.name|p\.id, o\.id)/.test(text),
    )
    const moves = rows.map(({ id }) => id as number)
    bare.push(await timed(() => closeBare(client, reads, session, moves)))
  }
  return line(`closing a session of ${CLOSED} orders`, ours, bare)
}
