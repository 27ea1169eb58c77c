// Callers of deprecated paths: counted by user or key, client and method, listed for administrators,
// and read-only for all other users.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { DeprecatedCalls } from '../../src/services/deprecated-calls.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let fixture: TestDatabase
let server: Server
let key: string
before(async () => {
  fixture = await openTestDatabase(modules)
  key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'old script', days: 1 })
  server = await createServer({ databases: fixture.databases })
})
after(async () => {
  await server?.close()
  await fixture?.close()
})

async function rpc(agent: string, service: string, method: string, args: unknown[]) {
  const headers = { 'content-type': 'application/json', 'user-agent': agent }
  const response = await fetch(`${server.url}/jsonrpc`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ params: { service, method, args } }),
  })
  return (await response.json()) as { result?: unknown; error?: unknown }
}
const execute = (agent: string, password: string, model: string, method: string, ...args: unknown[]) =>
  rpc(agent, 'object', 'execute_kw', ['test', 2, password, model, method, args])

async function json2(model: string, method: string, body: object) {
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/json/2/${model}/${method}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
type Row = Record<'login' | 'apikey_name' | 'user_agent' | 'method', string | false> & {
  calls: number
  last_call: string
}
const listed = async () =>
  (
    await json2('rpc.deprecated.call', 'search_read', {
      fields: ['login', 'apikey_name', 'user_agent', 'method', 'calls', 'last_call'],
      order: 'id',
    })
  ).body as Row[]
const brief = (rows: Row[]) =>
  rows.map((row) => [row.login, row.apikey_name, row.user_agent, row.method, row.calls].join(' ')).sort()

test('deprecated calls: are counted after their server has written; wrong credentials and JSON-2 are not', async () => {
  await execute('one/1', key, 'res.partner', 'search_count', [])
  await execute('one/1', key, 'res.partner', 'search_count', [])
  await execute('one/1', 'admin', 'res.partner', 'search_count', [])
  assert.ok((await execute('two/2', 'admin', 'res.partner', 'unlink', [1])).error)
  assert.ok((await execute('two/2', 'wrong', 'res.partner', 'search_count', [])).error)
  assert.equal((await rpc('two/2', 'common', 'login', ['test', 'admin', 'admin'])).result, 2)
  assert.equal((await rpc('two/2', 'common', 'login', ['test', 'admin', 'wrong'])).result, false)
  assert.deepEqual(await listed(), [])
  await server.close()
  server = await createServer({ databases: fixture.databases })
  const rows = await listed()
  assert.deepEqual(brief(rows), [
    'admin false one/1 res.partner.search_count 1',
    'admin false two/2 common.login 1',
    'admin false two/2 res.partner.unlink 1',
    'admin old script one/1 res.partner.search_count 2',
  ])
  for (const { last_call } of rows) assert.match(last_call, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})

test('deprecated calls: later counts add up, also of two servers', async () => {
  const use = { uid: 2, password: key, userAgent: 'three/3', method: 'res.partner.read' }
  const servers = [new DeprecatedCalls(fixture.databases), new DeprecatedCalls(fixture.databases)]
  for (const each of servers) for (let n = 0; n < 5; n++) each.note('test', use)
  await Promise.all(servers.map((each) => each.close()))
  assert.equal((await listed()).find((row) => row.user_agent === 'three/3')?.calls, 10)
})

test('deprecated calls: many client names and dropped databases do not fill the table', async () => {
  const said: string[] = []
  const counter = new DeprecatedCalls(fixture.databases, (message) => said.push(message))
  for (let n = 0; n < 1500; n++)
    counter.note('test', { uid: 2, password: 'admin', userAgent: `flood/${n}\0`, method: 'res.partner.read' })
  counter.note('nowhere', { uid: 2, password: 'admin', userAgent: 'x', method: 'res.partner.read' })
  await counter.close()
  const rows = await listed()
  assert.equal(rows.filter((row) => String(row.user_agent).startsWith('flood/')).length, 1000)
  assert.equal(rows.find((row) => row.user_agent === '(other)')?.calls, 500)
  assert.deepEqual(said, [])
})

test('deprecated calls: no user changes the list, and only administrators read it', async () => {
  assert.equal((await json2('rpc.deprecated.call', 'create', { vals_list: [{ method: 'x' }] })).status, 403)
  const [row] = (await json2('rpc.deprecated.call', 'search', { domain: [], limit: 1 })).body as number[]
  assert.equal((await json2('rpc.deprecated.call', 'unlink', { ids: [row] })).status, 403)
  await fixture.run(async (env) => {
    await env
      .model('res.users')
      .create([{ name: 'Plain', login: 'plain', password: 'plain password' }] as never)
  })
  const uid = (await rpc('four/4', 'common', 'login', ['test', 'plain', 'plain password'])).result
  const answer = await rpc('four/4', 'object', 'execute_kw', [
    'test',
    uid,
    'plain password',
    'rpc.deprecated.call',
    'search',
    [[]],
  ])
  assert.match(JSON.stringify(answer.error), /AccessError/)
})
