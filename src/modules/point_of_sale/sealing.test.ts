// Sealed tills: paid orders and closed sessions in a chain per point of sale, and what a check of it finds.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../../../test/support/till.ts'
import type { ChainReport } from '../../models/engine.ts'
import { sql } from '../../sql/index.ts'
import { sealedOrders, sealedSessions } from './sealing.ts'

let till: Till
let product: number
let paid: number
let tax: number

const order = (n: number, more: Row = {}) =>
  till.order({ n, lines: [{ product, price: 3, more: { tax_ids: [[6, 0, [tax]]] } }], more })
const idOf = async (n: number) =>
  (await till.ask<number[]>('pos.order/search', { domain: [['uuid', '=', `order-${n}-0`]] }))[0] as number
async function sell(n: number, more: Row = {}): Promise<number> {
  const { status, body } = await till.sync([order(n, more)])
  assert.equal(status, 200, JSON.stringify(body))
  return idOf(n)
}

const verify = async () =>
  (await till.ask<{ chains: readonly ChainReport[] }>('comptoir.chain/verify', {})).chains
const ofTill = async () => (await verify()).find((chain) => chain.model === 'pos.config')
async function assertWhole(): Promise<void> {
  const broken = (await verify()).filter((chain) => chain.break)
  assert.deepEqual(broken, [])
}

before(async () => {
  till = await openTill()
  tax = await till.make('account.tax', {
    name: 'Till 10%',
    amount: 10,
    price_include_override: 'tax_included',
  })
  product = await till.make('product.product', {
    name: 'Thing',
    list_price: 3,
    available_in_pos: true,
    taxes_id: [[6, 0, [tax]]],
  })
  paid = await sell(1)
})
after(() => till?.close())

test('sealed till: drafts are not sealed, paid orders are, each once and in their order', async () => {
  const before = (await ofTill())?.sealed ?? 0
  const [draft] = [order(2, { state: 'draft', payment_ids: [] })]
  assert.equal((await till.sync([draft as Row])).status, 200)
  assert.equal((await ofTill())?.sealed, before)
  await till.sync([order(2), order(3), order(4)])
  await till.sync([order(2), order(4)])
  const links = await till.ask<Row[]>('comptoir.chain.link/search_read', {
    domain: [['res_model', '=', 'pos.order']],
    fields: ['res_id', 'position'],
    order: 'position desc',
    limit: 3,
  })
  const ids = await till.ask<number[]>('pos.order/search', {
    domain: [['uuid', 'in', [2, 3, 4].map((n) => `order-${n}-0`)]],
  })
  assert.deepEqual(new Set(links.map((link) => link.res_id)), new Set(ids))
  const chain = await ofTill()
  assert.deepEqual([chain?.sealed, chain?.unsealed, chain?.break], [before + 3, 0, null])
})

test('sealed order: customer, invoice and refund follow, the chain stays whole', async () => {
  const partner_id = await till.make('res.partner', { name: 'Late customer' })
  const id = await sell(5)
  await till.ask('pos.order/write', { ids: [id], vals: { partner_id, email: 'late@example.com' } }, 'cashier')
  await till.ask('pos.order/action_pos_order_invoice', { ids: [id] }, 'cashier')
  const refund = await till.ask<{ res_id: number }>('pos.order/refund', { ids: [id] }, 'cashier')
  await till.ask(
    'pos.order/add_payment',
    { ids: [refund.res_id], data: { amount: -3, payment_method_id: till.cash } },
    'cashier',
  )
  await till.ask('pos.order/action_pos_order_paid', { ids: [refund.res_id] }, 'cashier')
  await assertWhole()
})

test('sealed order: neither people nor code change or remove it', async () => {
  const [line] = await till.ask<number[]>('pos.order.line/search', { domain: [['order_id', '=', paid]] })
  const [payment] = await till.ask<number[]>('pos.payment/search', { domain: [['pos_order_id', '=', paid]] })
  const refused = [
    ['pos.order/write', { ids: [paid], vals: { amount_total: 1 } }],
    ['pos.order/write', { ids: [paid], vals: { lines: [[2, line, 0]] } }],
    ['pos.order/unlink', { ids: [paid] }],
    ['pos.order.line/write', { ids: [line], vals: { qty: 2 } }],
    ['pos.order.line/unlink', { ids: [line] }],
    ['pos.payment/write', { ids: [payment], vals: { amount: 1 } }],
    ['pos.payment/unlink', { ids: [payment] }],
    ['account.tax/unlink', { ids: [tax] }],
  ] as const
  for (const person of ['cashier', 'boss', 'admin'] as const)
    for (const [path, body] of refused) {
      const { status, body: answer } = await till.call(person, path, body)
      assert.ok([403, 422].includes(status), `${person} ${path} ${JSON.stringify(answer)}`)
    }
  for (const statement of [
    sql`UPDATE pos_order SET amount_total = 1 WHERE id = ${paid}::int`,
    sql`UPDATE pos_order SET state = 'cancel' WHERE id = ${paid}::int`,
    sql`DELETE FROM pos_order WHERE id = ${paid}::int`,
    sql`UPDATE pos_order_line SET qty = 2 WHERE id = ${line as number}::int`,
    sql`DELETE FROM pos_order_line WHERE id = ${line as number}::int`,
    sql`DELETE FROM account_tax_pos_order_line_rel WHERE pos_order_line_id = ${line as number}::int`,
    sql`INSERT INTO pos_payment (pos_order_id, amount, payment_method_id, payment_date)
      SELECT pos_order_id, 1, payment_method_id, payment_date FROM pos_payment WHERE id = ${payment as number}::int`,
    sql`UPDATE pos_payment SET pos_order_id = (SELECT max(id) FROM pos_order) WHERE id = ${payment as number}::int`,
  ])
    await assert.rejects(till.run((env) => env.query(statement).then(() => undefined)))
  await assertWhole()
})

test('sealed session: its closing is in the chain, and stays', async () => {
  const { sealed = 0 } = (await ofTill()) ?? {}
  await till.ask(
    'pos.session/post_closing_cash_details',
    { ids: [till.session], counted_cash: 15 },
    'cashier',
  )
  await till.ask('pos.session/update_closing_control_state_session', { ids: [till.session], notes: '' })
  const closed = await till.ask<Row>('pos.session/close_session_from_ui', { ids: [till.session] })
  assert.equal(closed.successful, true, JSON.stringify(closed))
  const chain = await ofTill()
  assert.deepEqual([chain?.sealed, chain?.break], [sealed + 1, null])
  for (const statement of [
    sql`UPDATE pos_session SET cash_register_balance_end_real = 1 WHERE id = ${till.session}::int`,
    sql`UPDATE pos_session SET state = 'opened' WHERE id = ${till.session}::int`,
  ])
    await assert.rejects(till.run((env) => env.query(statement).then(() => undefined)))
})

test('verify: another value in any sealed column of a till is found and named', async () => {
  const declared = await till.run((env) => env.model('comptoir.chain').sealed_records())
  // Every other sealed model needs such a test too; entries have theirs in account/move/sealing.test.ts.
  assert.deepEqual(
    declared.map(({ model }) => model),
    ['account.move', sealedOrders.model, sealedSessions.model],
  )
  const rows: [string, string, string, number][] = [
    ...[...sealedOrders.fields, 'state'].map((column) => row('pos_order', column, `id = ${paid}`, paid)),
    ...sealedOrders.parts.flatMap(({ model, parent, fields }) =>
      fields.map((column) => row(model.replaceAll('.', '_'), column, `${parent} = ${paid}`, paid)),
    ),
    ...[...sealedSessions.fields, 'state'].map((column) =>
      row('pos_session', column, `id = ${till.session}`, till.session),
    ),
  ]
  const types = await till.run((env) =>
    env.query<[string, string, string]>(
      sql`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_name LIKE 'pos%'`,
    ),
  )
  for (const [table, column, where, id] of rows) {
    const type = types.find(([ofTable, name]) => ofTable === table && name === column)?.[2]
    const [change, back] = type ? flipped(table, column, where, type) : flippedTax(where)
    await till.tamper(...change)
    const broken = (await verify()).filter((chain) => chain.break)
    const problems = broken.map((chain) => [chain.break?.problem, chain.break?.id])
    // An order on another till is missed there too.
    assert.deepEqual(problems[0], ['changed', id], `${table}.${column} ${JSON.stringify(broken)}`)
    await till.tamper(...back)
  }
  await assertWhole()
})

const row = (table: string, column: string, where: string, id: number): [string, string, string, number] => [
  table,
  column,
  where,
  id,
]

/** Statements that give a column another value, and those that give it back. */
function flipped(table: string, column: string, where: string, type: string): [string[], string[]] {
  const value =
    {
      integer: `COALESCE(${column}, 0) + 1`,
      numeric: `COALESCE(${column}, 0) + 0.01`,
      'double precision': `COALESCE(${column}, 0) + 0.001`,
      boolean: `${column} IS NOT TRUE`,
      'timestamp without time zone': "'2001-01-01 00:00:00'",
    }[type] ?? `COALESCE(${column}, '') || 'x'`
  return [
    [
      `CREATE TABLE kept AS SELECT id, ${column} FROM ${table} WHERE ${where}`,
      `UPDATE ${table} SET ${column} = ${value} WHERE ${where}`,
    ],
    [`UPDATE ${table} t SET ${column} = kept.${column} FROM kept WHERE kept.id = t.id`, 'DROP TABLE kept'],
  ]
}

function flippedTax(where: string): [string[], string[]] {
  const links = `account_tax_pos_order_line_rel`
  const of = `pos_order_line_id IN (SELECT id FROM pos_order_line WHERE ${where})`
  return [
    [`CREATE TABLE kept AS SELECT * FROM ${links} WHERE ${of}`, `DELETE FROM ${links} WHERE ${of}`],
    [`INSERT INTO ${links} SELECT * FROM kept`, 'DROP TABLE kept'],
  ]
}

test('verify: an order, line or payment that was put in or removed is found', async () => {
  const later = await idOf(3)
  const tables = ['pos_order', 'pos_order_line', 'pos_payment', 'comptoir_chain', 'comptoir_chain_link']
  const attacks: readonly (readonly [string, string, number | null])[] = [
    [`DELETE FROM pos_order WHERE id = ${paid}`, 'missing', paid],
    [`DELETE FROM pos_order_line WHERE order_id = ${paid}`, 'changed', paid],
    [`DELETE FROM pos_payment WHERE pos_order_id = ${paid}`, 'changed', paid],
    [`UPDATE pos_payment SET pos_order_id = ${paid} WHERE pos_order_id > ${paid}`, 'changed', paid],
    [`DELETE FROM comptoir_chain_link WHERE res_model = 'pos.order' AND res_id = ${later}`, 'missing', later],
    ["DELETE FROM comptoir_chain_link WHERE res_model = 'pos.session'", 'missing', null],
    [
      `INSERT INTO pos_order (name, state, source, date_order, session_id, config_id, amount_total, amount_tax, amount_paid, amount_return, create_date)
        SELECT 'Forged', 'paid', source, date_order, session_id, config_id, 1, 0, 1, 0, now() AT TIME ZONE 'UTC' + interval '1 minute' FROM pos_order WHERE id = ${paid}`,
      'inserted',
      null,
    ],
    ['DELETE FROM comptoir_chain', 'inserted', paid],
  ]
  for (const [statement, problem, id] of attacks) {
    await till.tamper(
      ...tables.map((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`),
      statement,
    )
    const broken = (await verify()).filter((chain) => chain.break)
    assert.ok(
      broken.some((chain) => chain.break?.problem === problem && (id === null || chain.break.id === id)),
      `${statement}: ${JSON.stringify(broken)}`,
    )
    await till.tamper(
      ...tables.flatMap((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} SELECT * FROM kept_${table}`,
        `DROP TABLE kept_${table}`,
      ]),
    )
  }
  await assertWhole()
})

test('sealed till: a module with sealed records is not uninstalled', async () => {
  const modules = ['point_of_sale', 'stock', 'account']
  for (const names of [['point_of_sale'], modules]) {
    const ids = await till.ask<number[]>('ir.module.module/search', { domain: [['name', 'in', names]] })
    const answer = await till.call('admin', 'ir.module.module/button_immediate_uninstall', { ids })
    assert.equal(answer.status, 422)
    assert.match(
      (answer.body as { message: string }).message,
      /^Sealed records would be deleted \(.*Point of Sale Session\)/,
    )
  }
  await assertWhole()
})
