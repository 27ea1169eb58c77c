// Access rights on orders, and refusals: own documents and all, other companies, the portal, locked
// orders, invalid values.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering, type Row } from '../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../test/support/selling.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

const { linesOf, make, order, product, read, statusOf } = ordering(() => shop)

test('what a locked order keeps, and the feature that locks', async () => {
  const id = await order({
    partner_id: await make('res.partner', { name: 'Late' }),
    order_line: [[0, 0, { product_id: await product('Box', 5) }]],
  })
  const settings = (on: boolean) =>
    shop.run(async (env) =>
      (await env.model('res.config.settings').create([{ group_auto_done_setting: on }])).execute(),
    )
  await settings(true)
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await settings(false)
  assert.equal((await read('sale.order', id, ['locked'])).locked, true)
  for (const method of ['action_update_prices', 'action_update_taxes', 'action_cancel']) {
    const answer = await shop.call('admin', `sale.order/${method}`, { ids: [id] })
    assert.equal(answer.status, 422, method)
    assert.match(JSON.stringify(answer.body), /odoo\.exceptions\.UserError/)
  }
  assert.equal((await read('sale.order', id, ['state'])).state, 'sale')
})

test('own documents, all documents, other companies', async () => {
  const partner_id = await make('res.partner', { name: 'Shared' })
  const mine = await order({ partner_id }, 'own')
  const seen = (person: Parameters<Selling['call']>[0], id = mine) =>
    statusOf(person, 'sale.order/read', { ids: [id], fields: ['name'] })
  assert.deepEqual(
    await Promise.all((['own', 'mate', 'lead', 'boss', 'clerk', 'biller'] as const).map((who) => seen(who))),
    [200, 403, 200, 200, 403, 200],
  )
  for (const method of [
    'action_confirm',
    'action_cancel',
    'action_lock',
    'action_update_prices',
    'action_open_discount_wizard',
    'copy',
  ])
    assert.equal(await statusOf('mate', `sale.order/${method}`, { ids: [mine] }), 403, method)
  const discount = { sale_order_id: mine, discount_percentage: 0.5 }
  assert.equal(await statusOf('mate', 'sale.order.discount/create', { vals_list: [discount] }), 403)
  assert.equal(await statusOf('own', 'sale.order/write', { ids: [mine], vals: { user_id: 1 } }), 403)
  assert.equal(await statusOf('own', 'sale.order/unlink', { ids: [mine] }), 403)
  // Users who may not delete an order do not learn whether it was sent.
  await shop.ask('sale.order/action_quotation_sent', { ids: [mine] })
  for (const person of ['mate', 'own'] as const)
    assert.equal(await statusOf(person, 'sale.order/unlink', { ids: [mine] }), 403)
  const [line] = await shop.ask<[number]>(
    'sale.order.line/create',
    { vals_list: [{ order_id: mine, name: 'Kept' }] },
    'own',
  )
  await shop.ask('sale.order/action_lock', { ids: [mine] }, 'own')
  const rename = (person: 'own' | 'mate') =>
    statusOf(person, 'sale.order.line/write', { ids: [line], vals: { name: 'Changed' } })
  assert.deepEqual([await rename('own'), await rename('mate')], [422, 403])
  // Lines do not go over to the order of somebody else either.
  const theirs = await order({ partner_id }, 'mate')
  const [moving] = await linesOf(
    await order({ partner_id, order_line: [[0, 0, { name: 'Moving' }]] }, 'own'),
    ['name'],
  )
  const move = { ids: [moving?.id], vals: { order_id: theirs } }
  assert.deepEqual(
    [await statusOf('own', 'sale.order.line/write', move), (await linesOf(theirs, ['name'])).length],
    [403, 0],
  )
  const company = await make('res.company', { name: 'Elsewhere' })
  const context = { allowed_company_ids: [company] }
  const far = (
    (await shop.ask<number[]>('sale.order/create', { vals_list: [{ partner_id }], context })) as [number]
  )[0]
  assert.equal(await seen('lead', far), 403)
  assert.equal(
    await statusOf('admin', 'sale.order/read', {
      ids: [far],
      fields: ['name'],
      context: { allowed_company_ids: [1] },
    }),
    403,
  )
  const owned = await make('res.partner', { name: 'Of the first', company_id: 1 })
  assert.equal(
    await statusOf('admin', 'sale.order/create', { vals_list: [{ partner_id: owned }], context }),
    422,
  )
})

test('customers of the portal read what was sent to their company, and change nothing', async () => {
  const [guest] = await shop.ask<Row[]>('res.users/search_read', {
    domain: [['login', '=', 'guest']],
    fields: ['partner_id'],
    load: null,
  })
  const company = await make('res.partner', { name: 'Guests & Co', is_company: true })
  await shop.ask('res.partner/write', { ids: [guest?.partner_id], vals: { parent_id: company } })
  const order_line = [[0, 0, { product_id: await product('Room', 80) }]]
  const [theirs, draft, strange] = [
    await order({ partner_id: company, order_line }),
    await order({ partner_id: guest?.partner_id, order_line }),
    await order({ partner_id: await make('res.partner', { name: 'Stranger' }), order_line }),
  ]
  await shop.ask('sale.order/action_quotation_sent', { ids: [theirs, strange] })
  const seen = await shop.ask<Row[]>(
    'sale.order/search_read',
    { domain: [], fields: ['amount_total'] },
    'guest',
  )
  assert.deepEqual(seen, [{ id: theirs, amount_total: 80 }])
  const lines = await shop.ask<Row[]>(
    'sale.order.line/search_read',
    { domain: [], fields: ['name', 'order_id'], load: null },
    'guest',
  )
  assert.deepEqual(
    lines.map((row) => [row.name, row.order_id]),
    [['Room', theirs]],
  )
  // Notes of sellers on customers are not for them.
  const [whole] = await shop.ask<Row[]>('sale.order/read', { ids: [theirs] }, 'guest')
  assert.ok(whole && !('sale_warning_text' in whole) && 'tax_totals' in whole)
  await shop.ask('sale.order.line/read', { ids: lines.map((row) => row.id) }, 'guest')
  for (const id of [draft, strange])
    assert.equal(await statusOf('guest', 'sale.order/read', { ids: [id], fields: ['name'] }), 403)
  assert.equal(
    await statusOf('guest', 'sale.order/write', { ids: [theirs], vals: { note: 'Cheaper?' } }),
    403,
  )
  for (const method of ['action_confirm', 'action_cancel', 'copy', 'unlink'])
    assert.equal(await statusOf('guest', `sale.order/${method}`, { ids: [theirs] }), 403, method)
})

test('nonsense is refused with a reason and leaves nothing', async () => {
  const partner_id = await make('res.partner', { name: 'Careless' })
  const bad = [
    { partner_id, date_order: 'soon' },
    { partner_id, order_line: 'all' },
    { partner_id, order_line: [[0, 0, { product_id: 99_999_999 }]] },
    { partner_id: 99_999_999 },
    { partner_id, company_id: 99_999_999 },
    { partner_id, order_line: [[0, 0, { name: 'x', tax_ids: [[6, 0, [99_999_999]]] }]] },
    { partner_id, pricelist_id: 'cheap' },
    { partner_id, order_line: [[0, 0, { display_type: 'line_note', name: 'x', price_unit: 1 }]] },
    7,
  ]
  const count = () =>
    shop.ask<number>('sale.order/search_count', { domain: [['partner_id', '=', partner_id]] })
  for (const vals of bad) {
    const { status, body } = await shop.call('admin', 'sale.order/create', { vals_list: [vals] })
    assert.ok(
      status >= 400 && status < 500,
      `${JSON.stringify(vals)}: ${status} ${JSON.stringify(body).slice(0, 300)}`,
    )
  }
  assert.equal(await count(), 0)
  const id = await order({ partner_id })
  for (const method of [
    'action_confirm',
    'action_lock',
    'action_cancel',
    'action_quotation_sent',
    'action_update_prices',
    'action_update_taxes',
  ])
    assert.equal(await statusOf('admin', `sale.order/${method}`, { ids: [id, 99_999_999] }), 404, method)
  assert.equal((await read('sale.order', id, ['state'])).state, 'draft')
})
