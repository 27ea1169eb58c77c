// Mails: templates over records, the queue, and what a server receives of it. The test has the server.
import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { sql } from '../../sql/index.ts'
import { mail as mailModule } from './index.ts'

type Person = 'clerk' | 'keeper' | 'poster' | 'admin'
type Row = Readonly<Record<string, unknown>>

/** Mails that were taken, and recipients that are refused. */
const taken: string[] = []
const refusing = new Set<string>()
/** Recipients that are taken later. */
const delaying = new Set<string>()

/** Takes mails as a server does: just enough of SMTP. */
function converse(socket: Socket): void {
  let [buffered, isData] = ['', false]
  socket.on('error', () => undefined)
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1')
    for (;;) {
      const end = buffered.indexOf(isData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + (isData ? 5 : 2))
      if (isData) taken.push(line)
      const names = (addresses: ReadonlySet<string>) =>
        line.startsWith('RCPT') && [...addresses].some((address) => line.includes(address))
      const begins = !isData && line === 'DATA'
      const refusal = names(refusing) ? '550 nobody' : names(delaying) ? '450 later' : '250 ok'
      socket.write(`${begins ? '354 go' : refusal}\r\n`)
      isData = begins
    }
  })
}

let shop: Office<'clerk' | 'keeper' | 'poster'>
let sink: Server
before(async () => {
  sink = createServer(converse).listen(0, '127.0.0.1')
  const contacts = ['base.group_partner_manager']
  shop = await openOffice(['product'], { clerk: [], keeper: contacts, poster: contacts })
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

test('message_post_with_source and message_mail_with_source: a template writes about each record', async () => {
  const id = await make('res.partner', { name: 'Weir', email: 'weir@example.net' })
  const template = await templateOf({
    subject: '{{ object.name }} {{ room }}',
    body_html: '<p>{{ object.name }}</p>',
  })
  const body = { ids: [id], source_ref: template, render_values: { room: 12 } }
  const [message = 0] = await ask<number[]>('keeper', 'res.partner/message_post_with_source', body)
  const [posted] = await ask('admin', 'mail.message/read', {
    ids: [message],
    fields: ['subject', 'body', 'partner_ids', 'message_type'],
  })
  assert.deepEqual(
    [posted?.subject, posted?.body, posted?.message_type, posted?.partner_ids],
    ['Weir 12', '<p>Weir</p>', 'notification', [id]],
  )
  const [mail = 0] = await ask<number[]>('keeper', 'res.partner/message_mail_with_source', {
    ...body,
    subject: 'Come',
  })
  const [row] = await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['subject', 'state', 'res_id'] })
  assert.deepEqual(row, { id: mail, subject: 'Come', state: 'outgoing', res_id: id })
  const status = async (changes: object, person: Person = 'keeper') =>
    (await shop.call(person, 'res.partner/message_post_with_source', { ...body, ...changes })).status
  assert.equal(await status({}, 'clerk'), 403)
  assert.equal(await status({ ids: [999_999] }), 404)
  assert.equal(await status({ source_ref: 999_999 }), 404)
  for (const changes of [
    { source_ref: 'base.main_partner' },
    { render_values: { room: [] } },
    { source_ref: {} },
  ])
    assert.equal(await status(changes), 422, JSON.stringify(changes))
  const wrong = await shop.call('keeper', 'res.partner/message_post_with_source', { ...body, source_ref: {} })
  assert.match(JSON.stringify(wrong.body), /source_ref must be the id of a record/)
  const [other] = await ask<number[]>('admin', 'ir.model/search', { domain: [['model', '=', 'res.users']] })
  assert.equal(await status({ source_ref: await templateOf({ model_id: other }) }), 422)
})

test('templates: what is not an expression or a field, or is too long, is refused with 422', async () => {
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

test('templates: a field for some groups is not shown to others', async () => {
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

test('a mail that a server refuses is marked as failed, and can be tried again', async () => {
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

const waitingMail = (values: object) =>
  make('mail.mail', { email_from: 'a@shop.example', body: '<p>x</p>', ...values })
const stateOf = async (mail: number) =>
  (await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['state'] }))[0]?.state

test('queue: a mail that cannot be sent, or only later, keeps no others back', async () => {
  delaying.add('later@example.net')
  const later = await waitingMail({ email_to: 'later@example.net' })
  const invalid = await waitingMail({ email_to: 'no address' })
  const crowd = Array.from({ length: 501 }, (_, i) => `p${i}@example.net`).join(',')
  const crowded = await waitingMail({ email_to: crowd })
  const good = await waitingMail({ email_to: 'good@example.net' })
  await send()
  assert.deepEqual(
    [await stateOf(later), await stateOf(invalid), await stateOf(crowded), await stateOf(good)],
    ['outgoing', 'exception', 'exception', 'sent'],
  )
  delaying.clear()
  await send()
  assert.equal(await stateOf(later), 'sent')
})

test('queue: mails that never failed go before those that did', async () => {
  delaying.add('late@example.net')
  const late = await waitingMail({ email_to: 'late@example.net' })
  await send()
  const fresh = await waitingMail({ email_to: 'fresh@example.net' })
  await ask('admin', 'mail.mail/process_email_queue', { batch_size: 1 })
  assert.deepEqual([await stateOf(late), await stateOf(fresh)], ['outgoing', 'sent'])
  delaying.clear()
  await send()
})

test('queue: files that are more than a call may read keep no other mail back', async () => {
  const files = await ask<number[]>('admin', 'ir.attachment/create', {
    vals_list: [{ name: 'a', raw: 'oak' }],
  })
  await shop.run((env) =>
    env.execute(sql`UPDATE ir_attachment SET file_size = 2000000000 WHERE id = ${files[0]}`),
  )
  const heavy = await waitingMail({ email_to: 'heavy@example.net', attachment_ids: [[6, 0, files]] })
  const light = await waitingMail({ email_to: 'light@example.net' })
  await send()
  assert.deepEqual([await stateOf(heavy), await stateOf(light)], ['exception', 'sent'])
})

test('mail.mail: send does not send again what was sent or cancelled', async () => {
  const mail = await waitingMail({ email_to: 'once@example.net' })
  await ask('admin', 'mail.mail/send', { ids: [mail] })
  taken.length = 0
  await ask('admin', 'mail.mail/send', { ids: [mail] })
  await ask('admin', 'mail.mail/cancel', { ids: [await waitingMail({ email_to: 'never@example.net' })] })
  await send()
  assert.deepEqual(taken, [])
})

test('mails: their Message-Ids contain the identity of the database', async () => {
  const [row] = await ask('admin', 'ir.config_parameter/search_read', {
    domain: [['key', '=', 'database.uuid']],
    fields: ['value'],
  })
  taken.length = 0
  await waitingMail({ email_to: 'id@example.net' })
  await send()
  assert.ok(taken[0]?.includes(`.${row?.value}@comptoir>`))
})

test('send_mail: recipients and sender that a caller gives are judged', async () => {
  const id = await make('res.partner', { name: 'Mill', email: 'mill@example.net' })
  const elsewhere = await make('res.company', { name: 'Elsewhere' })
  const hidden = await make('res.partner', { name: 'Hidden', company_id: elsewhere })
  const template = await templateOf({ subject: 'x', email_from: 'office@shop.example', auto_delete: false })
  const status = async (email_values: unknown) =>
    (await shop.call('keeper', 'mail.template/send_mail', { ids: [template], res_id: id, email_values }))
      .status
  assert.equal(await status({ recipient_ids: [hidden] }), 403)
  assert.equal(await status({ recipient_ids: [[6, 0, [id]]] }), 422)
  assert.equal(await status({ recipient_ids: Array.from({ length: 501 }, (_, i) => i + 1) }), 422)
  assert.equal(await status('all'), 422)
  assert.equal(await status({ email_from: 'boss@shop.example' }), 403)
  assert.equal(await status({ email_from: 'keeper@shop.example' }), 200)
  assert.equal(await status({}), 200)
  const mails = await ask('admin', 'mail.mail/search_read', {
    domain: [['res_id', '=', id]],
    fields: ['email_from'],
    order: 'id',
  })
  assert.deepEqual(
    mails.map(({ email_from }) => email_from),
    ['keeper@shop.example', 'office@shop.example'],
  )
})

test('message_post and its form: mails are sent from addresses of the caller or of the template', async () => {
  const id = await make('res.partner', { name: 'Mill' })
  const [mail_server_id] = await ask<number[]>('admin', 'ir.mail_server/search', { domain: [] })
  const template_id = await templateOf({ body_html: '<p>Hi</p>', email_from: 'office@shop.example' })
  const status = async (path: string, body: object) => (await shop.call('keeper', path, body)).status
  for (const part of [{ email_from: 'boss@shop.example' }, { mail_server_id }])
    assert.equal(await status('res.partner/message_post', { ids: [id], body: 'x', ...part }), 403)
  const form = async (values: object) => ({
    ids: await ask<number[]>('keeper', 'mail.compose.message/create', {
      vals_list: [{ model: 'res.partner', res_ids: `[${id}]`, ...values }],
    }),
  })
  const send = 'mail.compose.message/action_send_mail'
  assert.equal(await status(send, await form({ body: 'x', email_from: 'boss@shop.example' })), 403)
  assert.equal(await status(send, await form({ template_id })), 200)
  const [row] = await ask('admin', 'mail.message/search_read', {
    domain: [
      ['res_id', '=', id],
      ['message_type', '=', 'comment'],
    ],
    fields: ['email_from'],
  })
  assert.equal(row?.email_from, 'office@shop.example')
})

test('templates: beginnings of expressions without an end are text, and are read in one walk', async () => {
  const id = await make('res.partner', { name: 'Mill' })
  for (const body_html of ['{{'.repeat(250_000), '<t t-out="x">'.repeat(40_000)])
    await make('mail.template', { name: 'T', body_html })
  const template = await templateOf({
    subject: '{{{{',
    body_html: '{{ object.name }}<t t-out="object.name">y</t> {{ }',
  })
  const mail = await ask<number>('admin', 'mail.template/send_mail', { ids: [template], res_id: id })
  const [row] = await ask('admin', 'mail.mail/read', { ids: [mail], fields: ['subject', 'body'] })
  assert.deepEqual([row?.subject, row?.body], ['{{{{', '<p>MillMill {{ }</p>'])
})

test('queue: a run in which the server took nothing is not repeated at once', async () => {
  await send()
  delaying.add('closed@example.net')
  const mails = await ask<number[]>('admin', 'mail.mail/create', {
    vals_list: Array.from({ length: 50 }, () => ({
      email_from: 'a@shop.example',
      email_to: 'closed@example.net',
      body: 'x',
    })),
  })
  const wakes = () => ask<number>('admin', 'ir.cron.trigger/search_count', { domain: [] })
  const before = await wakes()
  await send()
  assert.equal(await wakes(), before)
  delaying.clear()
  await send()
  assert.equal(await wakes(), before + 1)
  assert.equal(await stateOf(mails[0] ?? 0), 'sent')
  // A call that sends mails after its commit wakes the job too.
  await ask('admin', 'mail.mail/send_after_commit', { ids: [mails.at(-1)] })
  assert.equal(await wakes(), before + 2)
})

test('a neutralized database sends nothing that the original queued', async () => {
  const mail = await waitingMail({ email_to: 'copy@example.net' })
  await shop.run(async (env) => mailModule.neutralize?.(env))
  taken.length = 0
  await send()
  assert.deepEqual([taken, await stateOf(mail)], [[], 'cancel'])
})

test('send_mail: defaults in the context of a caller are no parts of the mail', async () => {
  const id = await make('res.partner', { name: 'Mill' })
  const template = await templateOf({ subject: 'x', email_to: 'mill@example.net' })
  const context = {
    default_body_html: '<script>1</script>',
    default_message_id: '<a>\r\nBcc: b@example.net',
    default_headers: 'x',
    default_state: 'sent',
  }
  const mail = await ask<number>('keeper', 'mail.template/send_mail', {
    ids: [template],
    res_id: id,
    context,
  })
  const fields = ['body_html', 'message_id', 'headers', 'state']
  const [row] = await ask('admin', 'mail.mail/read', { ids: [mail], fields })
  assert.deepEqual(row, { id: mail, body_html: false, message_id: false, headers: false, state: 'outgoing' })
})

test('mails: messages that a user posts count in the hourly bound, after they were sent too', async () => {
  const guests = await ask<number[]>('poster', 'res.partner/create', {
    vals_list: [1, 2, 3].map((n) => ({ name: `Guest ${n}`, email: `guest${n}@example.net` })),
  })
  const [thread = 0] = guests
  const post = (partner_ids: readonly number[]) =>
    shop.call('poster', 'res.partner/message_post', { ids: [thread], body: 'Hello', partner_ids })
  const parameter = await make('ir.config_parameter', { key: 'mail.hourly_limit', value: '3' })
  assert.equal((await post(guests.slice(0, 2))).status, 200)
  await send()
  const refusal = await post(guests.slice(1))
  assert.equal(refusal.status, 422)
  assert.match(JSON.stringify(refusal.body), /limit of 3 mails per hour/)
  assert.equal((await post(guests.slice(1, 2))).status, 200)
  await ask('admin', 'ir.config_parameter/unlink', { ids: [parameter] })
})

test('mails: one mail goes to at most 100 recipients', async () => {
  const recipient_ids = await ask<number[]>('keeper', 'res.partner/create', {
    vals_list: Array.from({ length: 101 }, (_, n) => ({ name: `Guest ${n}`, email: `g${n}@example.net` })),
  })
  const template = await templateOf({ subject: 'Hi', body_html: '<p>Hi</p>' })
  const mail = { ids: [template], res_id: recipient_ids[0], email_values: { recipient_ids } }
  const refusal = await shop.call('keeper', 'mail.template/send_mail', mail)
  assert.equal(refusal.status, 422)
  assert.match(JSON.stringify(refusal.body), /at most 100 addresses/)
})
