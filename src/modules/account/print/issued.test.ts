// Issued documents: prints stay as they were when the document was posted, whatever changes later.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf } from '../../../../test/support/ledger.ts'
import { plainPng } from '../../../../test/support/png.ts'
import { raw } from '../../../sql/index.ts'

const REPORT = 'account.report_invoice'
let ledger: Ledger
let shop: Shop
before(async () => {
  ledger = ledgerOf(await openAccounting())
  shop = await makeShop()
})
after(() => ledger?.office.close())

const write = (model: string, id: unknown, vals: object) => ledger.ask(`${model}/write`, { ids: [id], vals })
const html = async (id: number, report = REPORT) =>
  (await ledger.office.get('admin', `/report/html/${report}/${id}`)).text()
const pdf = async (id: number, report = REPORT) => {
  const answer = await ledger.office.get('admin', `/report/pdf/${report}/${id}`)
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

interface Shop {
  readonly partner: number
  readonly company: number
  readonly companyPartner: number
  readonly bank: number
  readonly tax: number
  readonly group: number
  readonly unit: number
  readonly term: number
  readonly product: number
}

async function makeShop(): Promise<Shop> {
  const [company] = await ledger.search('res.company', [], ['partner_id'])
  const companyPartner = company?.partner_id as number
  const bank = await ledger.make('res.partner.bank', { partner_id: companyPartner, acc_number: 'OLDBANK1' })
  await write('res.partner', companyPartner, {
    street: 'Old Road 1',
    phone: '111',
    image_1920: plainPng(8, 8, 'grey').toString('base64'),
  })
  await write('res.company', company?.id, {
    report_header: '<p>Old motto</p>',
    report_footer: '<p>Old foot</p>',
  })
  const tax = await ledger.make('account.tax', { name: 'Old tax', amount: 10 })
  const { tax_group_id: group } = await ledger.read('account.tax', tax, ['tax_group_id'])
  await write('account.tax.group', group, { name: 'Old group' })
  const unit = await ledger.make('uom.uom', { name: 'Old crate' })
  return {
    partner: await ledger.make('res.partner', { name: 'Old Client', street: 'Old Lane 2', vat: 'OLDVAT' }),
    company: company?.id as number,
    companyPartner,
    bank,
    tax,
    group: group as number,
    unit,
    term: await ledger.make('account.payment.term', {
      name: 'Old term',
      note: '<p>Old words</p>',
      line_ids: [[0, 0, { value: 'percent', value_amount: 100, nb_days: 30 }]],
    }),
    product: await ledger.make('product.product', {
      name: 'Old lamp',
      uom_id: unit,
      taxes_id: [[6, 0, [tax]]],
    }),
  }
}

const invoice = async ({ partner, product, term }: Shop) => {
  const id = await ledger.make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2025-03-10',
    invoice_payment_term_id: term,
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 2, price_unit: 1000 }]],
  })
  await ledger.ask('account.move/action_post', { ids: [id] })
  return id
}

/** Changes everything that a document shows, apart from its own values. */
async function changeAll(shop: Shop): Promise<void> {
  await write('res.partner', shop.companyPartner, {
    name: 'New Company',
    street: 'New Road 1',
    phone: '222',
    image_1920: plainPng(9, 9, 'rgb').toString('base64'),
  })
  await write('res.company', shop.company, {
    report_header: '<p>New motto</p>',
    report_footer: '<p>New foot</p>',
  })
  await write('res.partner.bank', shop.bank, { acc_number: 'NEWBANK1' })
  await write('account.tax.group', shop.group, { name: 'New group' })
  await write('account.tax', shop.tax, { invoice_label: 'New tax' })
  await write('uom.uom', shop.unit, { name: 'New crate' })
  await write('account.payment.term', shop.term, { note: '<p>New words</p>' })
  await write('product.product', shop.product, { name: 'New lamp' })
  const [french, english] = await ledger.search(
    'res.lang',
    [
      ['code', 'in', ['fr_FR', 'en_US']],
      ['active', 'in', [true, false]],
    ],
    ['code'],
    'code desc',
  )
  await write('res.lang', french?.id, { active: true })
  await write('res.lang', english?.id, { date_format: '%d.%m.%Y', decimal_point: ',', thousands_sep: '.' })
  await write('res.partner', shop.partner, {
    name: 'New Client',
    street: 'New Lane 2',
    vat: 'NEWVAT',
    lang: 'fr_FR',
  })
}

test('issued invoice: changes of company, customer, bank, tax, unit, terms, product and language leave it as it was', async () => {
  const [printed, unprinted] = [await invoice(shop), await invoice(shop)]
  const [page, other] = [await html(printed), await html(unprinted)]
  const bytes = await pdf(printed)
  for (const part of [
    'Old Client',
    'OLDVAT',
    'OLDBANK1',
    'Old motto',
    'Old foot',
    'Old crate',
    'Old words',
    'Old group',
    '03/10/2025',
  ])
    assert.ok(page.includes(part), part)
  await changeAll(shop)
  assert.equal(await html(printed), page)
  assert.equal(await html(unprinted), other, 'nobody printed it before')
  assert.ok((await pdf(printed)).equals(bytes))
  const fresh = await html(await invoice(shop))
  assert.doesNotMatch(fresh, /Old (?!tax)/)
  for (const part of [
    'New Client',
    'NEWVAT',
    'NEWBANK1',
    'New motto',
    'New group',
    'New tax',
    'Facture',
    'New words',
  ])
    assert.ok(fresh.includes(part), part)
  // A copy that was made once is served, whatever makes documents today.
  const late = await pdf(unprinted)
  await ledger.office.run((env) =>
    env.query(
      raw(`UPDATE account_move_issued SET facts = facts || '{"ref": "other"}' WHERE move_id = ${unprinted}`),
    ),
  )
  assert.match(await html(unprinted), /other/)
  assert.ok((await pdf(unprinted)).equals(late))
})

test('issued invoice: the one with payments follows what is paid, and nothing else', async () => {
  const id = await invoice(shop)
  const WITH = 'account.report_invoice_with_payments'
  const unpaid = await html(id, WITH)
  const bytes = await pdf(id, WITH)
  await write('res.partner', shop.partner, { street: 'Newest Lane 3' })
  assert.equal(await html(id, WITH), unpaid)
  assert.ok((await pdf(id, WITH)).equals(bytes))
  const context = { active_model: 'account.move', active_ids: [id] }
  const [form] = await ledger.ask<number[]>('account.payment.register/create', { vals_list: [{}], context })
  await ledger.ask('account.payment.register/action_create_payments', { ids: [form], context })
  const paid = await html(id, WITH)
  assert.doesNotMatch(paid, /Newest/)
  assert.match(paid, /New Lane 2/)
})

test('issued invoice: back to draft and posted again it is issued anew, and the old copy stays', async () => {
  const id = await invoice(shop)
  const bytes = await pdf(id)
  await write('res.partner', shop.partner, { street: 'Another Lane 4' })
  await ledger.ask('account.move/button_draft', { ids: [id] })
  assert.match(await html(id), /Another Lane 4/)
  await ledger.ask('account.move/action_post', { ids: [id] })
  assert.match(await html(id), /Another Lane 4/)
  assert.ok(!(await pdf(id)).equals(bytes))
  const copies = await ledger.search(
    'ir.attachment',
    [
      ['res_model', '=', 'account.move'],
      ['res_id', '=', id],
    ],
    ['sealed'],
  )
  assert.deepEqual(
    copies.map(({ sealed }) => sealed),
    [true, true],
  )
  for (const { id: copy } of copies) {
    const changes = { ids: [copy], vals: { public: true } }
    assert.equal((await ledger.office.call('admin', 'ir.attachment/write', changes)).status, 422)
    assert.equal((await ledger.office.call('admin', 'ir.attachment/unlink', { ids: [copy] })).status, 422)
  }
})

test('invoices posted before anything was fixed: their first print is what stays', async () => {
  const id = await invoice(shop)
  await ledger.office.run((env) => env.query(raw('DELETE FROM account_move_issued')))
  const bytes = await pdf(id)
  await write('res.partner', shop.partner, { street: 'Last Lane 5' })
  assert.ok((await pdf(id)).equals(bytes))
})

test('vendor documents: prints and the name that is read stay when the vendor changes', async () => {
  const vendor = await ledger.make('res.partner', { name: 'Old Vendor', street: 'Old Mill 6', vat: 'OLDV' })
  const line = { product_id: shop.product, quantity: 2, price_unit: 100, tax_ids: [[6, 0, [shop.tax]]] }
  const documents = { in_invoice: 0, in_refund: 0, in_receipt: 0 }
  for (const move_type of Object.keys(documents) as (keyof typeof documents)[]) {
    documents[move_type] = await ledger.make('account.move', {
      ...{ move_type, partner_id: vendor, invoice_date: '2025-03-10', invoice_line_ids: [[0, 0, line]] },
    })
  }
  const drafted = await ledger.make('account.move', { move_type: 'in_invoice', partner_id: vendor })
  const ids = Object.values(documents)
  const drafts = await Promise.all(ids.map((id) => html(id)))
  const totals = (page: string) => page.slice(page.indexOf('Untaxed'))
  await ledger.ask('account.move/action_post', { ids })
  const posted = await Promise.all(ids.map((id) => html(id)))
  assert.deepEqual(posted.map(totals), drafts.map(totals), 'sums have the signs of the document')
  const bytes = await pdf(documents.in_invoice)
  await write('res.partner', vendor, { name: 'New Vendor', street: 'New Mill 7', vat: 'NEWV' })
  for (const [n, id] of ids.entries()) {
    assert.match(posted[n] ?? '', /Old Vendor.*Old Mill 6.*OLDV/s)
    assert.equal(await html(id), posted[n])
  }
  assert.ok((await pdf(documents.in_invoice)).equals(bytes))
  const nameOf = async (id: number) =>
    (await ledger.read('account.move', id, ['invoice_partner_display_name'])).invoice_partner_display_name
  assert.equal(await nameOf(documents.in_invoice), 'Old Vendor')
  assert.equal(await nameOf(drafted), 'New Vendor')
  await ledger.ask('account.move/button_draft', { ids: [documents.in_invoice] })
  assert.equal(await nameOf(documents.in_invoice), 'New Vendor')
})

test('invoice: its PDF file is what the server printed, and not written by people, drafts included', async () => {
  const invoice_pdf_report_file = Buffer.from('%PDF-1.4 forged').toString('base64')
  const vals = { move_type: 'out_invoice', partner_id: shop.partner, invoice_date: '2025-03-10' }
  const refused = /invoice_pdf_report_file\) of Journal Entry is set by the server/
  await assert.rejects(ledger.make('account.move', { ...vals, invoice_pdf_report_file }), refused)
  const id = await ledger.make('account.move', vals)
  await assert.rejects(write('account.move', id, { invoice_pdf_report_file }), refused)
})
