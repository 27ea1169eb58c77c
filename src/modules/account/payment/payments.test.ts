// Payments: one for a hundred documents in a bounded number of statements, what is left open, rates that
// differ, and what is undone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { eventsOf } from '../../../../test/support/events.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { idList, sql } from '../../../sql/index.ts'

let office: Accounting
let { ask, makeAll, make } = {} as Ledger
let partner: number
let bank: number
before(async () => {
  office = await openAccounting()
  ;({ ask, makeAll, make } = ledgerOf(office))
  partner = await make('res.partner', { name: 'Customer' })
  bank = await make('account.journal', { name: 'Own bank', code: 'OWN', type: 'bank' })
})
after(() => office?.close())

const readAll = (model: string, ids: readonly number[], fields: readonly string[]) =>
  ask<Row[]>(`${model}/read`, { ids, fields, load: null })

const invoice = (more: object = {}) => ({
  move_type: 'out_invoice',
  partner_id: partner,
  invoice_date: '2025-03-10',
  invoice_line_ids: [[0, 0, { name: 'Line', quantity: 2, price_unit: 10 }]],
  ...more,
})

async function posted(count: number, more: object = {}): Promise<number[]> {
  const ids = await makeAll(
    'account.move',
    Array.from({ length: count }, () => invoice(more)),
  )
  await ask('account.move/action_post', { ids })
  return ids
}

async function pay(ids: readonly number[], vals: object = {}): Promise<void> {
  const context = { active_model: 'account.move', active_ids: ids }
  const [form] = await ask<number[]>('account.payment.register/create', {
    vals_list: [{ journal_id: bank, payment_date: '2025-04-01', ...vals }],
    context,
  })
  await ask('account.payment.register/action_create_payments', { ids: [form] })
}

test('one payment for 100 invoices, and 100 payments, take as many statements as for 30', async () => {
  await pay(await posted(1))
  for (const group_payment of [true, false]) {
    const counts: number[] = []
    // Related records are read in the same statement for few documents and for many.
    for (const count of [30, 100]) {
      const ids = await posted(count)
      counts.push((await statementsOf(() => pay(ids, { group_payment }))).length)
      const rows = await readAll('account.move', ids, ['payment_state', 'amount_residual'])
      assert.ok(rows.every((row) => row.payment_state === 'paid' && row.amount_residual === 0))
      const payments = await ask<Row[]>('account.payment/search_read', {
        domain: [['invoice_ids', 'in', ids]],
        fields: ['amount'],
      })
      assert.equal(payments.length, group_payment ? 1 : count)
    }
    assert.ok((counts[1] as number) <= (counts[0] as number) + 2, `${counts}`)
  }
})

test('discounts for paying early are written off for twenty documents in the statements that five take', async () => {
  const invoice_payment_term_id = await make('account.payment.term', {
    name: 'Early',
    early_discount: true,
    discount_percentage: 10,
    discount_days: 60,
    early_pay_discount_computation: 'included',
    line_ids: [[0, 0, { value: 'percent', value_amount: 100, nb_days: 90 }]],
  })
  const counts: number[] = []
  for (const count of [5, 20]) {
    const ids = await posted(count, { invoice_payment_term_id })
    counts.push((await statementsOf(() => pay(ids, { group_payment: false }))).length)
    const rows = await readAll('account.move', ids, ['payment_state', 'amount_total'])
    assert.ok(rows.every((row) => row.payment_state === 'paid'))
    const payments = await ask<Row[]>('account.payment/search_read', {
      domain: [['invoice_ids', 'in', ids]],
      fields: ['amount'],
    })
    const [due] = rows
    assert.deepEqual(
      payments.map((payment) => payment.amount),
      rows.map(() => Math.round((due?.amount_total as number) * 90) / 100),
    )
  }
  assert.ok((counts[1] as number) <= (counts[0] as number) + 2, `${counts}`)
})

test('invoices and credit notes of one form are paid each their way: what is owed back is paid out', async () => {
  const other = await make('res.partner', { name: 'Gets back' })
  const credit = async (partner_id: number, move_type = 'out_refund') =>
    (await posted(1, { move_type, partner_id })) as [number]
  const paid = async (ids: readonly number[], group_payment: boolean) => {
    await pay(ids, { group_payment })
    const documents = await readAll('account.move', ids, ['amount_residual'])
    assert.ok(documents.every((document) => document.amount_residual === 0))
    const payments = await ask<Row[]>('account.payment/search_read', {
      domain: [['invoice_ids', 'in', ids]],
      fields: ['payment_type', 'payment_method_line_id', 'is_reconciled'],
      order: 'payment_type',
    })
    assert.ok(payments.every((payment) => payment.is_reconciled && payment.payment_method_line_id))
    return payments.map((payment) => payment.payment_type)
  }
  const both = ['inbound', 'outbound']
  assert.deepEqual(await paid([...(await posted(1)), ...(await credit(other))], true), both)
  assert.deepEqual(await paid([...(await credit(other)), ...(await posted(1))], true), both)
  assert.deepEqual(await paid([...(await posted(1)), ...(await credit(partner))], false), both)
  assert.deepEqual(await paid([...(await posted(2)), ...(await credit(partner))], true), ['inbound'])
  const bill = await posted(1, { move_type: 'in_invoice' })
  assert.deepEqual(await paid([...bill, ...(await credit(other, 'in_refund'))], true), both)
})

test('what rates differ by is booked, and taken back when the match is undone', async () => {
  const currency_id = await make('res.currency', { name: 'PAY', symbol: 'p' })
  await makeAll('res.currency.rate', [
    { currency_id, name: '2025-01-01', rate: 2 },
    { currency_id, name: '2025-04-01', rate: 4 },
  ])
  const ids = await posted(1, { currency_id })
  await pay(ids)
  const items = async () => {
    const rows = await office.run((env) =>
      env.query(sql`SELECT l.id, l.balance::float8, l.amount_residual::float8, a.account_type FROM account_move_line l
      JOIN account_account a ON a.id = l.account_id WHERE l.move_id = ANY(${idList(ids)}) AND l.display_type = 'payment_term'`),
    )
    return rows[0] as readonly [number, number, number, string]
  }
  const [item, balance, residual] = await items()
  assert.deepEqual([balance, residual], [10, 0])
  const lost = () =>
    office.run((env) =>
      env.query(sql`SELECT sum(l.balance)::float8 FROM account_move_line l JOIN account_journal j ON j.id = l.journal_id JOIN account_account a ON a.id = l.account_id
      WHERE j.code = 'EXCH' AND a.code = '641000' AND l.parent_state = 'posted'`),
    )
  assert.equal((await lost())[0]?.[0], 5)
  await ask('account.move.line/remove_move_reconcile', { ids: [item] })
  assert.deepEqual([(await items())[2], (await lost())[0]?.[0]], [10, 0])
  assert.equal((await readAll('account.move', ids, ['payment_state']))[0]?.payment_state, 'not_paid')
})

test('a posted payment whose amount is written books it; one that is matched keeps its amount', async () => {
  const id = await make('account.payment', {
    partner_id: partner,
    amount: 50,
    journal_id: bank,
    date: '2025-04-02',
  })
  await ask('account.payment/action_post', { ids: [id] })
  await ask('account.payment/write', { ids: [id], vals: { amount: 60 } })
  const [payment] = await readAll('account.payment', [id], ['move_id', 'name', 'state'])
  const lines = await ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', payment?.move_id]],
    fields: ['balance'],
  })
  assert.deepEqual(
    lines.map((line) => line.balance).sort((a, b) => Number(a) - Number(b)),
    [-60, 60],
  )
  assert.equal(payment?.state, 'in_process')
  const ids = await posted(1)
  await pay(ids)
  const [matched] = await ask<number[]>('account.payment/search', { domain: [['invoice_ids', 'in', ids]] })
  assert.equal(
    (await office.call('admin', 'account.payment/write', { ids: [matched], vals: { amount: 1 } })).status,
    422,
  )
  for (const vals of [{ stage: 'draft' }, { state: 'paid' }, { is_reconciled: true }, { move_id: false }])
    assert.equal((await office.call('admin', 'account.payment/write', { ids: [id], vals })).status, 422)
  // A record that is sent back as it was read says nothing new.
  assert.ok(
    await ask('account.payment/write', { ids: [id], vals: { state: 'in_process', memo: 'as it was' } }),
  )
  const fresh = { partner_id: partner, amount: 5, journal_id: bank }
  for (const refused of [{ state: 'paid' }, { is_reconciled: true }, { move_id: payment?.move_id }])
    assert.equal(
      (await office.call('admin', 'account.payment/create', { vals_list: [{ ...fresh, ...refused }] }))
        .status,
      422,
      JSON.stringify(refused),
    )
})

test('what is posted and what is paid are events, once each', async () => {
  const [id] = (await posted(1)) as [number]
  const events = () => office.run((env) => eventsOf(env, 'account.move', id))
  assert.deepEqual(await events(), ['account.move.posted'])
  await pay([id], { amount: 5, payment_difference_handling: 'open' })
  assert.deepEqual(await events(), ['account.move.posted'])
  await pay([id])
  assert.deepEqual(await events(), ['account.move.posted', 'account.move.paid'])
})

test('payments: an invoice of zero is paid when it is posted', async () => {
  const [id] = (await posted(1, {
    invoice_line_ids: [[0, 0, { name: 'For free', quantity: 1, price_unit: 0 }]],
  })) as [number]
  const [row] = await readAll('account.move', [id], ['payment_state'])
  assert.equal(row?.payment_state, 'paid')
  const events = await office.run((env) => eventsOf(env, 'account.move', id))
  assert.deepEqual(events, ['account.move.posted', 'account.move.paid'])
})

test('a payment that names no journal goes through the first one of money', async () => {
  const [first] = await ask<number[]>('account.journal/search', {
    domain: [['type', 'in', ['bank', 'cash', 'credit']]],
    limit: 1,
  })
  const createdPayments = await makeAll('account.payment', [{ partner_id: partner, amount: 5 }])
  const [row] = await readAll('account.payment', createdPayments, ['journal_id', 'payment_type'])
  assert.deepEqual([row?.journal_id, row?.payment_type], [first, 'inbound'])
})

test('what is settled in the currency of a document is settled in that of the company, whatever is paid and undone', async () => {
  const currency_id = await make('res.currency', { name: 'PRT', symbol: 'q', rounding: 0.05 })
  const rates = [0.73, 1.9, 2.47].map((rate, i) => ({ currency_id, name: `2025-0${i + 2}-01`, rate }))
  await makeAll('res.currency.rate', rates)
  const moves = await posted(3, { currency_id })
  const [usd] = await ask<number[]>('res.currency/search', { domain: [['name', '=', 'USD']] })
  const random = fc.record({
    which: fc.integer({ min: 0, max: 2 }),
    month: fc.integer({ min: 2, max: 5 }),
    what: fc.constantFrom('pay', 'pay', 'part', 'company', 'draft', 'cancel', 'unmatch'),
  })
  const [steps] = fc.sample(fc.array(random, { minLength: 10, maxLength: 10 }), 1)
  for (const { which, month, what } of steps ?? []) {
    const id = moves[which] as number
    const domain = [['invoice_ids', 'in', [id]]]
    const [payment] = await ask<number[]>('account.payment/search', { domain, limit: 1, order: 'id desc' })
    const [open] = await readAll('account.move', [id], ['amount_residual', 'line_ids'])
    const vals = { payment_date: `2025-0${month}-10` }
    if (what === 'unmatch') await ask('account.move.line/remove_move_reconcile', { ids: open?.line_ids })
    else if (what === 'draft' || what === 'cancel') {
      if (payment) await office.call('admin', `account.payment/action_${what}`, { ids: [payment] })
    } else if (open?.amount_residual)
      await pay(
        [id],
        what === 'part' ? { ...vals, amount: 7.35 } : what === 'pay' ? vals : { ...vals, currency_id: usd },
      )
    for (const row of await readAll('account.move', moves, ['amount_residual', 'amount_residual_signed']))
      if (row.amount_residual === 0) assert.equal(row.amount_residual_signed, 0, JSON.stringify(steps))
  }
  // Nothing is matched: the books are as they were, and differences of rates come to nothing.
  const lines = (await readAll('account.move', moves, ['line_ids'])).flatMap(
    (row) => row.line_ids as number[],
  )
  await ask('account.move.line/remove_move_reconcile', { ids: lines })
  for (const row of await readAll('account.move', moves, ['amount_residual_signed', 'amount_total_signed']))
    assert.equal(row.amount_residual_signed, row.amount_total_signed)
  const differences = await office.run((env) =>
    env.query(sql`SELECT COALESCE(sum(l.balance), 0)::float8 FROM account_move_line l JOIN account_move m ON m.id = l.move_id
      JOIN account_journal j ON j.id = m.journal_id JOIN account_account a ON a.id = l.account_id
      WHERE j.code = 'EXCH' AND m.state = 'posted' AND a.account_type = 'asset_receivable' AND l.currency_id = ${currency_id}::int`),
  )
  assert.equal(differences[0]?.[0], 0)
})

test('everything that was posted here balances', async () => {
  const rows = await office.run((env) =>
    env.query(
      sql`SELECT move_id FROM account_move_line WHERE parent_state = 'posted' GROUP BY 1 HAVING round(sum(balance), 6) <> 0`,
    ),
  )
  assert.deepEqual(rows, [])
})

test('payments are found by the documents of one kind that they paid, and by having none', async () => {
  const [paid] = await posted(1)
  await pay([paid ?? 0])
  const free = await make('account.payment', { amount: 5, journal_id: bank, partner_id: partner })
  const [{ id = 0 } = {}] = await ask<Row[]>('account.payment/search_read', {
    domain: [['reconciled_invoice_ids', '=', paid]],
    fields: [],
  })
  assert.ok(id)
  const search = (field: string, operator: string, value: unknown) =>
    ask<number[]>('account.payment/search', {
      domain: [
        [field, operator, value],
        ['id', 'in', [id, free]],
      ],
      order: 'id',
    })
  const field = 'reconciled_invoice_ids'
  assert.deepEqual(await search(field, '=', false), [free])
  assert.deepEqual(await search(field, '!=', false), [id])
  assert.deepEqual(await search(field, 'any', []), [id])
  assert.deepEqual(await search(field, 'in', [paid, false]), [id, free])
  assert.deepEqual(await search('reconciled_bill_ids', '=', false), [id, free])
  assert.deepEqual(await search('reconciled_bill_ids', '=', paid), [])
})

test('account.payment.register: documents of several currencies show their total in the currency of the company', async () => {
  const currency_id = await make('res.currency', { name: 'WHL', symbol: 'w', rounding: 1 })
  await make('res.currency.rate', { currency_id, name: '2025-01-01', rate: 110.37 })
  const active_ids = [...(await posted(1)), ...(await posted(1, { currency_id }))]
  const [form] = await ask<number[]>('account.payment.register/create', {
    vals_list: [{ journal_id: bank }],
    context: { active_model: 'account.move', active_ids },
  })
  const fields = ['source_currency_id', 'company_currency_id', 'source_amount', 'source_amount_currency']
  const [amounts] = (await readAll('account.payment.register', [form as number], fields)) as [Row]
  assert.equal(amounts.source_currency_id, amounts.company_currency_id)
  assert.equal(amounts.source_amount_currency, amounts.source_amount)
})

/** Open receivables of some entries, their matches, and what is left of their differences of rates. */
async function matching(moves: readonly number[]) {
  const domain = [
    ['move_id', 'in', moves],
    ['account_id.account_type', '=', 'asset_receivable'],
  ]
  const fields = ['amount_residual', 'full_reconcile_id', 'matching_number']
  return ask<Row[]>('account.move.line/search_read', { domain, fields, order: 'id', load: null })
}

const matchesOf = (items: readonly number[]) =>
  ask<Row[]>('account.partial.reconcile/search_read', {
    domain: ['|', ['debit_move_id', 'in', items], ['credit_move_id', 'in', items]],
    fields: ['exchange_move_id'],
    order: 'id',
    load: null,
  })

/** A currency that is worth half as much from April on. */
async function currencyOfTwoRates(name: string): Promise<number> {
  const currency_id = await make('res.currency', { name, symbol: name })
  await makeAll('res.currency.rate', [
    { currency_id, name: '2025-01-01', rate: 2 },
    { currency_id, name: '2025-04-01', rate: 4 },
  ])
  return currency_id
}

test('matches: a difference of rates that waits for a draft has no amount in the currency of its item', async () => {
  const currency_id = await currencyOfTwoRates('WAI')
  const [invoiced] = await posted(1, { currency_id })
  const ids = await ask<number[]>('account.payment.register/create', {
    vals_list: [{ journal_id: bank, payment_date: '2025-04-15' }],
    context: { active_model: 'account.move', active_ids: [invoiced] },
  })
  await ask('account.move/button_draft', { ids: [invoiced] })
  await ask('account.payment.register/action_create_payments', { ids })
  await ask('account.move/action_post', { ids: [invoiced] })
  const [owed] = await matching([invoiced as number])
  const matches = await matchesOf([owed?.id as number])
  const difference = matches.find((match) => match.exchange_move_id)?.exchange_move_id as number
  const items = await ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', difference]],
    fields: ['parent_state', 'balance', 'amount_currency', 'amount_residual_currency'],
  })
  assert.equal(items.length, 2)
  for (const { parent_state, balance, amount_currency, amount_residual_currency } of items) {
    assert.deepEqual([parent_state, amount_currency, amount_residual_currency], ['posted', 0, 0])
    assert.notEqual(balance, 0)
  }
})

test('matches: removing one removes its exchange difference and its number; they cannot be written', async () => {
  const currency_id = await currencyOfTwoRates('MAT')
  const [invoiced] = await posted(1, { currency_id })
  await pay([invoiced as number])
  const [owed] = await matching([invoiced as number])
  assert.equal(owed?.amount_residual, 0)
  const matches = await matchesOf([owed?.id as number])
  const match = matches.find((match) => match.exchange_move_id)
  const forged = { debit_move_id: owed?.id, credit_move_id: owed?.id, amount: 5 }
  const status = async (path: string, body: object) =>
    (await office.call('biller', `account.partial.reconcile/${path}`, body)).status
  assert.equal(await status('write', { ids: [match?.id], vals: { amount: 1 } }), 422)
  assert.equal(await status('create', { vals_list: [forged] }), 422)
  assert.equal(await status('unlink', { ids: [match?.id] }), 200)
  assert.deepEqual(await matching([invoiced as number]), [
    { id: owed?.id, amount_residual: 10, full_reconcile_id: false, matching_number: false },
  ])
  assert.deepEqual(await matchesOf([owed?.id as number]), [])
})

test('an invoice is matched with money on account, and that match alone is taken back', async () => {
  const contact = await make('res.partner', { name: 'On account' })
  const vals = { payment_type: 'inbound', partner_type: 'customer', partner_id: contact, journal_id: bank }
  const payments = await makeAll('account.payment', [
    { ...vals, amount: 8 },
    { ...vals, amount: 5 },
  ])
  await ask('account.payment/action_post', { ids: payments })
  const [bill] = await posted(1, { partner_id: contact })
  const now = async () => {
    const fields = ['payment_state', 'amount_residual', 'invoice_has_outstanding']
    const [row] = await readAll('account.move', [bill as number], fields)
    return fields.map((field) => row?.[field])
  }
  assert.deepEqual(await now(), ['not_paid', 20, true])
  const credits = await ask<number[]>('account.move.line/search', {
    domain: [
      ['payment_id', 'in', payments],
      ['account_id.account_type', '=', 'asset_receivable'],
    ],
    order: 'id',
  })
  for (const line_id of credits)
    await ask('account.move/js_assign_outstanding_line', { ids: [bill], line_id })
  assert.deepEqual(await now(), ['partial', 7, false])
  const [first] = await matchesOf([credits[0] as number])
  const removed = { ids: [bill], partial_id: first?.id }
  assert.equal(await ask('account.move/js_remove_outstanding_partial', removed), true)
  assert.deepEqual(await now(), ['partial', 15, true])
  const [other] = await posted(1)
  const [kept] = await matchesOf([credits[1] as number])
  const foreign = { ids: [other], partial_id: kept?.id }
  assert.equal(
    (await office.call('admin', 'account.move/js_remove_outstanding_partial', foreign)).status,
    422,
  )
})

test('a payment that the bank rejects pays nothing any more; a draft is no payment that it could reject', async () => {
  const [rejected] = await posted(1)
  await pay([rejected as number])
  const [payment] = await ask<number[]>('account.payment/search', {
    domain: [['invoice_ids', 'in', [rejected]]],
  })
  await ask('account.payment/action_reject', { ids: [payment] })
  const [row] = await readAll('account.payment', [payment as number], ['state', 'is_matched'])
  assert.deepEqual(row, { id: payment, state: 'rejected', is_matched: false })
  assert.equal(
    (await readAll('account.move', [rejected as number], ['payment_state']))[0]?.payment_state,
    'not_paid',
  )
  const again = await office.call('admin', 'account.payment/action_reject', { ids: [payment] })
  assert.equal(again.status, 422)
})

test('links to methods of journals and to matches show the journal, and the model with the id', async () => {
  const ids = await posted(1)
  await pay(ids, {})
  const [payment] = await ask<[Row]>('account.payment/search_read', {
    domain: [['invoice_ids', 'in', ids]],
    fields: ['payment_method_line_id'],
  })
  assert.match(String((payment.payment_method_line_id as [number, string])[1]), /^Manual Payment \(.+\)$/)
  const [item] = await ask<[Row]>('account.move.line/search_read', {
    domain: [
      ['move_id', 'in', ids],
      ['full_reconcile_id', '!=', false],
    ],
    fields: ['full_reconcile_id'],
  })
  const [match, name] = item.full_reconcile_id as [number, string]
  assert.equal(name, `account.full.reconcile,${match}`)
})
