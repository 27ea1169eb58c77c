// Lines without a product are booked where documents of their partner usually are.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../../test/support/buying.ts'
import { statementsOf } from '../../../../test/support/statements.ts'

let shop: Buying
let accounts: { readonly goods: number; readonly services: number; readonly other: number }
before(async () => {
  shop = await openBuying()
  const account = (code: string, account_type: string) =>
    shop.make('account.account', { code, name: code, account_type })
  accounts = {
    goods: await account('400801', 'income'),
    services: await account('400802', 'income_other'),
    other: await account('600801', 'expense'),
  }
})
after(() => shop?.close())

const partner = (name: string, more: object = {}) => shop.make('res.partner', { name, ...more })
const line = (account_id?: number) => [
  0,
  0,
  { name: 'Work', price_unit: 10, ...(account_id && { account_id }) },
]

async function document(partner_id: number, move_type: string, lines: readonly unknown[], more: object = {}) {
  const id = await shop.make('account.move', {
    partner_id,
    move_type,
    invoice_date: '2026-11-01',
    invoice_line_ids: lines,
    ...more,
  })
  const { invoice_line_ids } = await shop.read('account.move', id, ['invoice_line_ids'])
  const rows = await shop.ask<Record<string, unknown>[]>('account.move.line/read', {
    ids: invoice_line_ids,
    fields: ['account_id'],
    load: null,
  })
  return { id, accounts: rows.map((row) => row.account_id as number) }
}
const post = (id: number) => shop.ask('account.move/action_post', { ids: [id] })

test('the account that most posted items of the partner are on, of the side of the document', async () => {
  const customer = await partner('Customer')
  const contact = await partner('Contact', { parent_id: customer })
  const fresh = await document(customer, 'out_invoice', [line()])
  const { goods, services, other } = accounts
  const firstInvoice = await document(customer, 'out_invoice', [
    line(services),
    line(services),
    line(goods),
    line(other),
  ])
  assert.deepEqual((await document(customer, 'out_invoice', [line()])).accounts, fresh.accounts, 'drafts')
  await post(firstInvoice.id)
  for (const who of [customer, contact])
    assert.deepEqual((await document(who, 'out_invoice', [line(), line(goods)])).accounts, [services, goods])
  assert.deepEqual((await document(customer, 'in_invoice', [line()])).accounts, [other])
  assert.deepEqual((await document(await partner('New'), 'out_invoice', [line()])).accounts, fresh.accounts)
})

test('what was booked more than two years ago does not count', async () => {
  const customer = await partner('Old customer')
  const fresh = await document(customer, 'out_invoice', [line()])
  const old = await document(customer, 'out_invoice', [line(accounts.goods)], { invoice_date: '2020-01-01' })
  await post(old.id)
  assert.deepEqual((await document(customer, 'out_invoice', [line()])).accounts, fresh.accounts)
})

test('many documents of many partners take as many statements as few', async () => {
  const counts: number[] = []
  for (const count of [2, 2, 30]) {
    const partners = await shop.makeAll(
      'res.partner',
      Array.from({ length: count }, (_, n) => ({ name: `P ${n}` })),
    )
    const vals_list = partners.map((partner_id) => ({
      partner_id,
      move_type: 'out_invoice',
      invoice_line_ids: [line()],
    }))
    counts.push((await statementsOf(() => shop.ask('account.move/create', { vals_list }))).length)
  }
  assert.ok((counts[2] as number) <= (counts[1] as number) + 2, `${counts}`)
})
