// The layout of documents: administrators choose it once, before the first document is sent.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../../test/support/office.ts'

type Person = 'clerk' | 'admin'
type Row = Readonly<Record<string, unknown>>

let shop: Office<'clerk'>
before(async () => {
  shop = await openOffice(['account'], { clerk: ['account.group_account_invoice'] })
})
after(() => shop?.close())

async function ask<T = Row[]>(person: Person, path: string, body: object = {}): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const create = async (model: string, vals: object) =>
  (await ask<number[]>('admin', `${model}/create`, { vals_list: [vals] }))[0] as number
const layout = 'base.document.layout'

test('base.document.layout: the form shows and writes the settings of its company', async () => {
  const form = await create(layout, { report_header: '<p>Since 1900</p>', primary_color: '#112233' })
  const fields = ['company_id', 'primary_color', 'preview', 'font', 'layout_background', 'from_invoice']
  const [row] = await ask('admin', `${layout}/read`, { ids: [form], fields, load: null })
  assert.deepEqual(
    [row?.company_id, row?.primary_color, row?.font, row?.layout_background, row?.from_invoice],
    [1, '#112233', 'Lato', 'Blank', false],
  )
  assert.match(String(row?.preview), /Since 1900/)
  const company = { ids: [1], fields: ['primary_color', 'is_company_details_empty'] }
  const before = (await ask('admin', 'res.company/read', company))[0]
  assert.deepEqual([before?.primary_color, before?.is_company_details_empty], ['#112233', true])
  await ask('admin', `${layout}/write`, { ids: [form], vals: { company_details: '<p>1 Quay</p>' } })
  assert.equal((await ask('admin', 'res.company/read', company))[0]?.is_company_details_empty, false)
})

test('base.document.layout: only administrators open it', async () => {
  const { status } = await shop.call('clerk', `${layout}/create`, { vals_list: [{}] })
  assert.equal(status, 403)
})

test('account.move/action_invoice_sent: the layout is chosen before the first invoice is sent', async () => {
  const partner_id = await create('res.partner', { name: 'Guest' })
  const document = { move_type: 'out_invoice', partner_id }
  const ids = [await create('account.move', document)]
  const sent = (person: Person) =>
    ask<{ res_model: string; context: { report_action?: Row } }>(person, 'account.move/action_invoice_sent', {
      ids,
    })
  assert.equal((await sent('clerk')).res_model, 'mail.compose.message')
  const { res_model, context } = await sent('admin')
  assert.equal(res_model, layout)
  assert.equal(context.report_action?.res_model, 'mail.compose.message')

  const [form] = await ask<number[]>('admin', `${layout}/create`, { vals_list: [{}], context })
  const next = await ask<Row>('admin', `${layout}/document_layout_save`, { ids: [form], context })
  assert.deepEqual(next, context.report_action)
  assert.equal((await sent('admin')).res_model, 'mail.compose.message')
  const fields = ['from_invoice', 'report_layout_id', 'external_report_layout_id']
  const [row] = await ask('admin', `${layout}/read`, { ids: [form], fields })
  assert.equal(row?.from_invoice, true)
  assert.deepEqual(
    [row?.report_layout_id, row?.external_report_layout_id].map((pair) => (pair as [number, string])[1]),
    ['Standard', 'Standard layout'],
  )
  assert.deepEqual(await ask('admin', `${layout}/document_layout_save`, { ids: [form] }), {
    type: 'ir.actions.act_window_close',
  })
})

test('base.document.layout: printed documents follow the form, issued ones keep the look that they had', async () => {
  const partner_id = await create('res.partner', { name: 'Reader' })
  const line = [0, 0, { name: 'Books', quantity: 1, price_unit: 5 }]
  const document = { move_type: 'out_invoice', partner_id, invoice_line_ids: [line] }
  const printed = async (id: number) => {
    const page = await (await shop.get('admin', `/report/html/account.report_invoice/${id}`)).text()
    return /<article[^>]*>/.exec(page)?.[0] ?? ''
  }
  const choose = async (name: string, vals: object) => {
    const [choice] = await ask('admin', 'report.layout/search_read', {
      domain: [['name', '=', name]],
      fields: [],
    })
    await create(layout, { report_layout_id: choice?.id, ...vals })
  }
  await choose('Striped', { primary_color: '#aa0000', secondary_color: '#00aa00', font: 'Montserrat' })
  const id = await create('account.move', document)
  assert.match(
    await printed(id),
    /class="striped" style="--heading:#aa0000;--rule:#aa0000;--label:#00aa00;.*Montserrat/,
  )
  await ask('admin', 'account.move/action_post', { ids: [id] })
  await choose('Bold', { primary_color: '#0000aa' })
  assert.match(await printed(id), /class="striped" style="--heading:#aa0000/)
  assert.match(await printed(await create('account.move', document)), /class="bold" style="--heading:#0000aa/)
  await choose('Standard', { primary_color: 'no colour' })
  assert.match(
    await printed(await create('account.move', document)),
    /class="standard" style="--heading:#222222/,
  )
})
