// Forms of payments, bank lines, transfers and scrap as web clients fill and save them: defaults, `onchange`
// of each field that a person sets, then `web_save` of all values, empty ones too. Over a real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../test/support/office.ts'

type Values = Record<string, unknown>
type Person = 'biller' | 'keeper' | 'worker'

let shop: Office<Person>
let partner = 0
let product = 0
before(async () => {
  shop = await openOffice(['stock'], {
    biller: ['account.group_account_invoice'],
    keeper: ['account.group_account_basic'],
    worker: ['stock.group_stock_user'],
  })
  partner = await make('res.partner', { name: 'Somebody' })
  product = await make('product.product', { name: 'Thing', is_storable: true })
})
after(() => shop?.close())

async function ask<T>(path: string, body: object, person: Person | 'admin' = 'admin'): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`)
  return answer as T
}
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }))[0] as number

/** Fills a form, saves it, and returns what was saved of its fields. */
async function filledAndSaved(person: Person, model: string, fields: readonly string[], typed: Values) {
  const fields_spec = Object.fromEntries([...fields, ...Object.keys(typed)].map((name) => [name, {}]))
  const onchange = async (values: Values, field_names: readonly string[]) =>
    (
      await ask<{ value?: Values }>(
        `${model}/onchange`,
        { ids: [], values, field_names, fields_spec },
        person,
      )
    ).value
  const form: Values = { ...(await onchange({}, [])) }
  for (const [name, value] of Object.entries(typed)) {
    form[name] = value
    Object.assign(form, await onchange(form, [name]))
  }
  const body = { ids: [], vals: form, specification: fields_spec }
  const [saved] = await ask<[Values]>(`${model}/web_save`, body, person)
  return fields.map((name) => saved[name])
}

test('onchange: a payment takes journal, method and currency from its amount and kind', async () => {
  const typed = { payment_type: 'inbound', partner_id: partner, amount: 30 }
  const [journal, currency, method] = await filledAndSaved(
    'biller',
    'account.payment',
    ['journal_id', 'currency_id', 'payment_method_line_id'],
    typed,
  )
  assert.ok(journal && currency && method)
})

test('onchange: a bank line takes its currency from its journal', async () => {
  const [{ id: journal_id }] = await ask<[{ id: number }]>('account.journal/search_read', {
    domain: [['type', '=', 'bank']],
    fields: [],
  })
  const [currency] = await filledAndSaved('keeper', 'account.bank.statement.line', ['currency_id'], {
    journal_id,
    payment_ref: 'Paid in',
    amount: 31,
  })
  assert.ok(currency)
})

test('onchange: a transfer takes places and shipping policy from its type', async () => {
  const [type] = await ask<[{ id: number; default_location_src_id: number }]>(
    'stock.picking.type/search_read',
    {
      domain: [['code', '=', 'internal']],
      fields: ['default_location_src_id'],
      load: null,
    },
  )
  const [source, destination, policy] = await filledAndSaved(
    'worker',
    'stock.picking',
    ['location_id', 'location_dest_id', 'move_type', 'scheduled_date'],
    { picking_type_id: type.id },
  )
  assert.deepEqual([source, policy], [type.default_location_src_id, 'direct'])
  assert.ok(destination)
})

test('onchange: scrap takes the unit of its product', async () => {
  const fields = ['product_uom_id', 'location_id', 'scrap_location_id', 'company_id']
  const values = await filledAndSaved('worker', 'stock.scrap', fields, { product_id: product, scrap_qty: 1 })
  assert.ok(values.every(Boolean), JSON.stringify(values))
})
