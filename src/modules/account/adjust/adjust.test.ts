// Items that move to another period or account by entries that balance.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'

let office: Accounting
let { ask, make, read, search } = {} as Ledger
const accounts = { cost: 0, accrual: 0, other: 0, cash: 0, owed: 0, owedElse: 0 }
let journal: number
before(async () => {
  office = await openAccounting()
  ;({ ask, make, read, search } = ledgerOf(office))
  const account = (name: string, account_type: string) =>
    make('account.account', { name, code: `9${name}`, account_type })
  accounts.cost = await account('Rent', 'expense')
  accounts.other = await account('Insurance', 'expense')
  accounts.accrual = await account('Accruals', 'asset_current')
  await ask('account.account/write', { ids: [accounts.accrual], vals: { reconcile: true } })
  accounts.cash = await account('Cash', 'asset_cash')
  accounts.owed = await account('Owed', 'liability_payable')
  accounts.owedElse = await account('Elsewhere', 'liability_payable')
  const [general] = await search('account.journal', [['type', '=', 'general']], ['id'])
  journal = Number(general?.id)
})
after(() => office?.close())

async function entry(debit: number, credit: number, amount: number, partner_id?: number): Promise<Row[]> {
  const shared = partner_id ? { partner_id } : {}
  const id = await make('account.move', {
    journal_id: journal,
    date: '2025-01-15',
    line_ids: [
      [0, 0, { account_id: debit, debit: amount, name: 'Year', ...shared }],
      [0, 0, { account_id: credit, credit: amount, ...shared }],
    ],
  })
  await ask('account.move/action_post', { ids: [id] })
  return search('account.move.line', [['move_id', '=', id]], ['account_id', 'move_id'], 'id')
}
const formOf = async (vals: object): Promise<number> => {
  const { status, body } = await office.call('biller', 'account.automatic.entry.wizard/create', {
    vals_list: [vals],
  })
  assert.equal(status, 200, JSON.stringify(body))
  return (body as number[])[0] as number
}
const adjust = (id: number) =>
  office.call('biller', 'account.automatic.entry.wizard/do_action', { ids: [id] })
const linesOf = async (moves: unknown) => {
  const rows = await search(
    'account.move.line',
    [['move_id', 'in', moves]],
    ['date', 'account_id', 'balance', 'reconciled'],
    'date, id',
  )
  return rows.map((row) => [row.date, row.account_id, row.balance, row.reconciled])
}
const idsOf = (action: unknown): number[] => {
  const { res_id, domain } = action as { res_id?: number; domain?: [[string, string, number[]]] }
  return res_id ? [res_id] : (domain?.[0][2] ?? [])
}

test('account.automatic.entry.wizard: a part of a cost moves to another period', async () => {
  const [cost] = await entry(accounts.cost, accounts.cash, 120)
  const opened = await ask<Row>('account.move.line/action_automatic_entry', { ids: [cost?.id] })
  assert.equal(opened.res_model, 'account.automatic.entry.wizard')
  const form = await formOf({
    move_line_ids: [[6, 0, [cost?.id]]],
    date: '2025-06-30',
    expense_accrual_account: accounts.accrual,
    total_amount: 90,
  })
  const [row] = (
    await office.call('biller', 'account.automatic.entry.wizard/read', { ids: [form], load: null })
  ).body as Row[]
  assert.deepEqual(
    [row?.percentage, row?.account_type, row?.total_amount, row?.journal_id, row?.lock_date_message],
    [75, 'expense', 90, journal, false],
  )
  assert.equal((JSON.parse(String(row?.move_data)) as object[]).length, 2)
  const { status, body } = await adjust(form)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(await linesOf(idsOf(body)), [
    ['2025-01-15', accounts.cost, -90, false],
    ['2025-01-15', accounts.accrual, 90, true],
    ['2025-06-30', accounts.cost, 90, false],
    ['2025-06-30', accounts.accrual, -90, true],
  ])
  const origin = await read('account.move', Number(cost?.move_id), ['adjusting_entries_move_ids'])
  assert.deepEqual((origin.adjusting_entries_move_ids as number[]).toSorted(), idsOf(body).toSorted())
})

test('account.automatic.entry.wizard: items move to another account, and open ones are matched', async () => {
  const partner = await make('res.partner', { name: 'Landlord' })
  const [, owed] = await entry(accounts.other, accounts.owed, 50, partner)
  const form = await formOf({
    action: 'change_account',
    move_line_ids: [[6, 0, [owed?.id]]],
    date: '2025-02-01',
    destination_account_id: accounts.owedElse,
  })
  const { body } = await adjust(form)
  assert.deepEqual(await linesOf(idsOf(body)), [
    ['2025-02-01', accounts.owed, 50, true],
    ['2025-02-01', accounts.owedElse, -50, false],
  ])
  assert.equal((await read('account.move.line', Number(owed?.id), ['reconciled'])).reconciled, true)
})

test('account.automatic.entry.wizard: refusals say what to do', async () => {
  const [cost, cash] = await entry(accounts.cost, accounts.cash, 10)
  const refusals = [
    [{ move_line_ids: [] }, /No items selected/],
    [{ move_line_ids: [[4, cost?.id]] }, /Choose the account/],
    [
      {
        move_line_ids: [[4, cash?.id]],
        expense_accrual_account: accounts.accrual,
        revenue_accrual_account: accounts.accrual,
      },
      /not an income or expense account/,
    ],
    [
      { move_line_ids: [[4, cost?.id]], percentage: 0, expense_accrual_account: accounts.accrual },
      /percentage/,
    ],
    [
      { move_line_ids: [[4, cost?.id]], date: '2025-01-15', expense_accrual_account: accounts.accrual },
      /choose another date/,
    ],
  ] as const
  for (const [vals, message] of refusals) {
    const { status, body } = await adjust(await formOf(vals))
    assert.equal(status, 422, JSON.stringify(body))
    assert.match((body as { message: string }).message, message)
  }
  const tooMuch = { vals_list: [{ percentage: 1e308, move_line_ids: [[4, cost?.id]] }] }
  const refused = await office.call('biller', 'account.automatic.entry.wizard/create', tooMuch)
  assert.match(JSON.stringify(refused.body), /between 0 and 100/)
  const { status } = await office.call('clerk', 'account.automatic.entry.wizard/create', { vals_list: [{}] })
  assert.equal(status, 403)
})
