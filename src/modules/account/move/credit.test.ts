// Credit limits warn, changes of posted entries are in the audit log, and books from elsewhere that do not
// balance are refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf } from '../../../../test/support/ledger.ts'
import { raw, sql } from '../../../sql/index.ts'
import { protectBooks } from './protection.ts'

let ledger: Ledger
before(async () => {
  ledger = ledgerOf(await openAccounting())
})
after(() => ledger?.office.close())

const invoice = (partner_id: number, price_unit: number) =>
  ledger.make('account.move', {
    move_type: 'out_invoice',
    partner_id,
    invoice_date: '2025-03-10',
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit }]],
  })
const warning = async (id: number) =>
  (await ledger.read('account.move', id, ['partner_credit_warning'])).partner_credit_warning

test('a draft beyond the limit of the customer says so, once the company uses limits', async () => {
  const house = await ledger.make('res.partner', { name: 'House', is_company: true, credit_limit: 100 })
  const clerk = await ledger.make('res.partner', { name: 'Clerk', parent_id: house })
  const [first, second] = [await invoice(house, 80), await invoice(clerk, 30)]
  await ledger.ask('account.move/action_post', { ids: [first] })
  assert.equal(await warning(second), false)
  const [company] = await ledger.search('res.company', [], [])
  await ledger.ask('res.company/write', { ids: [company?.id], vals: { account_use_credit_limit: true } })
  assert.match(String(await warning(second)), /House has a credit limit of .*100\.00.* would owe .*110\.00/)
  assert.equal(await warning(first), false)
  await ledger.ask('account.move/write', {
    ids: [second],
    vals: { invoice_line_ids: [[5], [0, 0, { name: 'Less', price_unit: 20 }]] },
  })
  assert.equal(await warning(second), false)
})

test('who posted, changed and reset what is in the audit log', async () => {
  const id = await invoice(await ledger.make('res.partner', { name: 'Audited' }), 5)
  await ledger.ask('account.move/write', { ids: [id], vals: { ref: 'a draft: not told' } })
  await ledger.ask('account.move/action_post', { ids: [id] })
  await ledger.ask('account.move/write', { ids: [id], vals: { ref: 'changed', narration: 'x' } })
  await ledger.ask('account.move/button_draft', { ids: [id] })
  const told = await ledger.search(
    'comptoir.audit',
    [
      ['res_model', '=', 'account.move'],
      ['res_id', '=', id],
    ],
    ['event', 'login', 'detail'],
    'id',
  )
  assert.deepEqual(
    told.map((one) => [one.event, one.login]),
    [
      ['entry.post', 'admin'],
      ['entry.change', 'admin'],
      ['entry.draft', 'admin'],
    ],
  )
  assert.match(JSON.stringify(told[1]?.detail), /ref.*narration/)
})

test('books from elsewhere with a posted entry that does not balance are refused, and the entry is named', async () => {
  const id = await invoice(await ledger.make('res.partner', { name: 'Elsewhere' }), 5)
  await ledger.ask('account.move/action_post', { ids: [id] })
  const name = String((await ledger.read('account.move', id, ['name'])).name)
  const refused = ledger.office.run(async (env) => {
    await env.query(raw('ALTER TABLE account_move_line DISABLE TRIGGER USER'))
    await env.query(
      sql`UPDATE account_move_line SET balance = balance + 1, debit = debit + 1 WHERE move_id = ${id}::int AND debit > 0`,
    )
    await protectBooks(env)
  })
  await assert.rejects(refused, (error: Error) => error.message.includes(`do not balance: ${name} (1`))
})
