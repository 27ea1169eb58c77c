// Printed invoices: whole, on several pages, in the customer's language, with access rights; bounded,
// escaped, and stored once when posted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf } from '../../../../test/support/ledger.ts'
import { setLimits } from '../../../limits.ts'

let ledger: Ledger
let partner: number
before(async () => {
  ledger = ledgerOf(await openAccounting())
  partner = await ledger.make('res.partner', {
    name: 'Bar <b>Noir</b>',
    street: 'Rue 1',
    city: 'Lyon',
    vat: 'FR1',
  })
})
after(() => {
  setLimits()
  return ledger?.office.close()
})

const invoice = (lines: number, more: object = {}) =>
  ledger.make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2025-03-10',
    narration: '<p>Goods stay <b>ours</b> &amp; cold</p>',
    invoice_line_ids: Array.from({ length: lines }, (_, n) => [
      0,
      0,
      { name: `Line ${n}`, quantity: 1000, price_unit: 2, discount: n === 1 ? 5 : 0 },
    ]),
    ...more,
  })
const post = (id: number) => ledger.ask('account.move/action_post', { ids: [id] })
const html = async (ids: string) =>
  (await ledger.office.get('admin', `/report/html/account.report_invoice/${ids}`)).text()
const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length ?? 0

test('as HTML: the company, the customer, lines, taxes, sums and terms; what people wrote is text', async () => {
  const id = await invoice(2)
  assert.match(await html(`${id}`), /Draft Invoice/)
  await post(id)
  const page = await html(`${id}`)
  for (const part of [
    'Invoice INV/2025/',
    'Line 0',
    '1,000.00',
    'Disc.%',
    '5.00%',
    'Bar &#60;b&#62;Noir',
    'Untaxed Amount',
    '$\u00a03,900.00',
    '03/10/2025',
  ])
    assert.ok(page.includes(part), part)
  assert.ok(page.includes('Goods stay ours &#38; cold') && !page.includes('<b>Noir'))
  const answer = await ledger.office.get('admin', `/report/html/account.report_invoice/${id}`)
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
})

test('in the language of the customer', async () => {
  const [french] = await ledger.search(
    'res.lang',
    [
      ['code', '=', 'fr_FR'],
      ['active', 'in', [true, false]],
    ],
    [],
  )
  await ledger.ask('res.lang/write', { ids: [french?.id], vals: { active: true } })
  const client = await ledger.make('res.partner', { name: 'Client', lang: 'fr_FR' })
  const id = await invoice(1, { partner_id: client })
  await post(id)
  const page = await html(`${id}`)
  for (const part of ['Facture INV/2025/', 'Quantité', 'Montant hors taxes', '10/03/2025', '000,00'])
    assert.ok(page.includes(part), part)
})

test('as PDF: over several pages, several documents in one file, kept once with a posted invoice', async () => {
  const [long, short] = [await invoice(90), await invoice(1)]
  await post(long)
  const print = async (ids: string) => {
    const answer = await ledger.office.get('admin', `/report/pdf/account.report_invoice/${ids}`)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf'])
    return Buffer.from(await answer.arrayBuffer())
  }
  const first = await print(`${long}`)
  assert.ok(first.subarray(0, 5).toString() === '%PDF-' && pagesOf(first) >= 3, `${pagesOf(first)} pages`)
  assert.ok(first.equals(await print(`${long}`)))
  assert.equal(pagesOf(await print(`${long},${short}`)), pagesOf(first) + 1)
  await print(`${short}`)
  const files = await ledger.search(
    'ir.attachment',
    [
      ['res_model', '=', 'account.move'],
      ['res_id', 'in', [long, short]],
    ],
    ['name', 'mimetype', 'res_id'],
  )
  assert.deepEqual(
    files.map((file) => [file.res_id, file.mimetype]),
    [[long, 'application/pdf']],
  )
  // A forged file in its place is not printed.
  const forged = { ids: [files[0]?.id], vals: { raw: Buffer.from('forged').toString('base64') } }
  await ledger.office.call('admin', 'ir.attachment/write', forged)
  assert.equal(pagesOf(await print(`${long}`)), pagesOf(first))
})

test('printed number: moving the entry to another journal is refused, so that no other document gets it', async () => {
  const journals = await Promise.all(
    ['PJA', 'PJB'].map((code) => ledger.make('account.journal', { name: code, code, type: 'sale' })),
  )
  const [id, unprinted] = [
    await invoice(1, { journal_id: journals[0] }),
    await invoice(1, { journal_id: journals[0] }),
  ]
  const ids = [id]
  await ledger.ask('account.move/action_post', { ids: [id, unprinted] })
  assert.equal((await ledger.office.get('admin', `/report/pdf/account.report_invoice/${id}`)).status, 200)
  await ledger.ask('account.move/button_draft', { ids: [id, unprinted] })
  const vals = { journal_id: journals[1] }
  const { status, body } = await ledger.office.call('admin', 'account.move/write', { ids, vals })
  assert.deepEqual([status, (body as { name: string }).name], [422, 'odoo.exceptions.UserError'])
  await ledger.ask('account.move/write', { ids, vals: { journal_id: journals[0] } })
  await ledger.ask('account.move/write', { ids: [unprinted], vals })
})

test('letters beyond the West are printed too', async () => {
  const client = await ledger.make('res.partner', { name: 'Łódź Жанна' })
  const answer = await ledger.office.get(
    'admin',
    `/report/pdf/account.report_invoice/${await invoice(1, { partner_id: client })}`,
  )
  assert.match(Buffer.from(await answer.arrayBuffer()).toString('latin1'), /DejaVuSans/)
})

test('a word without an end is set, and cut where its page ends', async () => {
  const id = await invoice(1, { invoice_line_ids: [[0, 0, { name: 'x'.repeat(50_000), price_unit: 1 }]] })
  const answer = await ledger.office.get('admin', `/report/pdf/account.report_invoice/${id}`)
  assert.equal(answer.status, 200)
  assert.ok(pagesOf(Buffer.from(await answer.arrayBuffer())) <= 3)
})

test('printing invoices: only for users who may read them, and within bounds', async () => {
  const id = await invoice(3)
  const status = async (person: 'admin' | 'clerk' | 'biller', path: string) =>
    (await ledger.office.get(person, path)).status
  assert.equal(await status('biller', `/report/html/account.report_invoice/${id}`), 200)
  assert.equal(await status('clerk', `/report/pdf/account.report_invoice/${id}`), 403)
  assert.equal(await status('admin', `/report/pdf/account.report_invoice/${id},999999`), 404)
  assert.equal(await status('admin', '/report/pdf/account.report_invoice/x'), 422)
  assert.equal(await status('admin', `/report/pdf/no.report/${id}`), 404)
  assert.equal(
    await status(
      'admin',
      `/report/html/account.report_invoice/${Array.from({ length: 101 }, () => id).join()}`,
    ),
    422,
  )
  const long = await invoice(1, { narration: `<p>${'word '.repeat(1000)}</p>${'<br>'.repeat(300)}` })
  setLimits({ 'print-lines': 100 })
  assert.equal(await status('admin', `/report/html/account.report_invoice/${id}`), 200)
  setLimits({ 'print-lines': 9 })
  assert.equal(await status('admin', `/report/html/account.report_invoice/${long}`), 413)
  const named = await invoice(1, { ref: 'r'.repeat(10_000) })
  assert.equal(await status('admin', `/report/html/account.report_invoice/${named}`), 413)
  setLimits({ 'print-lines': 2 })
  assert.equal(await status('admin', `/report/html/account.report_invoice/${id}`), 413)
  setLimits()
})
