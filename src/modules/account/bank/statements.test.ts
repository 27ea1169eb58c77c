// Lines of statements and cash boxes: their entries, what is open of them, what a journal holds after each,
// in two currencies, and statements over them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf } from '../../../../test/support/ledger.ts'
import { statementsOf } from '../../../../test/support/statements.ts'

const MODEL = 'account.bank.statement.line'
let ledger: Ledger
let bank: number
let account: number
let suspense: number
before(async () => {
  ledger = ledgerOf(await openAccounting())
  bank = await ledger.make('account.journal', { name: 'Bank S', code: 'BNS', type: 'bank' })
  const row = await ledger.read('account.journal', bank, ['default_account_id', 'suspense_account_id'])
  account = row.default_account_id as number
  suspense = row.suspense_account_id as number
})
after(() => ledger?.office.close())

const items = async (line: number) => {
  const rows = await ledger.search(
    'account.move.line',
    [['statement_line_id', '=', line]],
    ['account_id', 'debit', 'credit', 'amount_currency'],
  )
  return rows.map((row) => [row.account_id, row.debit, row.credit, row.amount_currency])
}

test('money that comes in is posted against the suspense account, and open; cash out goes the other way', async () => {
  const [first, second] = await ledger.makeAll(MODEL, [
    { journal_id: bank, date: '2025-03-01', amount: 20, payment_ref: 'coins' },
    { journal_id: bank, date: '2025-03-02', amount: -12.5, payment_ref: 'flowers' },
  ])
  const row = await ledger.read(MODEL, first as number, [
    'state',
    'name',
    'is_reconciled',
    'amount_residual',
    'running_balance',
    'date',
  ])
  assert.deepEqual(row, {
    id: first,
    state: 'posted',
    name: 'BNS/2025/00001',
    is_reconciled: false,
    amount_residual: -20,
    running_balance: 20,
    date: '2025-03-01',
  })
  assert.deepEqual(await items(second as number), [
    [account, 0, 12.5, -12.5],
    [suspense, 12.5, 0, 12.5],
  ])
  assert.equal((await ledger.read(MODEL, second as number, ['running_balance'])).running_balance, 7.5)
  for (const vals of [
    { is_reconciled: true },
    { amount_residual: 0 },
    { state: 'draft' },
    { move_id: false },
  ])
    assert.equal((await ledger.office.call('admin', `${MODEL}/write`, { ids: [first], vals })).status, 422)
  // Nor do they take entries that hold something already, or are another line's.
  const { move_id } = await ledger.read(MODEL, second as number, ['move_id'])
  const draft = await ledger.make('account.move', {
    move_type: 'entry',
    journal_id: bank,
    line_ids: [5, -5].map((balance) => [0, 0, { account_id: suspense, balance }]),
  })
  const held = await ledger.read('account.move', draft, ['line_ids'])
  for (const taken of [move_id, draft]) {
    const vals_list = [{ journal_id: bank, date: '2025-03-01', amount: 1, move_id: taken }]
    assert.equal((await ledger.office.call('admin', `${MODEL}/create`, { vals_list })).status, 422)
  }
  assert.deepEqual(await ledger.read('account.move', draft, ['line_ids']), held)
  const move = await ledger.make('account.move', { move_type: 'entry', journal_id: bank, date: '2025-02-01' })
  const line = await ledger.make(MODEL, { journal_id: bank, date: '2025-02-01', amount: 1, move_id: move })
  assert.equal((await items(line)).length, 2)
  await ledger.office.call('admin', `${MODEL}/unlink`, { ids: [line] })
})

test('a counterpart takes the place of the suspense account and can be matched; matched lines keep their amounts until that is undone', async () => {
  const partner_id = await ledger.make('res.partner', { name: 'Payer' })
  const [receivable] = await ledger.search(
    'account.account',
    [['account_type', '=', 'asset_receivable']],
    ['code'],
  )
  const invoice = await ledger.make('account.move', {
    move_type: 'out_invoice',
    partner_id,
    invoice_date: '2025-03-10',
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 50, tax_ids: [[5]] }]],
  })
  await ledger.ask('account.move/action_post', { ids: [invoice] })
  const line = await ledger.make(MODEL, {
    journal_id: bank,
    date: '2025-03-12',
    amount: 50,
    payment_ref: 'wire',
    partner_id,
    counterpart_account_id: receivable?.id,
  })
  const open = await ledger.search(
    'account.move.line',
    [
      ['partner_id', '=', partner_id],
      ['account_id', '=', receivable?.id],
    ],
    [],
  )
  await ledger.ask('account.move.line/reconcile', { ids: open.map((row) => row.id) })
  assert.equal((await ledger.read('account.move', invoice, ['payment_state'])).payment_state, 'paid')
  assert.deepEqual(await ledger.read(MODEL, line, ['is_reconciled', 'amount_residual']), {
    id: line,
    is_reconciled: true,
    amount_residual: 0,
  })
  assert.equal(
    (await ledger.office.call('admin', `${MODEL}/write`, { ids: [line], vals: { amount: 60 } })).status,
    422,
  )
  await ledger.ask(`${MODEL}/action_undo_reconciliation`, { ids: [line] })
  await ledger.ask(`${MODEL}/write`, { ids: [line], vals: { amount: 60 } })
  assert.deepEqual(await ledger.read(MODEL, line, ['is_reconciled', 'amount_residual', 'state']), {
    id: line,
    is_reconciled: false,
    amount_residual: -60,
    state: 'posted',
  })
  assert.equal((await ledger.read('account.move', invoice, ['payment_state'])).payment_state, 'not_paid')
  await ledger.ask(`${MODEL}/unlink`, { ids: [line] })
  assert.deepEqual(await items(line), [])
})

test('a line in a foreign currency: both sides in their own, the company in its own', async () => {
  const [euro] = await ledger.search(
    'res.currency',
    [
      ['name', '=', 'EUR'],
      ['active', 'in', [true, false]],
    ],
    [],
  )
  await ledger.ask('res.currency/write', { ids: [euro?.id], vals: { active: true } })
  await ledger.make('res.currency.rate', { currency_id: euro?.id, name: '2025-01-01', rate: 0.5 })
  const line = await ledger.make(MODEL, {
    journal_id: bank,
    date: '2025-04-01',
    amount: 30,
    foreign_currency_id: euro?.id,
    amount_currency: 14,
  })
  assert.deepEqual(await items(line), [
    [account, 30, 0, 30],
    [suspense, 0, 30, -14],
  ])
  const foreignLine = await ledger.make(MODEL, {
    journal_id: bank,
    date: '2025-04-01',
    amount: 30,
    foreign_currency_id: euro?.id,
  })
  assert.equal((await ledger.read(MODEL, foreignLine, ['amount_currency'])).amount_currency, 15)
  for (const wrong of [{ foreign_currency_id: euro?.id, amount_currency: -14 }, { amount_currency: 14 }])
    assert.equal(
      (
        await ledger.office.call('admin', `${MODEL}/create`, {
          vals_list: [{ journal_id: bank, amount: 30, ...wrong }],
        })
      ).status,
      422,
    )
})

test('statements begin with what the one before ended with, and say whether their lines come to what the bank says', async () => {
  const journal_id = await ledger.make('account.journal', { name: 'Bank T', code: 'BNT', type: 'bank' })
  const line = (date: string, amount: number) => [0, 0, { journal_id, date, amount, payment_ref: 'x' }]
  const first = await ledger.make('account.bank.statement', {
    balance_start: 100,
    balance_end_real: 130,
    line_ids: [line('2025-01-03', 30)],
  })
  const second = await ledger.make('account.bank.statement', {
    balance_end_real: 150,
    line_ids: [line('2025-01-05', 5), line('2025-01-06', 10)],
  })
  const fields = ['balance_start', 'balance_end', 'is_complete', 'is_valid', 'date', 'journal_id']
  assert.deepEqual(await ledger.read('account.bank.statement', first, fields), {
    id: first,
    balance_start: 100,
    balance_end: 130,
    is_complete: true,
    is_valid: true,
    date: '2025-01-03',
    journal_id,
  })
  assert.deepEqual(await ledger.read('account.bank.statement', second, fields), {
    id: second,
    balance_start: 130,
    balance_end: 145,
    is_complete: false,
    is_valid: true,
    date: '2025-01-06',
    journal_id,
  })
  const lines = await ledger.search(MODEL, [['journal_id', '=', journal_id]], ['running_balance'])
  assert.deepEqual(
    lines.map((line) => line.running_balance),
    [145, 135, 130],
  )
  const stays = await ledger.search(MODEL, [['statement_id', '=', first]], [])
  assert.equal(
    (await ledger.office.call('admin', `${MODEL}/unlink`, { ids: stays.map((stay) => stay.id) })).status,
    422,
  )
})

test('statement: balances, journal and lines stay once the typed balance is reached and all lines are matched', async () => {
  const STATEMENT = 'account.bank.statement'
  const [income] = await ledger.search('account.account', [['account_type', '=', 'income']], [])
  const vals = {
    journal_id: bank,
    date: '2025-06-01',
    amount: 25,
    payment_ref: 's',
    counterpart_account_id: income?.id,
  }
  const [line, other] = await ledger.makeAll(MODEL, [vals, vals])
  const id = await ledger.make(STATEMENT, { balance_start: 10, line_ids: [[4, line]] })
  const isSettled = async () => (await ledger.read(STATEMENT, id, ['is_settled'])).is_settled
  assert.equal(await isSettled(), false, 'nobody typed what the bank says')
  await ledger.ask(`${STATEMENT}/write`, { ids: [id], vals: { balance_end_real: 35 } })
  assert.equal(await isSettled(), true)
  const refused: readonly (readonly [string, number, object])[] = [
    [STATEMENT, id, { balance_start: 0 }],
    [STATEMENT, id, { balance_end_real: 36 }],
    [STATEMENT, id, { line_ids: [[4, other]] }],
    [MODEL, other as number, { statement_id: id }],
  ]
  for (const [model, record, changes] of refused) {
    const answer = await ledger.office.call('admin', `${model}/write`, { ids: [record], vals: changes })
    assert.equal(answer.status, 422, JSON.stringify(changes))
  }
  await ledger.ask(`${STATEMENT}/write`, { ids: [id], vals: { reference: 'Bank 7' } })
  await ledger.ask(`${MODEL}/action_undo_reconciliation`, { ids: [line] })
  assert.equal(await isSettled(), false)
  await ledger.ask(`${STATEMENT}/write`, { ids: [id], vals: { balance_end_real: 36 } })
})

test('a hundred lines take as many statements as ten; people who only invoice may make none', async () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      journal_id: bank,
      date: '2025-05-01',
      amount: i + 1,
      payment_ref: `n${i}`,
    }))
  await ledger.makeAll(MODEL, lines(3))
  const ten = await statementsOf(() => ledger.makeAll(MODEL, lines(10)))
  const hundred = await statementsOf(() => ledger.makeAll(MODEL, lines(100)))
  assert.ok(hundred.length <= ten.length + 2, `${ten.length} ${hundred.length}`)
  for (const login of ['clerk', 'biller'] as const)
    assert.equal((await ledger.office.call(login, `${MODEL}/create`, { vals_list: lines(1) })).status, 403)
})

test('lines without an amount have a balance of nothing', async () => {
  const [journal] = await ledger.makeAll('account.journal', [{ name: 'Empty', code: 'EMP', type: 'bank' }])
  const [line] = await ledger.makeAll(MODEL, [{ journal_id: journal, payment_ref: 'nothing' }])
  assert.equal((await ledger.read(MODEL, line as number, ['running_balance'])).running_balance, 0)
})

test('line_ids of a statement line say what its money was for; the money and what is booked elsewhere stay', async () => {
  const accountOf = async (account_type: string) => {
    const rows = await ledger.search('account.account', [['account_type', '=', account_type]], ['code'])
    return rows[0]?.id as number
  }
  const [receivable, expense] = [await accountOf('asset_receivable'), await accountOf('expense')]
  const write = async (model: string, id: number, vals: object) =>
    (await ledger.office.call('admin', `${model}/write`, { ids: [id], vals })).status
  const line = await ledger.make(MODEL, {
    journal_id: bank,
    date: '2025-03-20',
    amount: 90,
    payment_ref: 'x',
  })
  const itemOn = async (id: number) => {
    const domain = [
      ['statement_line_id', '=', line],
      ['account_id', '=', id],
    ]
    return (await ledger.search('account.move.line', domain, ['balance']))[0]?.id as number
  }
  const open = await itemOn(suspense)
  const rest = [0, 0, { account_id: expense, name: 'rest', debit: 10 }]
  // Neither out of balance, nor the item of the money.
  assert.equal(await write(MODEL, line, { line_ids: [[1, open, { account_id: receivable }], rest] }), 422)
  assert.equal(await write(MODEL, line, { line_ids: [[1, await itemOn(account), { debit: 80 }]] }), 422)
  const owed = [0, 0, { account_id: receivable, credit: 100 }]
  assert.equal(await write(MODEL, line, { line_ids: [[2, open, 0], owed, rest] }), 200)
  assert.deepEqual(await items(line), [
    [account, 90, 0, 90],
    [receivable, 0, 100, -100],
    [expense, 10, 0, 10],
  ])
  const row = await ledger.read(MODEL, line, ['is_reconciled', 'state', 'amount_residual'])
  assert.deepEqual(row, { id: line, is_reconciled: true, state: 'posted', amount_residual: 0 })
  assert.equal(await write(MODEL, line, { amount: 95 }), 422)
  assert.equal(await write(MODEL, line, { date: '2025-03-21' }), 200)
  // An unmatched item may go to another account, except for the money.
  assert.equal(await write('account.move.line', await itemOn(expense), { account_id: suspense }), 200)
  assert.equal(await write('account.move.line', await itemOn(account), { account_id: suspense }), 422)
  await ledger.ask(`${MODEL}/action_undo_reconciliation`, { ids: [line] })
  assert.deepEqual(await items(line), [
    [account, 90, 0, 90],
    [suspense, 0, 90, -90],
  ])
})

test('a payment names the statement lines that it is matched with, and is found by them', async () => {
  const { ask, make, read, search } = ledger
  const way = await make('account.account', {
    name: 'On its way',
    code: '171000',
    account_type: 'asset_current',
    reconcile: true,
  })
  const vals = {
    payment_type: 'inbound',
    partner_type: 'customer',
    amount: 40,
    journal_id: bank,
    date: '2025-03-22',
  }
  const payment = await make('account.payment', { ...vals, outstanding_account_id: way })
  await ask('account.payment/action_post', { ids: [payment] })
  const line = await make(MODEL, {
    journal_id: bank,
    date: '2025-03-23',
    amount: 40,
    payment_ref: 'arrived',
    counterpart_account_id: way,
  })
  const shown = async () => {
    const fields = ['reconciled_statement_line_ids', 'reconciled_statement_lines_count']
    const row = await read('account.payment', payment, fields)
    return [row.reconciled_statement_line_ids, row.reconciled_statement_lines_count]
  }
  const byLine = async () =>
    (await search('account.payment', [['reconciled_statement_line_ids', 'in', [line]]], [])).map(
      ({ id }) => id,
    )
  assert.deepEqual(await shown(), [[], 0])
  assert.deepEqual(await byLine(), [])
  const open = await search('account.move.line', [['account_id', '=', way]], [])
  await ask('account.move.line/reconcile', { ids: open.map(({ id }) => id) })
  assert.deepEqual(await shown(), [[line], 1])
  assert.deepEqual(await byLine(), [payment])
})
