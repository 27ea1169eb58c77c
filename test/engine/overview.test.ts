// Pages besides the documentation: the first page, limited to what its reader may see and with bounded
// counts; the manager's facts after its password.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const MASTER = 'the master password'
let data: TestDatabase
let server: Server

before(async () => {
  data = await openTestDatabase(modules, { masterPassword: MASTER })
  server = await createServer({ databases: data.databases, masterPassword: MASTER })
  const [internal, seller] = await data.run(async (env) => [
    await env.ref('base.group_user'),
    await env.ref('sales_team.group_sale_salesman'),
  ])
  const people = [
    { name: 'Clerk', login: 'clerk', password: 'a clerk of the shop', group_ids: [[6, 0, [internal]]] },
    {
      name: 'Seller',
      login: 'seller',
      password: 'a seller of the shop',
      group_ids: [[6, 0, [internal, seller]]],
    },
  ]
  await data.run((env) => env.model('res.users').create(people as never))
})
after(async () => {
  await server?.close()
  await data?.close()
})

async function home(login: string, password: string): Promise<string> {
  const entered = await server.app.inject({
    method: 'POST',
    url: '/web/session/authenticate',
    headers: { 'content-type': 'application/json' },
    payload: { params: { db: 'test', login, password } },
  })
  const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] as string
  const page = await server.app.inject({
    method: 'GET',
    url: '/odoo',
    headers: { cookie, host: 'shop.test' },
  })
  assert.equal(page.statusCode, 200)
  return page.body
}
const counts = (page: string) =>
  new Map(
    [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, label = '', n]) => [
      label.replace(/<[^>]*>/g, ''),
      n,
    ]),
  )

test('overview: does not count records that the reader may not see', async () => {
  const [admin, clerk, seller] = [
    await home('admin', 'admin'),
    await home('clerk', 'a clerk of the shop'),
    await home('seller', 'a seller of the shop'),
  ]
  assert.deepEqual([...counts(admin).keys()], ['Contacts', 'Products', 'Orders'])
  assert.ok(!counts(clerk).has('Orders'), String([...counts(clerk).keys()]))
  assert.equal(counts(seller).get('Orders'), '0')
  const partner = await data.run(async (env) => {
    const [buyer] = (await env.model('res.partner').create([{ name: 'Buyer' }])).ids
    const user = (await env.model('res.users').search([['login', '=', 'admin']])).ids[0]
    await env.model('sale.order').create([{ partner_id: buyer, user_id: user } as never])
    return buyer
  })
  assert.ok(partner)
  assert.equal(counts(await home('admin', 'admin')).get('Orders'), '1')
  assert.equal(
    counts(await home('seller', 'a seller of the shop')).get('Orders'),
    '0',
    'the orders of others are none of theirs',
  )
  // Links lead to the documentation, which is not for everybody.
  assert.match(admin, /<a href="\/doc\/res\.partner">/)
  assert.doesNotMatch(clerk, /href="\/doc/)
})

test('overview: counting stops at its limit', async () => {
  await data.run((env) =>
    env.query(
      sql`INSERT INTO res_partner (name, complete_name, type, active, lang, autopost_bills, group_rfq, group_on) SELECT 'P' || n, 'P' || n, 'contact', true, 'en_US', 'ask', 'default', 'default' FROM generate_series(1, 10001) n`,
    ),
  )
  assert.equal(counts(await home('admin', 'admin')).get('Contacts'), 'over 10,000')
})

test('overview: shows at most five keys of the reader with their last call, and no keys of others', async () => {
  for (let n = 1; n <= 7; n++)
    await createKey(data.databases, 'test', 'clerk', { scope: 'rpc', name: `Key <${n}>`, days: 30 })
  const key = await createKey(data.databases, 'test', 'clerk', { scope: 'rpc', name: 'Used', days: 30 })
  await data.run((env) =>
    env.query(
      sql`UPDATE res_users_apikeys SET create_date = now() - interval '60 days', expiration_date = now() AT TIME ZONE 'UTC' + interval '36 hours' WHERE name LIKE 'Key %'`,
    ),
  )
  const answer = await server.app.inject({
    method: 'POST',
    url: '/json/2/res.users/context_get',
    headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  assert.equal(answer.statusCode, 200)
  const page = await home('clerk', 'a clerk of the shop')
  assert.match(
    page,
    /<li><b>Used<\/b>: <time datetime="[^"]+Z">[^<]+ UTC<\/time>, from 127\.0\.0\.1, once in all<\/li>/,
  )
  assert.equal(page.match(/The key <b>Key &#60;\d&#62;<\/b> expires/g)?.length, 5)
  assert.match(page, /And <a href="\/web\/account">2 more<\/a>/)
  assert.match(page, /curl &#39;http:\/\/shop\.test\/json\/2\/res\.partner\/search_read&#39;/)
  assert.doesNotMatch(await home('admin', 'admin'), /Used|Key &#60;/)
})

test('overview: facts of databases need the master password, and cover requested existing ones only', async () => {
  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    server.app.inject({
      method: 'POST',
      url: '/web/database/facts',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    })
  const facts = await ask({ master_pwd: MASTER, names: 'test,no_such' })
  assert.equal(facts.statusCode, 200, facts.body)
  assert.equal(facts.headers['cache-control'], 'no-store')
  const [only, ...others] = facts.json()
  assert.deepEqual([only.name, only.bytes > 1_000_000, only.backup, others], ['test', true, null, []])
  assert.deepEqual(
    (await ask({ master_pwd: MASTER, names: `${'x,'.repeat(50)}test` })).json(),
    [],
    'fifty at a time',
  )
  for (const fields of [
    { master_pwd: 'wrong', names: 'test' },
    { master_pwd: '', names: 'test' },
  ]) {
    const refused = await ask(fields as Record<string, string>)
    assert.equal(refused.statusCode, 403)
    assert.doesNotMatch(refused.body, /bytes/)
  }
  assert.equal((await ask({ names: 'test' })).statusCode, 400)
  assert.equal(
    (await ask({ master_pwd: MASTER, names: 'test' }, { origin: 'http://elsewhere.test', host: 'shop.test' }))
      .statusCode,
    403,
  )
  assert.equal((await server.app.inject({ method: 'GET', url: '/web/database/facts' })).statusCode, 405)
})
