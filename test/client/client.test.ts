// The typed client against a real server: reads, writes, pages and errors over loopback.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  AccessError,
  type Client,
  createClient,
  InvalidApiKey,
  MissingError,
  NotFound,
  UnprocessableEntity,
  ValidationError,
} from '../../src/client/index.ts'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import type { Models } from '../../src/models/contract/names.ts'
import { createKey } from '../../src/services/admin.ts'
import '../support/patience.ts'
import { type TakenDataDir, takeDataDir } from '../support/shared-server.ts'

let temp: TakenDataDir
let databases: Databases
let server: Server
let client: Client<Models>

before(async () => {
  temp = await takeDataDir('client')
  databases = await Databases.open({ dataDir: temp.path, modules, masterPassword: 'master', durable: false })
  await databases.create('shop', { login: 'admin', password: 'admin' })
  server = await createServer({ databases, dataDir: temp.path })
  const key = await createKey(databases, 'shop', 'admin', { scope: 'rpc', name: 'client', days: 1 })
  client = createClient<Models>({ url: server.url, database: 'shop', key })
})

after(async () => {
  await server?.close()
  if (databases) await temp.release(databases)
  await databases?.close()
  temp?.remove()
})

test('records are made, read, written, copied and removed', async () => {
  const partners = client.model('res.partner')
  const [country] = await client
    .model('res.country')
    .searchRead({ domain: [['code', '=', 'BE']], fields: ['name'] })
  assert.ok(country)
  const id = await partners.create({ name: 'Ann', country_id: country.id })
  const [row] = await partners.searchRead({
    domain: [['id', '=', id]],
    fields: ['name', 'country_id', 'email', 'child_ids'],
  })
  assert.deepEqual(row, {
    id,
    name: 'Ann',
    country_id: [country.id, country.name],
    email: false,
    child_ids: [],
  })
  assert.deepEqual(await partners.read(id, { fields: ['country_id'], load: null }), [
    { id, country_id: country.id },
  ])
  assert.equal(await partners.write(id, { email: 'ann@example.com' }), true)
  const copy = await partners.copy(id, { name: 'Ben' })
  assert.deepEqual(await partners.nameSearch('Be', { domain: [['id', 'in', [id, copy]]] }), [[copy, 'Ben']])
  assert.equal(await partners.searchCount({ domain: [['id', 'in', [id, copy]]] }), 2)
  assert.equal(await partners.unlink([id, copy]), true)
  assert.deepEqual(await partners.search({ domain: [['id', 'in', [id, copy]]] }), [])
})

test('declared methods, fields and the user', async () => {
  const partners = client.model('res.partner')
  const id = await partners.create({ name: 'Firm', is_company: true })
  const addresses = await partners.call('address_get', { adr_pref: ['invoice'] }, { ids: id })
  assert.equal(addresses.invoice, id)
  const fields = await partners.fieldsGet({ fields: ['country_id'], attributes: ['type', 'relation'] })
  assert.deepEqual(fields, { country_id: { type: 'many2one', relation: 'res.country' } })
  const { uid } = await client.userContext()
  assert.equal((await client.model('res.users').read(uid, { fields: ['login'] }))[0]?.login, 'admin')
  assert.match((await client.version()).version, /^\d+\.\d+$/)
})

test('pages give every record once, by id and by offset', async () => {
  const tags = client.model('res.partner.category')
  const tagRecords = await tags.create(Array.from({ length: 7 }, (_, i) => ({ name: `Tag ${7 - i}` })))
  const domain: [['id', 'in', number[]]] = [['id', 'in', tagRecords]]
  for (const [order, expected] of [
    [null, tagRecords],
    ['name', tagRecords.toReversed()],
  ] as const) {
    const seen: number[] = []
    for await (const page of tags.pages({ domain, fields: ['name'], size: 3, order })) {
      assert.ok(page.length <= 3)
      seen.push(...page.map((tag) => tag.id))
    }
    assert.deepEqual(seen, expected)
  }
})

test('refusals come as the classes of the table', async () => {
  const partners = client.model('res.partner')
  await assert.rejects(partners.create({ name: false, type: 'contact' }), ValidationError)
  await assert.rejects(partners.write(999_999_999, { name: 'Nobody' }), MissingError)
  await assert.rejects(client.untyped('no.such.model').search(), NotFound)
  await assert.rejects(partners.call('_private'), AccessError)
  await assert.rejects(partners.call('search', { domain: [], nonsense: 1 }), UnprocessableEntity)
  await assert.rejects(
    createClient<Models>({ url: server.url, database: 'shop', key: 'wrong' }).model('res.partner').search(),
    InvalidApiKey,
  )
  await assert.rejects(
    createClient<Models>({ url: server.url, database: 'nowhere', key: 'wrong' })
      .model('res.partner')
      .search(),
    (error) => error instanceof NotFound && error.status === 404,
  )
})
