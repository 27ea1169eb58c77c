// Threads: who posts, reads and follows, what messages may hold, and activities.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Person = 'clerk' | 'keeper' | 'admin'
type Row = Readonly<Record<string, unknown>>

let shop: Office<'clerk' | 'keeper'>
/** A company that only administrators work for. */
let elsewhere = 0
before(async () => {
  shop = await openOffice(['product'], { clerk: [], keeper: ['base.group_partner_manager'] })
  ;[elsewhere = 0] = await ask<number[]>('admin', 'res.company/create', {
    vals_list: [{ name: 'Elsewhere' }],
  })
})
after(() => shop?.close())

async function ask<T = Row[]>(person: Person, path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

const refused = async (person: Person, path: string, body: object) =>
  (await shop.call(person, path, body)).status

async function contact(values: object = {}, person: Person = 'admin'): Promise<number> {
  const [id = 0] = await ask<number[]>(person, 'res.partner/create', {
    vals_list: [{ name: 'Mill', ...values }],
  })
  return id
}

test('message_post: who may write a record posts to it, others are refused', async () => {
  const ids = [await contact()]
  assert.equal(await refused('clerk', 'res.partner/message_post', { ids, body: 'x' }), 403)
  const posted = await ask<number[]>('keeper', 'res.partner/message_post', { ids, body: 'A note' })
  const [row] = await ask('clerk', 'mail.message/read', { ids: posted, fields: ['body', 'author_id'] })
  assert.equal(row?.body, '<p>A note</p>')
  assert.match(JSON.stringify(row?.author_id), /keeper/)
})

test('message_post: text is escaped, markup is cleaned', async () => {
  const ids = [await contact()]
  const posted = [
    ...(await ask<number[]>('admin', 'res.partner/message_post', { ids, body: '<script>1</script>\nb' })),
    ...(await ask<number[]>('admin', 'res.partner/message_post', {
      ids,
      body: '<p onclick="x()">a<script>1</script></p>',
      body_is_html: true,
    })),
  ]
  const rows = await ask('admin', 'mail.message/read', { ids: posted, fields: ['body', 'preview'] })
  assert.doesNotMatch(JSON.stringify(rows.map(({ body }) => body)), /<script|onclick/)
  assert.deepEqual(
    rows.map(({ preview }) => preview),
    ['<script>1</script> b', 'a'],
  )
})

test('message_post: wrong parts are refused with 422', async () => {
  const ids = [await contact()]
  const wrong: readonly object[] = [
    { subject: 'a\nBcc: x@example.net' },
    { partner_ids: ['x'] },
    { partner_ids: Array.from({ length: 501 }, (_, i) => i + 1) },
    { subtype_xmlid: 'mail.no_such' },
    { message_type: 'shout' },
    { attachments: [['a']] },
  ]
  for (const parts of wrong)
    assert.equal(await refused('admin', 'res.partner/message_post', { ids, body: 'x', ...parts }), 422)
  assert.equal(await refused('admin', 'res.partner/message_post', { ids: [999_999], body: 'x' }), 404)
})

test('message_post: users do not write in the name of another', async () => {
  const author = await contact()
  const body = { ids: [author], body: 'x', author_id: author }
  assert.equal(await refused('keeper', 'res.partner/message_post', body), 403)
})

test('message_post: files that are sent along belong to the record', async () => {
  const ids = [await contact()]
  const attachments = [['plan.txt', 'oak']]
  const posted = await ask<number[]>('keeper', 'res.partner/message_post', { ids, body: 'x', attachments })
  const [message] = await ask('clerk', 'mail.message/read', {
    ids: posted,
    fields: ['attachment_ids'],
    load: null,
  })
  const files = await ask('clerk', 'ir.attachment/read', {
    ids: message?.attachment_ids,
    fields: ['name', 'res_id'],
  })
  assert.deepEqual([files[0]?.name, files[0]?.res_id], ['plan.txt', ids[0]])
  const [record] = await ask('clerk', 'res.partner/read', { ids, fields: ['message_attachment_count'] })
  assert.equal(record?.message_attachment_count, 1)
})

test('messages and followers follow the rights of their record', async () => {
  const [hidden, open] = [await contact({ company_id: elsewhere }), await contact()]
  for (const id of [hidden, open])
    await ask('admin', 'res.partner/message_post', { ids: [id], body: `Secret ${id}` })
  const messages = await ask('clerk', 'mail.message/search_read', {
    domain: [['body', 'like', 'Secret']],
    fields: ['res_id'],
  })
  const followers = await ask('clerk', 'mail.followers/search_read', {
    domain: [['res_id', 'in', [hidden, open]]],
    fields: ['res_id'],
  })
  assert.deepEqual([...new Set([...messages, ...followers].map(({ res_id }) => res_id))], [open])
})

test('mail.message: only administrators write messages past message_post', async () => {
  const vals = { model: 'res.partner', res_id: await contact(), body: 'x' }
  assert.equal(await refused('keeper', 'mail.message/create', { vals_list: [vals] }), 403)
  assert.equal(await refused('admin', 'mail.message/create', { vals_list: [vals] }), 200)
})

test('a record without messages is followed by its creator', async () => {
  const id = await contact({}, 'keeper')
  const fields = ['message_is_follower', 'has_message', 'message_ids', 'message_partner_ids']
  const [row] = await ask('keeper', 'res.partner/read', { ids: [id], fields, load: null })
  assert.deepEqual([row?.message_is_follower, row?.has_message, row?.message_ids], [true, true, []])
  const domain = [
    ['message_partner_ids', 'in', row?.message_partner_ids],
    ['id', '=', id],
  ]
  assert.equal(await ask<number>('keeper', 'res.partner/search_count', { domain }), 1)
  await ask('keeper', 'res.partner/message_unsubscribe', { ids: [id] })
  assert.equal(await ask<number>('keeper', 'res.partner/search_count', { domain }), 0)
})

test('message_subscribe: a user who reads a record follows it, and makes no other contact do so', async () => {
  const ids = [await contact()]
  assert.equal(await ask('clerk', 'res.partner/message_subscribe', { ids }), true)
  const partner_ids = [await contact()]
  assert.equal(await refused('clerk', 'res.partner/message_subscribe', { ids, partner_ids }), 403)
  const followers = await ask('clerk', 'res.partner/message_get_followers', { ids })
  assert.deepEqual(followers.map(({ name }) => name).sort(), ['Administrator', 'clerk'])
})

test('followers and the first activity are written by fields of their record', async () => {
  const ids = [await contact()]
  const [miller, baker] = [await contact(), await contact()]
  const fields = ['message_partner_ids', 'activity_summary']
  await ask('keeper', 'res.partner/activity_schedule', { ids, summary: 'Before' })
  const vals = { message_partner_ids: [[6, 0, [miller, baker]]], activity_summary: 'After' }
  await ask('keeper', 'res.partner/write', { ids, vals })
  const [row] = await ask('keeper', 'res.partner/read', { ids, fields, load: null })
  assert.deepEqual([row?.message_partner_ids, row?.activity_summary], [[miller, baker], 'After'])
})

test('message_notify: contacts are notified, and without contacts it is refused', async () => {
  const [ids, partner_ids] = [[await contact()], [await contact()]]
  const posted = await ask<number[]>('keeper', 'res.partner/message_notify', {
    ids,
    body: 'Come',
    partner_ids,
  })
  const fields = ['notified_partner_ids', 'message_type']
  const [row] = await ask('admin', 'mail.message/read', { ids: posted, fields, load: null })
  assert.deepEqual([row?.notified_partner_ids, row?.message_type], [partner_ids, 'user_notification'])
  assert.equal(await refused('keeper', 'res.partner/message_notify', { ids, body: 'Come' }), 422)
})

test('stars: each reader has their own', async () => {
  const ids = [await contact()]
  const posted = await ask<number[]>('keeper', 'res.partner/message_post', { ids, body: 'x' })
  await ask('clerk', 'mail.message/toggle_message_starred', { ids: posted })
  const starred = async (person: Person) =>
    (await ask(person, 'mail.message/read', { ids: posted, fields: ['starred'] }))[0]?.starred
  assert.deepEqual([await starred('clerk'), await starred('keeper')], [true, false])
  await ask('clerk', 'mail.message/unstar_all', {})
  assert.equal(await starred('clerk'), false)
})

test('users: their messages and activities are those of their contact', async () => {
  const [user] = await ask('admin', 'res.users/search_read', {
    domain: [['login', '=', 'clerk']],
    fields: ['partner_id'],
    load: null,
  })
  const ids = [user?.id]
  const posted = await ask<number[]>('admin', 'res.users/message_post', { ids, body: 'x' })
  const [row] = await ask('admin', 'mail.message/read', { ids: posted, fields: ['model', 'res_id'] })
  assert.deepEqual([row?.model, row?.res_id], ['res.partner', user?.partner_id])
  const planned = await ask<number[]>('admin', 'res.users/activity_schedule', { ids, summary: 'Call' })
  const [read] = await ask('admin', 'res.users/read', { ids, fields: ['activity_ids'] })
  assert.deepEqual(read?.activity_ids, planned)
})

test('activities: users who may write the record plan some, and no user reads its name by one', async () => {
  const hidden = await contact({ company_id: elsewhere })
  const vals = { res_model: 'res.partner', res_id: hidden }
  assert.equal(await refused('clerk', 'mail.activity/create', { vals_list: [vals] }), 403)
  const [clerk] = await ask<number[]>('admin', 'res.users/search', { domain: [['login', '=', 'clerk']] })
  const summary = 'Ask'
  const ids = await ask<number[]>('admin', 'res.partner/activity_schedule', {
    ids: [hidden],
    summary,
    user_id: clerk,
  })
  const [row] = await ask('clerk', 'mail.activity/read', { ids, fields: ['summary', 'res_name'] })
  assert.deepEqual([row?.summary, row?.res_name], ['Ask', false])
})

test('activities: types say when they are due and what comes after them', async () => {
  const ids = [await contact()]
  const [next] = await ask<number[]>('admin', 'mail.activity.type/create', {
    vals_list: [{ name: 'Visit', delay_count: 2, delay_unit: 'weeks' }],
  })
  const [type] = await ask<number[]>('admin', 'mail.activity.type/create', {
    vals_list: [{ name: 'Letter', chaining_type: 'trigger', triggered_next_type_id: next }],
  })
  const date_deadline = '2030-01-01'
  await ask('keeper', 'res.partner/activity_schedule', { ids, activity_type_id: type, date_deadline })
  await ask('keeper', 'res.partner/activity_feedback', { ids, act_type_xmlids: [], feedback: 'Sent' })
  const rows = await ask('keeper', 'mail.activity/search_read', {
    domain: [['res_id', 'in', ids]],
    fields: ['activity_type_id', 'previous_activity_type_id'],
    load: null,
  })
  assert.deepEqual(
    rows.map((row) => [row.activity_type_id, row.previous_activity_type_id]),
    [[next, type]],
  )
  const data = await ask<Row>('keeper', 'mail.activity/get_activity_data', {
    res_model: 'res.partner',
    domain: [['id', 'in', ids]],
  })
  assert.deepEqual(Object.keys(data.grouped_activities as object), ids.map(String))
})

test('external ids of other models name no kind of message and no type of activity', async () => {
  const ids = [await contact()]
  const company = 'base.main_company'
  const posting = { ids, body: 'x', subtype_xmlid: company }
  assert.equal(await refused('keeper', 'res.partner/message_post', posting), 422)
  const planning = { ids, act_type_xmlid: company }
  assert.equal(await refused('keeper', 'res.partner/activity_schedule', planning), 422)
})

test('defaults in the context of a caller are no values of what the server writes', async () => {
  const [id, other] = [await contact(), await contact()]
  const context = {
    default_author_id: other,
    default_email_from: 'boss@shop.example',
    default_date: '2001-01-01 00:00:00',
    default_subject: 'Forged',
    default_reply_to: 'boss@shop.example',
    default_pinned_at: '2001-01-01 00:00:00',
    default_message_id: '<a@b>',
  }
  const [activity] = await ask<number[]>('keeper', 'res.partner/activity_schedule', { ids: [id] })
  const posted = await ask<number[]>('keeper', 'res.partner/message_post', { ids: [id], body: 'x', context })
  const noted = await ask<number>('keeper', 'mail.activity/action_feedback', { ids: [activity], context })
  const notified = await ask<number[]>('keeper', 'res.partner/message_notify', {
    ids: [id],
    body: 'x',
    partner_ids: [other],
    context,
  })
  const fields = ['author_id', 'email_from', 'subject', 'reply_to', 'pinned_at', 'message_id', 'date']
  const rows = await ask('admin', 'mail.message/read', { ids: [...posted, noted, ...notified], fields })
  for (const { author_id, date, id: _id, ...rest } of rows) {
    assert.match(JSON.stringify(author_id), /keeper/)
    assert.doesNotMatch(String(date), /^2001/)
    assert.deepEqual(new Set(Object.values(rest)), new Set([false]))
  }
})

test('activities: the person assigned follows each of many records', async () => {
  const records = await ask<number[]>('admin', 'res.partner/create', {
    vals_list: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
  })
  await ask('keeper', 'res.partner/activity_schedule', { ids: records })
  const rows = await ask('keeper', 'res.partner/read', { ids: records, fields: ['message_is_follower'] })
  assert.deepEqual(
    rows.map(({ message_is_follower }) => message_is_follower),
    [true, true, true],
  )
})
