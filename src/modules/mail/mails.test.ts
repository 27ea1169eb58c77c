// Mails: templates over records, the queue, and what a server hears of them. The server is one of the test.
import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Person = 'clerk' | 'keeper' | 'admin'
type Row = Readonly<Record<string, unknown>>

/** What was taken, and recipients that are refused. */
const taken: string[] = []
const refusing = new Set<string>()

/** Takes mails as a server does: just enough of SMTP. */
function converse(socket: Socket): void {
  let [heard, isData] = ['', false]
  socket.on('error', () => undefined)
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
    for (;;) {
      const end = heard.indexOf(isData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const line = heard.slice(0, end)
      heard = heard.slice(end + (isData ? 5 : 2))
      if (isData) taken.push(line)
      const isWrong = line.startsWith('RCPT') && [...refusing].some((address) => line.includes(address))
      const begins = !isData && line === 'DATA'
      socket.write(begins ? '354 go\r\n' : isWrong ? '550 nobody\r\n' : '250 ok\r\n')
      isData = begins
    }
  })
}

let shop: Office<'clerk' | 'keeper'>
let sink: Server
before(async () => {
  sink = createServer(converse).listen(0, '127.0.0.1')
  shop = await openOffice(['product'], { clerk: [], keeper: ['base.group_partner_manager'] })
  await shop.run(async (env) => {
    const address = sink.address()
    await env.model('ir.mail_server').create([
      {
        name: 'Sink',
        smtp_host: '127.0.0.1',
        smtp_port: typeof address === 'object' ? (address?.port ?? 0) : 0,
      },
    ])
    const people = await env.model('res.users').search([['login', 'in', ['admin', 'keeper', 'clerk']]])
    const partners = await people.load(['partner_id', 'login'])
    for (const { partner_id, login } of partners)
      await env
        .model('res.partner')
        .browse([partner_id.id])
        .write({ email: `${login}@shop.example` })
  })
})
after(async () => {
  await shop?.close()
  sink?.close()
})

async function ask<T = Row[]>(person: Person, path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

async function make(model: string, values: object): Promise<number> {
  const [id = 0] = await ask<number[]>('admin', `${model}/create`, { vals_list: [values] })
  return id
}

async function templateOf(values: object): Promise<number> {
  const [model_id] = await ask<number[]>('admin', 'ir.model/search', {
    domain: [['model', '=', 'res.partner']],
  })
  return make('mail.template', { name: 'T', model_id, ...values })
}

const send = () => ask('admin', 'mail.mail/process_email_queue', {})

test('a message to a follower is sent by the queue, once, and removed from it', async () => {
  const id = await make('res.partner', { name: 'Mill', email: 'mill@example.net' })
  const posted = await ask<number[]>('keeper', 'res.partner/message_post', {
    ids: [id],
    body: 'Your wheel',
    subject: 'Wheel',
    message_type: 'comment',
    partner_ids: [id],
  })
  taken.length = 0
  await send()
  await send()
  assert.equal(taken.length, 1)
  for (const part of [
    /^From: "?keeper"? <keeper@shop\.example>/m,
    /^To: mill@example\.net/m,
    /^Subject: Wheel/m,
  ])
    assert.match(taken[0] ?? '', part)
  const [row] = await ask('admin', 'mail.notification/search_read', {
    domain: [['mail_message_id', 'in', posted]],
    fields: ['notification_status'],
  })
  assert.equal(row?.notification_status, 'sent')
  assert.equal(
    await ask<number>('admin', 'mail.mail/search_count', { domain: [['mail_message_id', 'in', posted]] }),
    0,
  )
})

test('send_mail: a template is written over the record as its reader sees it', async () => {
  const id = await make('res.partner', { name: 'A & B', email: 'ab@example.net', city: 'Ulm' })
  const template = await templateOf({
    subject: 'For {{ object.name }} in {{ object.city or "nowhere" }}',
    body_html: '<p>Dear <t t-out="object.name"/>, {{ object.parent_id.name or "alone" }}</p>',
    auto_delete: false,
  })
  const mail = await ask<number>('keeper', 'mail.template/send_mail', { ids: [template], res_id: id })
  const fields = ['subject', 'body', 'state', 'res_id']
  const [row] = await ask('admin', 'mail.mail/read', { ids: [mail], fields })
  assert.deepEqual(row, {
    id: mail,
    subject: 'For A & B in Ulm',
    body: '<p>Dear A &amp; B, alone</p>',
    state: 'outgoing',
    res_id: id,
  })
  taken.length = 0
  await send()
  assert.match(taken[0] ?? '', /^To: ab@example\.net/m)
  assert.equal((await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['state'] }))[0]?.state, 'sent')
})

test('templates: what is no expression, no field or too long is refused with 422', async () => {
  const id = await make('res.partner', { name: 'Mill' })
  const status = async (path: string, body: object, person: Person = 'admin') =>
    (await shop.call(person, path, body)).status
  for (const subject of ['{{ import os }}', '{{ object. }}'])
    assert.equal(await status('mail.template/create', { vals_list: [{ name: 'T', subject }] }), 422)
  for (const subject of [
    '{{ object.no_such }}',
    '{{ object.child_ids }}',
    '{{ env }}',
    `{{ object.${'parent_id.'.repeat(9)}name }}`,
  ])
    assert.equal(
      await status('mail.template/send_mail', { ids: [await templateOf({ subject })], res_id: id }),
      422,
      subject,
    )
  const template = await templateOf({ subject: 'x' })
  assert.equal(await status('mail.template/send_mail', { ids: [template], res_id: id }, 'clerk'), 403)
  assert.equal(await status('mail.template/send_mail', { ids: [template], res_id: 999_999 }), 404)
  const injected = { email_values: { email_to: 'a@example.net\nBcc: b@example.net' } }
  assert.equal(await status('mail.template/send_mail', { ids: [template], res_id: id, ...injected }), 422)
})

test('templates: a field for some groups is not told to others', async () => {
  const id = await make('res.partner', { name: 'Mill' })
  const template = await templateOf({ subject: '{{ object.create_uid.password }} {{ user.login }}' })
  const { status } = await shop.call('keeper', 'mail.template/send_mail', { ids: [template], res_id: id })
  if (status === 200) {
    const [row] = await ask('admin', 'mail.mail/search_read', {
      domain: [['res_id', '=', id]],
      fields: ['subject'],
    })
    assert.equal(String(row?.subject).trim(), 'keeper')
  } else assert.ok([403, 422].includes(status), String(status))
})

test('a mail that a server refuses is told as failed, and can be tried again', async () => {
  refusing.add('gone@example.net')
  const mail = await make('mail.mail', {
    email_from: 'a@shop.example',
    email_to: 'gone@example.net',
    body: '<p>x</p>',
  })
  await send()
  const [row] = await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['state', 'failure_reason'] })
  assert.equal(row?.state, 'exception')
  assert.match(String(row?.failure_reason), /nobody|recipients/i)
  refusing.clear()
  await ask('admin', 'mail.mail/action_retry', { ids: [mail] })
  await send()
  assert.equal((await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['state'] }))[0]?.state, 'sent')
})

test('mail.mail: administrators alone see and send mails', async () => {
  for (const path of ['mail.mail/search_read', 'mail.mail/process_email_queue'])
    assert.equal(
      (await shop.call('keeper', path, { ...(path.endsWith('read') && { domain: [] }) })).status,
      403,
    )
})

test('mail.compose.message: a form from a template posts to its record', async () => {
  const id = await make('res.partner', { name: 'Mill', email: 'form@example.net' })
  const template_id = await templateOf({ subject: 'Hello {{ object.name }}', body_html: '<p>Hi</p>' })
  const [form = 0] = await ask<number[]>('keeper', 'mail.compose.message/create', {
    vals_list: [{ model: 'res.partner', res_ids: `[${id}]`, template_id }],
  })
  await ask('keeper', 'mail.compose.message/action_send_mail', { ids: [form] })
  const [row] = await ask('keeper', 'mail.message/search_read', {
    domain: [
      ['res_id', '=', id],
      ['message_type', '=', 'comment'],
    ],
    fields: ['subject', 'notified_partner_ids'],
    load: null,
  })
  assert.equal(row?.subject, 'Hello Mill')
  assert.ok(Array.isArray(row?.notified_partner_ids) && row.notified_partner_ids.includes(id))
})
