// Records that issued documents refer to are neither deleted nor changed by what stands around them:
// deletions that PostgreSQL would carry over, and those of the moment in which a document is issued.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Connection } from '../../src/postgres/index.ts'
import { openTill, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till

before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_stock', 'purchase_stock'])
})
after(() => till?.close())

const day = '2026-05-05'

async function modelId(name: string): Promise<number> {
  const [id] = await till.ask<number[]>('ir.model/search', { domain: [['model', '=', name]] })
  return id as number
}

test('set-up: a custom link does not delete documents together with its target', async () => {
  const field = { ttype: 'many2one', relation: 'res.partner.category', field_description: 'Tag' }
  for (const model of ['stock.move', 'account.move.line', 'pos.payment', 'account.payment'])
    await assertRefused(till, 'admin', 'ir.model.fields/create', {
      vals_list: [{ ...field, model_id: await modelId(model), name: 'x_tag', on_delete: 'cascade' }],
    })
  const id = await till.make('ir.model.fields', {
    ...{ ...field, model_id: await modelId('stock.move'), name: 'x_tag', on_delete: 'set null' },
  })
  await assertRefused(till, 'admin', 'ir.model.fields/write', { ids: [id], vals: { on_delete: 'cascade' } })
  await till.make('ir.model.fields', {
    ...{ ...field, model_id: await modelId('res.partner'), name: 'x_tag', on_delete: 'cascade' },
  })
})

test('set-up: terms, pricelists and contacts of confirmed documents are not deleted', async () => {
  const [terms, pricelist, contact, unused] = [
    await till.make('account.payment.term', { name: 'Net 3' }),
    await till.make('product.pricelist', { name: 'Old' }),
    await till.make('res.partner', { name: 'Store', parent_id: 1, type: 'delivery' }),
    await till.make('product.pricelist', { name: 'Unused' }),
  ]
  const product = await till.make('product.product', { name: 'Box', is_storable: true })
  const order = await till.make('sale.order', {
    ...{ partner_id: 1, payment_term_id: terms, pricelist_id: pricelist, partner_shipping_id: contact },
    order_line: [[0, 0, { product_id: product, product_uom_qty: 1 }]],
  })
  await till.ask('sale.order/action_confirm', { ids: [order] })
  const move = { move_type: 'out_invoice', partner_id: 1, invoice_date: day }
  const invoice = await till.make('account.move', {
    ...{ ...move, partner_shipping_id: contact, invoice_line_ids: [[0, 0, { price_unit: 5 }]] },
  })
  await till.ask('account.move/action_post', { ids: [invoice] })
  for (const [model, id] of [
    ['account.payment.term', terms],
    ['product.pricelist', pricelist],
    ['res.partner', contact],
  ] as const)
    await assertRefused(till, 'admin', `${model}/unlink`, { ids: [id] })
  await till.make('sale.order', { partner_id: 1, pricelist_id: unused })
  await till.ask('product.pricelist/unlink', { ids: [unused] })
})

test('set-up: an invoice is not posted with a tax that another call is deleting', async () => {
  const tax = await till.make('account.tax', { name: 'Exempt', amount: 0 })
  const id = await till.make('account.move', {
    ...{ move_type: 'out_invoice', partner_id: 1, invoice_date: day },
    invoice_line_ids: [[0, 0, { price_unit: 5, tax_ids: [[6, 0, [tax]]] }]],
  })
  const connection = await Connection.connect({ ...till.address, database: 'test' })
  try {
    // The deletion passes its checks and waits for this lock.
    await connection.simple(`BEGIN; SELECT FROM account_tax WHERE id = ${tax} FOR KEY SHARE`)
    const deleting = till.call('admin', 'account.tax/unlink', { ids: [tax] })
    await setTimeout(500)
    let isPosted = false
    const posting = till.call('biller', 'account.move/action_post', { ids: [id] }).then((answer) => {
      isPosted = answer.status === 200
      return answer
    })
    await setTimeout(500)
    const wasFirst = isPosted
    await connection.simple('COMMIT')
    const [deleted, posted] = await Promise.all([deleting, posting])
    assert.equal(posted.status, 200)
    assert.equal(deleted.status, wasFirst ? 422 : 200)
  } finally {
    await connection.close()
  }
})

test('set-up: the file of a field is not written as an attachment where the field is closed', async () => {
  const product_id = await till.make('product.product', { name: 'Pen' })
  const order = await till.make('sale.order', { partner_id: 1, order_line: [[0, 0, { product_id }]] })
  const place = { res_model: 'sale.order', res_id: order, res_field: 'signature' }
  const pixel = 'R0lGODlhAQABAAAAACwAAAAAAQABAAA='
  await till.ask('sale.order/action_confirm', { ids: [order] })
  const file = { name: 'signature', datas: pixel }
  await assertRefused(till, 'admin', 'ir.attachment/create', { vals_list: [{ ...file, ...place }] })
  const context = Object.fromEntries(Object.entries(place).map(([name, value]) => [`default_${name}`, value]))
  await assertRefused(till, 'admin', 'ir.attachment/create', { vals_list: [file], context })
  const loose = await till.make('ir.attachment', file)
  for (const res_id of [order, `${order}`])
    await assertRefused(till, 'admin', 'ir.attachment/write', { ids: [loose], vals: { ...place, res_id } })
  const invoice = { move_type: 'out_invoice', partner_id: 1, invoice_date: day }
  const id = await till.make('account.move', {
    ...{ ...invoice, invoice_line_ids: [[0, 0, { price_unit: 5 }]] },
  })
  await till.ask('account.move/action_post', { ids: [id] })
  const print = { ...file, res_model: 'account.move', res_id: id, res_field: 'invoice_pdf_report_file' }
  await assertRefused(till, 'biller', 'ir.attachment/create', { vals_list: [print] })
})

test('set-up: a kept print takes no content, also none that looks like its present one', async () => {
  const invoice = { move_type: 'out_invoice', partner_id: 1, invoice_date: day }
  const id = await till.make('account.move', {
    ...{ ...invoice, invoice_line_ids: [[0, 0, { price_unit: 5 }]] },
  })
  await till.ask('account.move/action_post', { ids: [id] })
  const pdf = await till.get('admin', `/report/pdf/account.report_invoice/${id}`)
  const content = Buffer.from(await pdf.arrayBuffer()).toString('base64')
  const [copy] = await till.ask<number[]>('ir.attachment/search', {
    domain: [
      ['res_model', '=', 'account.move'],
      ['res_id', '=', id],
    ],
  })
  for (const raw of ['x', 'not base64', content, '%PDF-'])
    await assertRefused(till, 'admin', 'ir.attachment/write', { ids: [copy], vals: { raw } })
})
