// Books that cannot be wrong: what is posted balances and stays, numbers have no gaps, and a hundred
// documents take no more statements than ten.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { raw, sql } from '../../../sql/index.ts'

let office: Accounting
let { ask, makeAll, make } = {} as Ledger
let partner: number
before(async () => {
  office = await openAccounting()
  ;({ ask, makeAll, make } = ledgerOf(office))
  partner = await make('res.partner', { name: 'Customer' })
})
after(() => office?.close())

const read = async (id: number, fields: readonly string[]) =>
  (await ask<Row[]>('account.move/read', { ids: [id], fields, load: null }))[0] as Row
const itemsOf = (id: number, fields: readonly string[]) =>
  ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', id]],
    fields,
    order: 'id',
    load: null,
  })
const post = (ids: readonly number[]) => ask('account.move/action_post', { ids })

const invoice = (more: object = {}, lines = 1) => ({
  move_type: 'out_invoice',
  partner_id: partner,
  invoice_date: '2025-03-10',
  invoice_line_ids: Array.from({ length: lines }, (_, n) => [
    0,
    0,
    { name: `Line ${n}`, quantity: n + 1, price_unit: 9.99 },
  ]),
  ...more,
})

test('posting and making 100 invoices of 10 lines takes as many statements as 30 of them', async () => {
  await post(await makeAll('account.move', [invoice({}, 10)]))
  const counts: number[][] = []
  // Related records are read in the same statement for few entries and for many.
  for (const count of [30, 100]) {
    let ids: number[] = []
    const statements = await statementsOf(async () => {
      ids = await makeAll(
        'account.move',
        Array.from({ length: count }, () => invoice({}, 10)),
      )
    })
    const posted = await statementsOf(() => post(ids))
    assert.equal(
      await ask('account.move/search_count', {
        domain: [
          ['id', 'in', ids],
          ['state', '=', 'posted'],
        ],
      }),
      count,
    )
    counts.push([statements.length, posted.length])
  }
  const [[makeThirty, postThirty], [makeHundred, postHundred]] = counts as [
    [number, number],
    [number, number],
  ]
  // Now and then the server has something of its own to write down in between.
  assert.ok(makeHundred <= makeThirty + 2 && postHundred <= postThirty + 2, JSON.stringify(counts))
  assert.ok(makeThirty <= 85 && postThirty <= 55, JSON.stringify(counts))
})

test('16 postings at once: every number once, none left out, also after a number that was typed', async () => {
  const journal_id = await make('account.journal', { name: 'Together', code: 'TOG', type: 'sale' })
  const ids = await makeAll(
    'account.move',
    Array.from({ length: 16 }, () => invoice({ journal_id })),
  )
  const typed = await make('account.move', invoice({ journal_id, name: 'F2025-007/TOG' }))
  await post([typed])
  await Promise.all(ids.map((id) => post([id])))
  const names = (await ask<Row[]>('account.move/read', { ids, fields: ['name'] }))
    .map((row) => row.name as string)
    .sort()
  assert.deepEqual(
    names,
    ids.map((_, n) => `F2025-${String(n + 8).padStart(3, '0')}/TOG`),
  )
})

test('invoices and bills of one contact are posted at once, and none is sent away', async () => {
  const partner_id = await make('res.partner', { name: 'Buys and sells' })
  const ids = await makeAll(
    'account.move',
    Array.from({ length: 64 }, (_, n) =>
      invoice({ move_type: n % 2 ? 'in_invoice' : 'out_invoice', partner_id }, 6),
    ),
  )
  await Promise.all(ids.map((id) => post([id])))
  const [contact] = await ask<Row[]>('res.partner/read', {
    ids: [partner_id],
    fields: ['customer_rank', 'supplier_rank'],
  })
  assert.deepEqual([contact?.customer_rank, contact?.supplier_rank], [32, 32])
})

test('a number of a draft that goes away is free again; one that is taken is refused', async () => {
  const journal_id = await make('account.journal', { name: 'Again', code: 'AGN', type: 'sale' })
  const [first, second] = await makeAll('account.move', [invoice({ journal_id }), invoice({ journal_id })])
  await post([first as number])
  const owed = (await itemsOf(first as number, ['name', 'display_type'])).find(
    ({ display_type }) => display_type === 'payment_term',
  )
  assert.equal(owed?.name, 'AGN/2025/00001')
  await ask('account.move/button_draft', { ids: [first] })
  await ask('account.move/unlink', { ids: [first] })
  await post([second as number])
  const rest = await makeAll('account.move', [invoice({ journal_id }), invoice({ journal_id })])
  await post(rest)
  await ask('account.move/button_draft', { ids: rest })
  const remove = async (ids: readonly number[]) =>
    (await office.call('biller', 'account.move/unlink', { ids })).status
  assert.deepEqual([await remove(rest.slice(0, 1)), await remove(rest)], [422, 200])
  assert.equal((await read(second as number, ['name'])).name, 'AGN/2025/00001')
  const twin = await make('account.move', invoice({ journal_id, name: 'AGN/2025/00001' }))
  assert.equal((await office.call('admin', 'account.move/action_post', { ids: [twin] })).status, 422)
})

test('an invoice of less than nothing becomes a credit note of more; what was posted keeps its kind; none is cancelled twice', async () => {
  const line = { name: 'Taken back', quantity: 2, price_unit: -9.99 }
  const id = await make('account.move', invoice({ invoice_line_ids: [[0, 0, line]] }))
  await ask('account.move/action_switch_move_type', { ids: [id] })
  const { move_type, amount_total } = await read(id, ['move_type', 'amount_total'])
  assert.deepEqual([move_type, amount_total], ['out_refund', 19.98])
  await post([id])
  for (const [method, name] of [
    ['action_switch_move_type', 'ValidationError'],
    ['button_cancel', ''],
    ['button_cancel', 'UserError'],
  ] as const) {
    const answer = await office.call('admin', `account.move/${method}`, { ids: [id] })
    const refused = name && `odoo.exceptions.${name}`
    assert.equal(answer.status === 200 ? '' : (answer.body as Row).name, refused, method)
  }
})

test('the database itself refuses what would make the books wrong', async () => {
  const id = await make('account.move', invoice())
  await post([id])
  const attempts = [
    sql`UPDATE account_move_line SET balance = balance + 1, debit = debit + 1 WHERE move_id = ${id}::int`,
    sql`UPDATE account_move_line SET account_id = (SELECT max(id) FROM account_account) WHERE move_id = ${id}::int`,
    sql`DELETE FROM account_move_line WHERE move_id = ${id}::int`,
    sql`INSERT INTO account_move_line (move_id, display_type, currency_id, balance, debit) SELECT ${id}::int, 'product', currency_id, 5, 5 FROM account_move WHERE id = ${id}::int`,
    sql`UPDATE account_move_line SET parent_state = 'draft' WHERE move_id = ${id}::int`,
    sql`UPDATE account_move_line SET date = '2020-01-01' WHERE move_id = ${id}::int`,
    sql`UPDATE account_move SET date = '2020-01-01' WHERE id = ${id}::int`,
    sql`DELETE FROM account_move WHERE id = ${id}::int`,
  ]
  for (const attempt of attempts)
    await assert.rejects(office.run((env) => env.query(attempt).then(() => undefined)))
  // A draft that does not balance may be there; it cannot be posted, by no statement.
  const draft = await make('account.move', invoice())
  const unbalance = sql`UPDATE account_move_line SET balance = balance + 1, debit = debit + 1 WHERE move_id = ${draft}::int AND debit > 0`
  await assert.rejects(
    office.run(async (env) => {
      await env.query(unbalance)
      await env.query(sql`UPDATE account_move SET state = 'posted', name = 'X/1' WHERE id = ${draft}::int`)
    }),
    /balance/,
  )
  assert.equal((await read(draft, ['state'])).state, 'draft')
  assert.equal(
    (await itemsOf(id, ['balance'])).reduce((sum, item) => sum + (item.balance as number), 0),
    0,
  )
})

test('what is refused while posted, by every way in', async () => {
  const tax = await make('account.tax', { name: 'Late', amount: 10 })
  const id = await make('account.move', invoice())
  const [line] = (await itemsOf(id, [])).map((item) => item.id)
  await post([id])
  const refused = [
    ['account.move/write', { ids: [id], vals: { partner_id: false } }],
    ['account.move/write', { ids: [id], vals: { date: '2025-04-01' } }],
    ['account.move/write', { ids: [id], vals: { line_ids: [[1, line, { debit: 3 }]] } }],
    ['account.move/write', { ids: [id], vals: { invoice_line_ids: [[2, line, 0]] } }],
    ['account.move/write', { ids: [id], vals: { state: 'draft' } }],
    ['account.move/write', { ids: [id], vals: { amount_residual: 0, payment_state: 'paid' } }],
    ['account.move/load', { fields: ['.id', 'state'], data: [[String(id), 'Draft']] }],
    ['account.move.line/write', { ids: [line], vals: { parent_state: 'draft' } }],
    ['account.move.line/write', { ids: [line], vals: { reconciled: true, amount_residual: 0 } }],
    ['account.move.line/write', { ids: [line], vals: { date: '2020-01-01' } }],
    ['account.move.line/write', { ids: [line], vals: { price_unit: 1 } }],
    ['account.move.line/write', { ids: [line], vals: { tax_ids: [[4, tax]] } }],
    ['account.move.line/unlink', { ids: [line] }],
    ['account.move.line/create', { vals_list: [{ move_id: id, name: 'Late', price_unit: 1 }] }],
    ['account.move/load', { fields: ['.id', 'date'], data: [[String(id), '2025-05-05']] }],
  ] as const
  for (const [path, body] of refused) {
    const answer = await office.call('admin', path, body)
    const messages = (answer.body as { messages?: unknown[] }).messages
    assert.ok(
      answer.status === 422 || (path.endsWith('load') && messages?.length),
      `${path} ${JSON.stringify(answer)}`,
    )
  }
  const [item] = await itemsOf(id, ['name', 'balance', 'parent_state', 'date'])
  // Unchanged values may be sent too.
  await ask('account.move.line/write', {
    ids: [item?.id],
    vals: { name: item?.name, parent_state: 'posted' },
  })
  assert.equal((await read(id, ['amount_total'])).amount_total, 9.99)
  await ask('account.move/write', { ids: [id], vals: { ref: 'May change' } })
})

test('a period whose taxes are declared takes entries without taxes, and no others', async () => {
  const tax = await make('account.tax', { name: 'Declared', amount: 10 })
  const line = (tax_ids: readonly number[]) => ({
    invoice_date: '2022-03-03',
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 5, tax_ids: [[6, 0, tax_ids]] }]],
  })
  const [plain, taxed] = await makeAll('account.move', [invoice(line([])), invoice(line([tax]))])
  const company = await office.run(async (env) => env.companyId)
  await ask('res.company/write', { ids: [company], vals: { tax_lock_date: '2022-12-31' } })
  const posting = async (id?: number) =>
    (await office.call('admin', 'account.move/action_post', { ids: [id] })).status
  assert.deepEqual([await posting(plain), await posting(taxed)], [200, 422])
  await ask('res.company/write', { ids: [company], vals: { tax_lock_date: false } })
  assert.equal(await posting(taxed), 200)
})

test('closed periods: nothing is posted into them, nothing of them is reset', async () => {
  const id = await make('account.move', invoice({ invoice_date: '2023-05-05' }))
  const later = await make('account.move', invoice({ invoice_date: '2023-05-06' }))
  await post([id])
  const company = await office.run(async (env) => env.companyId)
  await ask('res.company/write', { ids: [company], vals: { fiscalyear_lock_date: '2023-12-31' } })
  try {
    assert.equal((await office.call('admin', 'account.move/action_post', { ids: [later] })).status, 422)
    assert.equal((await office.call('admin', 'account.move/button_draft', { ids: [id] })).status, 422)
    assert.equal((await office.call('admin', 'account.move/button_cancel', { ids: [id] })).status, 422)
  } finally {
    await ask('res.company/write', { ids: [company], vals: { fiscalyear_lock_date: false } })
  }
  await ask('account.move/button_draft', { ids: [id] })
})

test('a hard lock date goes forward only, by whatever way and for whomever', async () => {
  const company = await make('res.company', { name: 'Locked', hard_lock_date: '2020-06-30' })
  const write = async (day: string | false, path = 'res.company/write') =>
    (await office.call('admin', path, { ids: [company], vals: { hard_lock_date: day } })).status
  assert.deepEqual(
    [await write(false), await write('2020-06-29'), await write('2020-12-31')],
    [422, 422, 200],
  )
  // A day that is typed wrong would close the books of all days until then, for good.
  assert.equal(await write('2199-01-01'), 422)
  const closed = { name: 'Closed', hard_lock_date: '2199-01-01' }
  assert.equal((await office.call('admin', 'res.company/create', { vals_list: [closed] })).status, 422)
  await assert.rejects(
    office.run((env) => env.model('res.company').browse([company]).write({ hard_lock_date: '2020-07-01' })),
    { name: 'UserError' },
  )
  const [row] = (await ask('res.company/read', { ids: [company], fields: ['hard_lock_date'] })) as object[]
  assert.deepEqual(row, { id: company, hard_lock_date: '2020-12-31' })
})

test('the guards are there once, also after an upgrade', async () => {
  const triggers = () =>
    office.run((env) =>
      env.query(
        raw(
          `SELECT tgname FROM pg_trigger WHERE tgrelid IN ('account_move'::regclass, 'account_move_line'::regclass) AND NOT tgisinternal ORDER BY 1`,
        ),
      ),
    )
  assert.deepEqual(
    (await triggers()).map((row) => row[0]),
    [
      'agreeing',
      'balanced',
      'bill_once',
      'bill_once_made',
      'kept_amounts',
      'kept_from_removal',
      'kept_items',
      'kept_row',
      'mark',
      'mark_made',
      'seal',
      'seal_made',
      'sealed',
      'sealed',
      'sealed_from_removal',
      'sealed_row',
    ],
  )
})
