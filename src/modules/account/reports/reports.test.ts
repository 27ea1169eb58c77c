// Reports of the books: figures that add up whatever was booked, past days as they were, pages, CSV, rights;
// from indexes and in few statements.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { raw, sql } from '../../../sql/index.ts'
import { csvOf } from './csv.ts'
import { taxReportSums } from './taxes.ts'
import { sumsOfAccounts } from './trial-balance.ts'

let ledger: Ledger
let partner: number
let bank: number
let tax: number
before(async () => {
  ledger = ledgerOf(await openAccounting())
  partner = await ledger.make('res.partner', { name: 'Debtor, Ltd' })
  const [percent] = await ledger.search(
    'account.tax',
    [
      ['type_tax_use', '=', 'sale'],
      ['amount', '=', 15],
    ],
    [],
  )
  tax = percent?.id as number
  bank = await ledger.make('account.journal', { name: 'Bank R', code: 'BNR', type: 'bank' })
  const ids = await ledger.makeAll('account.move', [
    invoice('2023-11-05', 100),
    invoice('2025-01-10', 200),
    invoice('2025-02-20', 50, 'out_refund'),
    invoice('2025-03-31', 10),
  ])
  await ledger.ask('account.move/action_post', { ids })
  const form = await ledger.ask<number[]>('account.payment.register/create', {
    vals_list: [{ journal_id: bank, payment_date: '2025-03-01', amount: 80 }],
    context: { active_model: 'account.move', active_ids: [ids[1]] },
  })
  await ledger.ask('account.payment.register/action_create_payments', { ids: form })
})
after(() => ledger?.office.close())

const invoice = (invoice_date: string, price_unit: number, move_type = 'out_invoice') => ({
  move_type,
  partner_id: partner,
  invoice_date,
  invoice_date_due: invoice_date,
  invoice_line_ids: [[0, 0, { name: 'Line', price_unit, tax_ids: [[6, 0, [tax]]] }]],
})

interface Report {
  readonly rows: readonly Row[]
  readonly totals: Row
}
const report = <T = Report>(method: string, body: object) => ledger.ask<T>(`comptoir.books/${method}`, body)

test('the trial balance adds up, before, in and after a period; results of earlier years stand by themselves', async () => {
  const { rows, totals } = await report('trial_balance', { date_from: '2025-01-01', date_to: '2025-12-31' })
  assert.deepEqual([totals.opening, totals.closing, totals.debit], [0, 0, totals.credit])
  const of = (type: string) =>
    rows
      .filter((row) => row.account_type === type)
      .map((row) => [row.opening, row.debit, row.credit, row.closing])
  assert.deepEqual(of('asset_receivable'), [[115, 241.5, 137.5, 219]])
  assert.deepEqual(of('income'), [[0, 50, 210, -160]])
  assert.deepEqual(of('equity_unaffected'), [[-100, 0, 0, -100]])
})

test('the ledger comes in pages, with the balance after each item', async () => {
  const [receivable] = await ledger.search(
    'account.account',
    [
      ['account_type', '=', 'asset_receivable'],
      ['code', '=like', '121%'],
    ],
    [],
  )
  const ask = (more: object) =>
    report<{ lines: Row[]; next: number | false }>('general_ledger', {
      date_from: '2025-01-01',
      date_to: '2025-12-31',
      account_ids: [receivable?.id],
      ...more,
    })
  const whole = await ask({})
  assert.deepEqual(
    whole.lines.map((row) => [row.date, row.debit, row.credit, row.balance]),
    [
      ['2025-01-10', 230, 0, 345],
      ['2025-02-20', 0, 57.5, 287.5],
      ['2025-03-01', 0, 80, 207.5],
      ['2025-03-31', 11.5, 0, 219],
    ],
  )
  const second = await ask({ limit: 2, offset: 2 })
  assert.deepEqual(
    [second.lines, second.next, (await ask({ limit: 2 })).next],
    [whole.lines.slice(2), false, 2],
  )
})

test('what is owed, by age; on days gone by, as it was then', async () => {
  const now = await report('aged_receivable', { date: '2025-04-09' })
  assert.deepEqual(now.rows, [
    {
      partner_id: [partner, 'Debtor, Ltd'],
      not_due: 0,
      '1_30': 11.5,
      '31_60': -57.5,
      '61_90': 150,
      '91_120': 0,
      older: 115,
      total: 219,
    },
  ])
  const then = await report('aged_receivable', { date: '2025-02-25', days: 10 })
  assert.deepEqual([then.totals['1_10'], then.totals.older, then.totals.total], [-57.5, 345, 287.5])
  assert.equal((await report('aged_payable', {})).rows.length, 0)
})

test('taxes by use and kind of document; the journal of sales; the statement of a customer', async () => {
  const taxes = await report('tax_report', { date_from: '2025-01-01', date_to: '2025-03-31' })
  assert.deepEqual(
    taxes.rows.map((row) => [row.base, row.amount]),
    [[160, 24]],
  )
  assert.deepEqual(taxes.totals, { sale: 24, purchase: 0, due: 24 })
  const sales = await report<Report & { count: number; next: unknown }>('sales_journal', {
    date_from: '2025-01-01',
    date_to: '2025-12-31',
    limit: 2,
  })
  assert.deepEqual(
    [sales.count, sales.rows.length, sales.next, sales.totals],
    [3, 2, 2, { untaxed: 160, tax: 24, total: 184, open: 104 }],
  )
  const statement = await report<Report & Row>('partner_statement', {
    partner_id: partner,
    date_from: '2025-01-01',
    date_to: '2025-12-31',
  })
  assert.deepEqual([statement.opening, statement.closing, statement.rows.length], [115, 219, 4])
})

test('as CSV; formulas of people are texts', async () => {
  const text = await report<string>('aged_receivable', { date: '2025-04-09', format: 'csv' })
  assert.equal(
    text,
    'partner_id,not_due,1_30,31_60,61_90,91_120,older,total\r\n"Debtor, Ltd",0,11.5,-57.5,150,0,115,219\r\n',
  )
  assert.equal(csvOf(['a', 'b'], [{ a: '=1+1', b: 'say "x"' }]), `a,b\r\n'=1+1,"say ""x"""\r\n`)
})

test('for those who keep the books; what is not a day, a page or a form is refused', async () => {
  const status = async (person: 'clerk' | 'biller' | 'admin', method: string, body: object) =>
    (await ledger.office.call(person, `comptoir.books/${method}`, body)).status
  assert.deepEqual(
    [await status('clerk', 'trial_balance', {}), await status('biller', 'trial_balance', {})],
    [403, 200],
  )
  const wrong = [
    { date_from: '2025-13-01' },
    { date_from: 7 },
    { date_from: '2025-02-01', date_to: '2025-01-01' },
    { format: 'xls' },
  ]
  for (const body of wrong) assert.equal(await status('admin', 'trial_balance', body), 422)
  for (const body of [{ limit: 0 }, { limit: 10_001 }, { offset: -1 }, { limit: 'x' }])
    assert.equal(await status('admin', 'general_ledger', body), 422)
  for (const body of [{ days: 0 }, { days: 1.5 }])
    assert.equal(await status('admin', 'aged_receivable', body), 422)
})

test('few statements each, whatever there is', async () => {
  for (const method of [
    'trial_balance',
    'general_ledger',
    'aged_receivable',
    'tax_report',
    'sales_journal',
  ]) {
    const count = (await statementsOf(() => report(method, {}))).length
    assert.ok(count <= 9, `${method} ${count}`)
  }
})

test('sums come from indexes that hold all that is summed; how long that takes: test/explain/books.ts', async () => {
  const year = { from: '2025-01-01', to: '2025-12-31' }
  const queries = [
    [sumsOfAccounts([1], year), /Index Only Scan using account_move_line_ledger/],
    [taxReportSums([1], year), /Index Only Scan using account_move_line_tax_items/],
    [taxReportSums([1], year), /Index Only Scan using account_move_line_ledger/],
  ] as const
  const plans = await ledger.office.run(async (env) => {
    // A table of a few rows is read whole, unless that is dear.
    for (const way of ['seqscan', 'bitmapscan']) await env.query(raw(`SET LOCAL enable_${way} = off`))
    const plans: string[] = []
    for (const [statement] of queries)
      plans.push((await env.query(sql`EXPLAIN ${statement}`)).map((row) => String(row[0])).join('\n'))
    return plans
  })
  for (const [i, [, pattern]] of queries.entries()) assert.match(plans[i] ?? '', pattern)
})
