// Entries of a journal that get new numbers, and those that keep theirs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'

let office: Accounting
let { ask, make, read, search } = {} as Ledger
let journal: number
let accounts: number[]
before(async () => {
  office = await openAccounting()
  ;({ ask, make, read, search } = ledgerOf(office))
  journal = await make('account.journal', { name: 'Notes', code: 'NOTE', type: 'general' })
  const rows = await search('account.account', [['account_type', 'in', ['expense', 'income']]], ['id'])
  accounts = rows.slice(0, 2).map(({ id }) => Number(id))
})
after(() => office?.close())

async function entry(date: string, name?: string): Promise<number> {
  const [debit, credit] = accounts
  const id = await make('account.move', {
    journal_id: journal,
    date,
    ...(name && { name }),
    line_ids: [
      [0, 0, { account_id: debit, debit: 10 }],
      [0, 0, { account_id: credit, credit: 10 }],
    ],
  })
  await ask('account.move/action_post', { ids: [id] })
  return id
}
const formOf = (move_ids: readonly number[], more: object = {}) =>
  make('account.resequence.wizard', { move_ids: [[6, 0, move_ids]], ...more })
const resequence = (id: number) => office.call('admin', 'account.resequence.wizard/resequence', { ids: [id] })
const stateOf = async (ids: readonly number[]) => {
  const rows = await search('account.move', [['id', 'in', ids]], ['name', 'state'], 'id')
  return rows.map(({ name, state }) => [name, state])
}

test('account.resequence.wizard: numbers follow the first one, in the order kept or by date', async () => {
  const ids = [
    await entry('2025-03-20', 'NOTE/2025/03/0007'),
    await entry('2025-03-05', 'NOTE/2025/03/0009'),
    await entry('2025-04-02', 'NOTE/2025/04/0003'),
  ]
  const form = await formOf(ids)
  const row = await read('account.resequence.wizard', form, [
    'first_name',
    'first_date',
    'end_date',
    'sequence_number_reset',
    'new_values',
    'preview_moves',
  ])
  assert.deepEqual(
    [row.first_name, row.first_date, row.end_date, row.sequence_number_reset],
    ['NOTE/2025/03/0007', '2025-03-05', '2025-04-02', 'month'],
  )
  const values = JSON.parse(String(row.new_values)) as Record<string, Row>
  assert.deepEqual(
    ids.map((id) => [values[id]?.new_by_name, values[id]?.new_by_date]),
    [
      ['NOTE/2025/03/0007', 'NOTE/2025/03/0008'],
      ['NOTE/2025/03/0008', 'NOTE/2025/03/0007'],
      ['NOTE/2025/04/0001', 'NOTE/2025/04/0001'],
    ],
  )
  const { changeLines } = JSON.parse(String(row.preview_moves)) as { changeLines: Row[] }
  assert.deepEqual(
    changeLines.map(({ id }) => id),
    ids,
  )
  await ask('account.resequence.wizard/write', { ids: [form], vals: { ordering: 'date' } })
  assert.equal((await resequence(form)).status, 200)
  assert.deepEqual(await stateOf(ids), [
    ['NOTE/2025/03/0008', 'posted'],
    ['NOTE/2025/03/0007', 'posted'],
    ['NOTE/2025/04/0001', 'posted'],
  ])
  const taken = await resequence(await formOf(ids.slice(1), { first_name: 'NOTE/2025/03/0008' }))
  assert.equal(taken.status, 422)
  assert.match(JSON.stringify(taken.body), /Another entry has the number/)
})

test('account.resequence.wizard: what was issued, printed, sent or sealed keeps its number', async () => {
  const partner_id = await make('res.partner', { name: 'Mill' })
  const invoice = await make('account.move', {
    move_type: 'out_invoice',
    partner_id,
    invoice_line_ids: [[0, 0, { name: 'Flour', price_unit: 40, tax_ids: [] }]],
  })
  await ask('account.move/action_post', { ids: [invoice] })
  const [sealed, plain] = [await entry('2025-06-01'), await entry('2025-06-02')]
  await ask('account.move/button_hash', { ids: [sealed] })
  const refusals = [
    [[invoice], /was issued, so its number cannot change/],
    [[sealed, plain], /is sealed: it cannot be given another number/],
    [[invoice, plain], /several journals/],
    [[], /No entries selected/],
  ] as const
  for (const [ids, message] of refusals) {
    const before = await stateOf(ids)
    const { status, body } = await resequence(await formOf(ids, { first_name: 'X/0001' }))
    assert.equal(status, 422)
    assert.match((body as { message: string }).message, message)
    assert.deepEqual(await stateOf(ids), before)
  }
  const high = await resequence(await formOf([plain], { first_name: 'X/999999999' }))
  assert.equal(high.status, 200)
  const later = await entry('2025-06-03', 'NOTE/2025/06/0044')
  const beyond = await resequence(await formOf([plain, later], { first_name: 'X/999999999' }))
  assert.match(JSON.stringify(beyond.body), /A counter cannot exceed 999999999/)
  const wrong = await resequence(await formOf([plain], { first_name: 'X' }))
  assert.match(JSON.stringify(wrong.body), /has no counter/)
  const { status } = await office.call('biller', 'account.resequence.wizard/create', { vals_list: [{}] })
  assert.equal(status, 403)
})
