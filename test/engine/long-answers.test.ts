// Streamed answers of 100,000 rows: complete, in order, in bounded memory; a client that disconnects in
// the middle leaves no transaction open.
// Begins first: it takes 12 s.
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'

const COUNT = 100_000
const MEGABYTE = 1024 ** 2

let db: TestDatabase
let server: Server
let key: string
let otherKey: string
const otherUser = () => ({ authorization: `bearer ${otherKey}` })
let ids: readonly number[]

before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  server = await createServer({ databases: db.databases })
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  await db.run(async (env) => {
    const partners = await env.model('res.partner').create([{ name: 'Other' }])
    await env.model('res.users').create([{ partner_id: partners.ensureOne(), login: 'other' }])
  })
  otherKey = await createKey(db.databases, 'test', 'other', { scope: 'rpc', name: 'test', days: 1 })
  ids = await db.run(async (env) => {
    const rows = await env.query(
      sql`INSERT INTO res_bank (name, street, active, country)
        SELECT 'é' || n, repeat('street ', 20), true, (SELECT min(id) FROM res_country) FROM generate_series(1, ${COUNT}::int) n RETURNING id`,
    )
    // Contacts have values that only code computes.
    await env.query(
      sql`INSERT INTO res_partner (name, complete_name, street, active) SELECT 'p' || n, 'p' || n, 'street', true FROM generate_series(1, 2500) n`,
    )
    return rows.map((row) => row[0] as number)
  })
})
after(async () => {
  await server?.close()
  await db?.close()
})

interface Row {
  readonly id: number
  readonly name: string
  readonly street: string
  readonly country: [number, string]
}

function post(
  method: string,
  body: object,
  headers: Record<string, string> = {},
  model = 'res.bank',
): Promise<http.IncomingMessage> {
  return new Promise((done, fail) => {
    const all = { authorization: `bearer ${key}`, 'content-type': 'application/json', ...headers }
    const request = http.request(
      `${server.url}/json/2/${model}/${method}`,
      { method: 'POST', headers: all },
      done,
    )
    request.on('error', fail)
    request.end(JSON.stringify(body))
  })
}

async function bytesOf(message: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const fields = ['name', 'street', 'country']
const domain = [['street', 'like', 'street']]

/** Waits until no connection of the database is in use; fails when that does not come about. */
async function quiet(): Promise<void> {
  for (let tries = 0; tries < 60_000 && !db.database.pool.quiet; tries++) await sleep(10)
  assert.ok(db.database.pool.quiet, 'a connection is still in use')
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that are held, without what only waits to be collected: of that there is more or less by chance. */
function held(): number {
  collect()
  return process.memoryUsage().heapUsed
}

test('search_read without limit: every row, in order, and no more memory than some pieces take', async () => {
  const answer = await post('search_read', { domain, fields, order: 'id' })
  let most = 0
  let length = 0
  const before = held()
  const chunks: Buffer[] = []
  for await (const chunk of answer) {
    // Outside of the heap that is measured.
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (chunks.length % 64 === 0) most = Math.max(most, held())
  }
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['transfer-encoding'], 'chunked')
  assert.ok(length > 20 * MEGABYTE, `${length} bytes`)
  assert.ok(most > 0)
  assert.ok(most - before < 15 * MEGABYTE, `${(most - before) / MEGABYTE} MB more`)
  const rows = JSON.parse(Buffer.concat(chunks).toString()) as Row[]
  assert.equal(rows.length, COUNT)
  assert.deepEqual(
    rows.map((row) => row.id),
    ids,
  )
  assert.equal(rows.at(-1)?.name, `é${COUNT}`)
  assert.equal(rows[0]?.country.length, 2)
  await quiet()
})

test('streamed answers: offset, limit, read by ids and computed fields return the same rows', async () => {
  const whole = async (method: string, body: object) =>
    JSON.parse((await bytesOf(await post(method, body))).toString()) as Row[]
  const page = await whole('search_read', { domain, fields: ['name'], order: 'id', offset: 10, limit: 5000 })
  assert.deepEqual(page, await whole('read', { ids: ids.slice(10, 5010), fields: ['name'] }))
  assert.deepEqual(page[0], { id: ids[10], name: 'é11' })
  assert.equal(page.length, 5000)
  const backwards = await whole('search_read', { domain, fields: ['name'], order: 'id desc', limit: 3000 })
  assert.deepEqual([backwards[0]?.name, backwards[2999]?.name], [`é${COUNT}`, `é${COUNT - 2999}`])
  const repeated = await whole('read', {
    ids: [...ids.slice(0, 2500), ids[0], 999_999_999],
    fields: ['name'],
  })
  assert.deepEqual([repeated.length, repeated.at(-1)?.name], [2501, 'é1'])
  const contacts = { domain: [['street', '=', 'street']], fields: ['name', 'contact_address'], order: 'id' }
  const computed = JSON.parse(
    (await bytesOf(await post('search_read', contacts, {}, 'res.partner'))).toString(),
  ) as Row[]
  assert.equal(computed.length, 2500)
  const record = { ids: [computed[2400]?.id], fields: contacts.fields }
  assert.deepEqual(JSON.parse((await bytesOf(await post('read', record, {}, 'res.partner'))).toString()), [
    computed[2400],
  ])
})

/** Whether an answer of so many rows is read piece by piece. */
async function inPieces(limit: number, options: object, model?: string): Promise<boolean> {
  const texts = await statementsOf(async () => {
    const answer = await post('search_read', { ...options, limit }, {}, model)
    assert.equal((JSON.parse((await bytesOf(answer)).toString()) as Row[]).length, limit)
  })
  return texts.some((text) => text.startsWith('DECLARE'))
}

test('streamed answers: 2,000 rows come whole, 2,001 as a stream', async () => {
  const options = { domain, fields: ['name'] }
  assert.deepEqual([await inPieces(2000, options), await inPieces(2001, options)], [false, true])
})

test('streamed answers: rows of many fields come whole up to 100,000 values', async () => {
  const both = async () => [await inPieces(500, {}, 'res.partner'), await inPieces(1900, {}, 'res.partner')]
  assert.deepEqual(await both(), [false, true])
  // Asked again the same way, the search is known, and as long.
  assert.deepEqual(await both(), [false, true])
})

test('streamed answers: a query that was too large is streamed at once, until it has fewer rows', async () => {
  const street = 'lately'
  const query = (text: string) => db.run((env) => env.query(raw(text)))
  await query(
    `INSERT INTO res_bank (name, street, active) SELECT 'L' || n, '${street}', true FROM generate_series(1, 2100) AS n`,
  )
  /** Number of rows, and whether the whole answer was built first. */
  const ask = async () => {
    let rows: Row[] = []
    const texts = await statementsOf(async () => {
      const options = { domain: [['street', '=', street]], fields: ['name'] }
      rows = JSON.parse((await bytesOf(await post('search_read', options))).toString()) as Row[]
    })
    return [rows.length, texts.some((text) => text.includes('json_agg'))]
  }
  assert.deepEqual(await ask(), [2100, true])
  for (let time = 0; time < 4; time++) assert.deepEqual(await ask(), [2100, false])
  await query(`DELETE FROM res_bank WHERE street = '${street}' AND name <> 'L7'`)
  let tries = 0
  for (let whole = false; !whole; tries++) {
    const [rows, isWhole] = await ask()
    assert.equal(rows, 1)
    whole = isWhole as boolean
  }
  assert.ok(tries > 1 && tries < 50, `${tries}`)
  assert.deepEqual(await ask(), [1, true])
  await query(`DELETE FROM res_bank WHERE street = '${street}'`)
})

test('streamed answers: are compressed', async () => {
  const answer = await post(
    'search_read',
    { domain, fields: ['name'], limit: 4000 },
    { 'accept-encoding': 'gzip' },
  )
  assert.equal(answer.headers['content-encoding'], 'gzip')
  assert.equal((JSON.parse(gunzipSync(await bytesOf(answer)).toString()) as Row[]).length, 4000)
})

test('streamed results: readers that leave or stop reading do not delay others', async () => {
  const readers = await Promise.all([1, 2].map(() => post('search_read', { domain, fields })))
  // As many long answers are open as one user may read, none of them read: short calls go on.
  const more = Array.from({ length: 6 }, () => post('search_read', { domain, fields: ['name'], limit: 2500 }))
  const short = await bytesOf(await post('search_count', { domain }))
  assert.equal(short.toString(), String(COUNT))
  const others = await Promise.all(
    [1, 2].map(() => post('search_read', { domain, fields: ['name'], limit: 2500 }, otherUser())),
  )
  for (const answer of others)
    assert.equal((JSON.parse((await bytesOf(answer)).toString()) as Row[]).length, 2500)
  let came = 0
  for (const answer of more) void answer.then(() => came++)
  assert.equal(came, 0)
  for (const reader of readers) reader.destroy()
  for (const answer of more)
    assert.equal((JSON.parse((await bytesOf(await answer)).toString()) as Row[]).length, 2500)
  await quiet()
})

test('streamed answers: a failure in the middle closes the connection', async () => {
  const answer = await post('search_read', { domain, fields })
  // The client does not read, so the server waits with its transaction open.
  let ended = 0
  for (let tries = 0; ended === 0 && tries < 60_000; tries++) {
    await sleep(10)
    const rows = await db.database.pool.use((connection) =>
      connection.query(
        "SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
      ),
    )
    ended = rows[0]?.[0] as number
  }
  assert.equal(ended, 1)
  await assert.rejects(bytesOf(answer), /aborted/)
  await quiet()
})

test('streamed answers: an error comes before the first byte', async () => {
  const answer = await post('search_read', { domain, fields: ['nothing_of_the_kind'] })
  assert.equal(answer.statusCode, 422)
  answer.resume()
})

test('streamed answers: JSON-RPC and XML-RPC stream the same rows', async () => {
  const uid = await db.run(
    async (env) => (await env.model('res.users').search([['login', '=', 'admin']])).ids[0] as number,
  )
  const named = { fields: ['name', 'country'], order: 'id', limit: 5000 }
  const expected = JSON.parse(
    (await bytesOf(await post('search_read', { domain, ...named }))).toString(),
  ) as Row[]
  const send = async (path: string, type: string, body: string) => {
    let text = ''
    const texts = await statementsOf(async () => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      assert.equal(response.status, 200)
      text = await response.text()
    })
    assert.ok(
      texts.some((text) => text.startsWith('DECLARE')),
      'no cursor',
    )
    return text
  }
  const args = ['test', uid, key, 'res.bank', 'search_read', [domain], named]
  const envelope = {
    jsonrpc: '2.0',
    id: 'x"7',
    method: 'call',
    params: { service: 'object', method: 'execute_kw', args },
  }
  const answer = JSON.parse(await send('/jsonrpc', 'application/json', JSON.stringify(envelope)))
  assert.deepEqual(answer, { jsonrpc: '2.0', id: 'x"7', result: expected })

  const text = (value: string) => `<value><string>${value}</string></value>`
  const list = (items: readonly string[]) => `<value><array><data>${items.join('')}</data></array></value>`
  const member = (name: string, value: string) => `<member><name>${name}</name>${value}</member>`
  const members = [
    member('fields', list(named.fields.map(text))),
    member('order', text('id')),
    member('limit', `<value><int>${named.limit}</int></value>`),
  ]
  const params = [
    text('test'),
    `<value><int>${uid}</int></value>`,
    text(key),
    text('res.bank'),
    text('search_read'),
    list([list(domain.map((condition) => list(condition.map(text))))]),
    `<value><struct>${members.join('')}</struct></value>`,
  ]
  const call = `<methodCall><methodName>execute_kw</methodName><params>${params.map((param) => `<param>${param}</param>`).join('')}</params></methodCall>`
  const xml = await send('/xmlrpc/2/object', 'text/xml', call)
  assert.match(
    xml,
    /^<\?xml version='1.0'\?>\n<methodResponse><params><param><value><array><data><value><struct>/,
  )
  assert.ok(xml.endsWith('</struct></value></data></array></value></param></params></methodResponse>'))
  const ids = [...xml.matchAll(/<name>id<\/name><value><int>(\d+)<\/int><\/value>/g)].map(([, id]) =>
    Number(id),
  )
  assert.deepEqual(
    ids,
    expected.map((row) => row.id),
  )
  await quiet()
})
