// Further fields of orders that clients read and open: totals as printed, warnings, sections, the
// customer's page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering } from '../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../test/support/selling.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

const { make, makeAll, order, product, read } = ordering(() => shop)

test('invoices of orders: they have the team and the journal of the order, and customers see no balance', async () => {
  const giro = await make('account.journal', { name: 'Giro', code: 'GIRO', type: 'bank' })
  const [method] = await shop.ask<number[]>('account.payment.method.line/search', {
    domain: [
      ['journal_id', '=', giro],
      ['payment_type', '=', 'inbound'],
    ],
  })
  const partner_id = await make('res.partner', {
    name: 'Opera',
    property_inbound_payment_method_line_id: method,
  })
  const product_id = await make('product.product', { name: 'Seat', list_price: 10, taxes_id: [[5]] })
  const journal_id = await make('account.journal', { name: 'Stage', code: 'STG', type: 'sale' })
  const team_id = await make('crm.team', { name: 'Box office' })
  const order_line = [[0, 0, { product_id, product_uom_qty: 2 }]]
  const id = await order({ partner_id, journal_id, team_id, order_line })
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await shop.ask('sale.advance.payment.inv/create_invoices', {
    ids: [await make('sale.advance.payment.inv', { sale_order_ids: [[6, 0, [id]]] })],
  })
  const [invoice] = (await read('sale.order', id, ['invoice_ids'])).invoice_ids as [number]
  const header = await read('account.move', invoice, ['team_id', 'journal_id', 'line_ids'])
  assert.deepEqual([header.team_id, header.journal_id], [team_id, journal_id])
  for (const [model, record] of [
    ['sale.order', id],
    ['account.move', invoice],
  ] as const) {
    const field = 'preferred_payment_method_line_id'
    assert.equal((await read(model, record, [field]))[field], method, model)
  }
  await shop.ask('account.move/action_post', { ids: [invoice] })
  const [guest] = await shop.ask<{ partner_id: number }[]>('res.users/search_read', {
    domain: [['login', '=', 'guest']],
    fields: ['partner_id'],
    load: null,
  })
  await shop.ask('res.partner/write', { ids: [guest?.partner_id], vals: { parent_id: partner_id } })
  await shop.ask('crm.team/update_invoiced_target', { ids: [team_id], value: 750 })
  const sums = await read('crm.team', team_id, ['invoiced', 'invoiced_target', 'sale_order_count'])
  assert.deepEqual([sums.invoiced, sums.invoiced_target, sums.sale_order_count], [20, 750, 1])
  await shop.ask('account.move/read', { ids: [invoice] }, 'guest')
  await shop.ask('account.move.line/read', { ids: header.line_ids }, 'guest')
  const refused = [
    ['guest', 'account.move.line', 'cumulated_balance', header.line_ids],
    ['lead', 'account.move.line', 'cumulated_balance', header.line_ids],
    ['own', 'account.journal', 'current_statement_balance', [journal_id]],
    ['clerk', 'account.account', 'current_balance', [1]],
  ] as const
  for (const [person, model, field, ids] of refused)
    assert.equal((await shop.call(person, `${model}/read`, { ids, fields: [field] })).status, 403, field)
  const marked = (domain: unknown) => shop.ask<number[]>('crm.team/search', { domain })
  await shop.ask('crm.team/write', { ids: [team_id], vals: { is_favorite: true } })
  assert.deepEqual(await marked([['is_favorite', 'in', [true]]]), [team_id])
  assert.ok(!(await marked([['is_favorite', '=', false]])).includes(team_id))
})

test('account.move: documents of sales have the team of their salesperson, credit notes that of the invoice', async () => {
  const partner_id = await make('res.partner', { name: 'Circus' })
  const [teams] = [await shop.ask<number[]>('crm.team/search', { domain: [], order: 'sequence, id' })]
  const team_id = await make('crm.team', { name: 'Ring', sequence: 99 })
  const lines = [[0, 0, { name: 'Tent', quantity: 1, price_unit: 5, tax_ids: [[5]] }]]
  const document = (vals: object) => make('account.move', { partner_id, invoice_line_ids: lines, ...vals })
  const teamOf = async (id: number) => (await read('account.move', id, ['team_id'])).team_id
  const plain = await document({ move_type: 'out_invoice' })
  assert.equal(await teamOf(plain), teams[0])
  assert.equal(await teamOf(await document({ move_type: 'in_invoice' })), false)
  assert.equal(await teamOf(await document({ move_type: 'out_invoice', team_id: false })), false)
  const [lead] = await shop.ask<{ id: number }[]>('res.users/search_read', {
    domain: [['login', '=', 'lead']],
    fields: ['id'],
  })
  await make('crm.team.member', { crm_team_id: team_id, user_id: lead?.id })
  const theirs = await document({ move_type: 'out_invoice', invoice_user_id: lead?.id })
  assert.equal(await teamOf(theirs), team_id)
  await shop.ask('account.move/write', { ids: [theirs], vals: { invoice_date: '2026-01-15' } })
  await shop.ask('account.move/action_post', { ids: [theirs] })
  const form = await make('account.move.reversal', { move_ids: [[6, 0, [theirs]]], journal_id: null })
  const { res_id } = await shop.ask<{ res_id: number }>('account.move.reversal/refund_moves', { ids: [form] })
  assert.equal(await teamOf(res_id), team_id)
})

test('orders: totals by group of taxes, warnings and sections follow from their lines', async () => {
  const tax = await make('account.tax', { name: 'Tenth', amount: 10 })
  const partner_id = await make('res.partner', { name: 'Theatre', sale_warn_msg: 'Pays late' })
  const product_id = await make('product.product', {
    name: 'Curtain',
    list_price: 1,
    taxes_id: [[6, 0, [tax]]],
    sale_line_warn_msg: 'Fragile',
  })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { display_type: 'line_section', name: 'Stage' }],
      [0, 0, { product_id, product_uom_qty: 3, price_unit: 110, discount: 5, is_optional: true }],
    ],
  })
  const row = await read('sale.order', id, ['tax_totals', 'sale_warning_text', 'access_url', 'order_line'])
  const documents = [
    [{ move_type: 'out_invoice', partner_id }, 'Theatre - Pays late\nCurtain - Fragile'],
    [{ move_type: 'in_invoice', partner_id }, ''],
  ] as const
  for (const [vals, warning] of documents) {
    const document = await make('account.move', { ...vals, invoice_line_ids: [[0, 0, { product_id }]] })
    assert.equal((await read('account.move', document, ['sale_warning_text'])).sale_warning_text, warning)
  }
  const { subtotals, total_amount } = row.tax_totals as {
    total_amount: number
    subtotals: { tax_groups: { involved_tax_ids: number[]; tax_amount: number }[] }[]
  }
  assert.equal(total_amount, 344.85)
  assert.deepEqual(
    subtotals.map(({ tax_groups: groups }) =>
      groups.map((group) => [group.involved_tax_ids, group.tax_amount]),
    ),
    [[[[tax], 31.35]]],
  )
  assert.equal(row.sale_warning_text, 'Theatre - Pays late\nCurtain - Fragile')
  assert.equal(row.access_url, `/my/orders/${id}`)
  const [section, line] = row.order_line as number[]
  assert.deepEqual(await shop.ask('sale.order.line/get_parent_section_line', { ids: [line] }), [section])
  const facts = await read('sale.order.line', line as number, ['is_optional', 'is_product_archived'])
  assert.deepEqual([facts.is_optional, facts.is_product_archived], [true, false])
})

test('orders: campaigns and analytic distributions go on to their invoices', async () => {
  const partner_id = await make('res.partner', { name: 'Visitor' })
  const product_id = await make('product.product', { name: 'Poster', type: 'service', taxes_id: [[5]] })
  const [spring, again] = [
    await make('utm.campaign', { title: 'Spring' }),
    await make('utm.campaign', { title: 'Spring' }),
  ]
  assert.equal((await read('utm.campaign', again, ['name'])).name, 'Spring [2]')
  const plan_id = await make('account.analytic.plan', { name: 'Shows' })
  const account = await make('account.analytic.account', { name: 'Matinee', plan_id })
  const analytic_distribution = { [account]: 100 }
  const order_line = [[0, 0, { product_id, product_uom_qty: 1, price_unit: 40, analytic_distribution }]]
  const id = await order({ partner_id, campaign_id: spring, order_line })
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await shop.ask('sale.advance.payment.inv/create_invoices', {
    ids: [await make('sale.advance.payment.inv', { sale_order_ids: [[6, 0, [id]]] })],
  })
  const [invoice] = (await read('sale.order', id, ['invoice_ids'])).invoice_ids as [number]
  await shop.ask('account.move/action_post', { ids: [invoice] })
  assert.equal((await read('account.move', invoice, ['campaign_id'])).campaign_id, spring)
  assert.equal((await read('account.analytic.account', account, ['balance'])).balance, 40)
  const figures = await read('utm.campaign', spring, ['quotation_count', 'invoiced_amount'])
  assert.deepEqual([figures.quotation_count, figures.invoiced_amount], [1, 40])
  const brought = await shop.ask<object[]>('sale.report/search_read', {
    domain: [['order_id', '=', id]],
    fields: ['campaign_id', 'medium_id', 'source_id'],
    load: null,
  })
  assert.partialDeepStrictEqual(brought, [{ campaign_id: spring, medium_id: false, source_id: false }])
})

test('account.move.reversal: a credit note is for the order of its invoice, whose contacts may have changed', async () => {
  const [partner_id, payer, laterPayer] = await makeAll(
    'res.partner',
    ['Band', 'Label', 'Fund'].map((name) => ({ name, is_company: true })),
  )
  const product_id = await product('Gig', 50, { invoice_policy: 'order' })
  const id = await order({ partner_id, partner_invoice_id: payer, order_line: [[0, 0, { product_id }]] })
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await shop.ask('sale.advance.payment.inv/create_invoices', {
    ids: [await make('sale.advance.payment.inv', { sale_order_ids: [[6, 0, [id]]] })],
  })
  const { invoice_ids: invoices } = await read('sale.order', id, ['invoice_ids'])
  await shop.ask('account.move/action_post', { ids: invoices })
  await shop.ask('sale.order/write', { ids: [id], vals: { partner_invoice_id: laterPayer } })
  const form = await make('account.move.reversal', { move_ids: [[6, 0, invoices]] })
  await shop.ask('account.move.reversal/modify_moves', { ids: [form] })
  assert.equal((await read('sale.order', id, ['invoice_count'])).invoice_count, 3)
})
