// Sending documents: what the forms propose, and what is sent of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'

let office: Accounting
let { ask, make, read, search } = {} as Ledger
const partners = { mill: 0, inn: 0 }
before(async () => {
  office = await openAccounting()
  ;({ ask, make, read, search } = ledgerOf(office))
  partners.mill = await make('res.partner', { name: 'Mill', email: 'mill@example.net' })
  partners.inn = await make('res.partner', { name: 'Inn' })
})
after(() => office?.close())

async function invoice(partner_id: number, isPosted = true): Promise<number> {
  const id = await make('account.move', {
    move_type: 'out_invoice',
    partner_id,
    invoice_date: '2025-03-10',
    invoice_line_ids: [[0, 0, { name: 'Flour', price_unit: 40, tax_ids: [] }]],
  })
  if (isPosted) await ask('account.move/action_post', { ids: [id] })
  return id
}
const formOf = async (move_id: number, more: object = {}): Promise<number> => {
  const { status, body } = await office.call('biller', 'account.move.send.wizard/create', {
    vals_list: [{ move_id, ...more }],
  })
  assert.equal(status, 200, JSON.stringify(body))
  return (body as number[])[0] as number
}
const asBiller = (path: string, body: object) => office.call('biller', path, body)
const refused = async (path: string, ids: readonly number[], status: number, message: RegExp) => {
  const answer = await asBiller(path, { ids })
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.match((answer.body as { message: string }).message, message)
}
const send = 'account.move.send.wizard/action_send_and_print'

test('account.move.send.wizard: proposes way, mail and print, and sends one kept copy', async () => {
  const id = await invoice(partners.mill)
  const opened = await ask<Row>('account.move/action_send_and_print', { ids: [id] })
  assert.equal(opened.res_model, 'account.move.send.wizard')
  const form = await formOf(id)
  const [row] = (await asBiller('account.move.send.wizard/read', { ids: [form] })).body as Row[]
  const { name } = await read('account.move', id, ['name'])
  assert.deepEqual(row?.sending_methods, ['email'])
  assert.deepEqual(row?.mail_partner_ids, [partners.mill])
  assert.match(String(row?.subject), new RegExp(`Invoice ${name}$`))
  assert.match(String(row?.body), /Dear Mill,.*40/)
  const [file] = (row?.mail_attachments_widget ?? []) as Row[]
  assert.deepEqual([file?.name, file?.placeholder], [`${String(name).replaceAll('/', '_')}.pdf`, true])
  assert.deepEqual([row?.model, row?.res_ids, row?.display_pdf_report_id], ['account.move', `[${id}]`, true])
  assert.deepEqual(Object.keys(row?.alerts as object), ['account_missing_server'])
  for (let i = 0; i < 2; i++) {
    const { body } = await asBiller(send, { ids: [form] })
    assert.deepEqual(body, { type: 'ir.actions.act_window_close' })
  }
  const messages = await search(
    'mail.message',
    [
      ['model', '=', 'account.move'],
      ['res_id', '=', id],
      ['message_type', '=', 'comment'],
    ],
    ['partner_ids', 'attachment_ids', 'subject'],
  )
  const { invoice_pdf_report_id: copy, is_move_sent: isSent } = await read('account.move', id, [
    'invoice_pdf_report_id',
    'is_move_sent',
  ])
  assert.equal(isSent, true)
  assert.deepEqual(
    messages.map((message) => [message.partner_ids, message.attachment_ids]),
    [
      [[partners.mill], [copy]],
      [[partners.mill], [copy]],
    ],
  )
})

test('account.move.send.wizard: downloads, kept templates and refusals', async () => {
  const [posted, draft] = [await invoice(partners.inn), await invoice(partners.mill, false)]
  const form = await formOf(posted)
  const { body } = await asBiller(send, { ids: [form] })
  assert.deepEqual(body, {
    type: 'ir.actions.act_url',
    url: `/report/pdf/account.report_invoice_with_payments/${posted}`,
    target: 'download',
  })
  await refused(send, [await formOf(posted, { sending_methods: ['email'] })], 422, /Inn has no email address/)
  await refused(send, [await formOf(draft)], 422, /cannot be sent/)
  await refused('account.move.send.wizard/create_mail_template', [form], 403, /mail.template|not allowed/i)
  const mine = { subject: 'Mine', mail_partner_ids: [[6, 0, [partners.mill]]], mail_attachments_widget: [] }
  const written = { ids: [await formOf(posted, mine)], fields: Object.keys(mine) }
  const [sent] = (await asBiller('account.move.send.wizard/read', written)).body as Row[]
  assert.deepEqual(
    [sent?.subject, sent?.mail_partner_ids, sent?.mail_attachments_widget],
    ['Mine', [partners.mill], []],
  )
  const wrong = await asBiller('account.move.send.wizard/create', {
    vals_list: [{ move_id: posted, sending_methods: ['pigeon'] }],
  })
  assert.equal(wrong.status, 422)
  const [model] = await search('ir.model', [['model', '=', 'res.partner']], ['id'])
  const template_id = await make('mail.template', {
    name: 'Visit',
    model_id: model?.id,
    subject: '{{ object.name }}',
  })
  const elsewhere = await asBiller('account.move.send.wizard/create', {
    vals_list: [{ move_id: posted, template_id }],
  })
  assert.equal(elsewhere.status, 422, JSON.stringify(elsewhere.body))
  assert.match((elsewhere.body as { message: string }).message, /about res.partner: choose/)
  assert.equal(
    (await office.call('clerk', 'account.move.send.wizard/create', { vals_list: [{}] })).status,
    403,
  )
  const kept = await make('account.move.send.wizard', { move_id: posted, template_name: 'Spring' })
  await ask('account.move.send.wizard/create_mail_template', { ids: [kept] })
  const templates = await search('mail.template', [['name', '=', 'Spring']], ['model'])
  assert.deepEqual(
    templates.map(({ model }) => model),
    ['account.move'],
  )
})

test('account.move.send.batch.wizard: each document is sent as its contact wants, or none', async () => {
  const [mailed, downloaded] = [await invoice(partners.mill), await invoice(partners.inn)]
  const batch = async (...move_ids: number[]) => {
    const { body } = await asBiller('account.move.send.batch.wizard/create', {
      vals_list: [{ move_ids: [[6, 0, move_ids]] }],
    })
    return (body as number[])[0] as number
  }
  const form = await batch(mailed, downloaded)
  const rows = (await asBiller('account.move.send.batch.wizard/read', { ids: [form] })).body as Row[]
  assert.deepEqual(rows[0]?.summary_data, {
    email: { count: 1, label: 'by Email' },
    manual: { count: 1, label: 'Download' },
  })
  const sendAll = 'account.move.send.batch.wizard/action_send_and_print'
  await refused(sendAll, [await batch(mailed, await invoice(partners.mill, false))], 422, /cannot be sent/)
  assert.equal((await read('account.move', mailed, ['is_move_sent'])).is_move_sent, false)
  const { body } = await asBiller(sendAll, { ids: [form] })
  assert.equal((body as Row).url, `/report/pdf/account.report_invoice_with_payments/${downloaded}`)
  const sent = await search('account.move', [['id', 'in', [mailed, downloaded]]], ['is_move_sent'])
  assert.deepEqual(
    sent.map((move) => move.is_move_sent),
    [true, true],
  )
})

test('forms about documents: those of another company are refused, as the form would say what they hold', async () => {
  const company_id = await make('res.company', { name: 'Elsewhere' })
  const journal_id = await make('account.journal', {
    name: 'Other',
    code: 'OTH',
    type: 'general',
    company_id,
  })
  const move = await make('account.move', { journal_id })
  const forms = [
    ['biller', 'account.move.send.wizard', { move_id: move }],
    ['biller', 'account.move.send.batch.wizard', { move_ids: [[4, move]] }],
    ['boss', 'account.resequence.wizard', { move_ids: [[4, move]] }],
  ] as const
  for (const [person, model, vals] of forms) {
    const { status } = await office.call(person, `${model}/create`, { vals_list: [vals] })
    assert.equal(status, 403, model)
  }
})
