// Letters of the specification (spec/external-api.md), as docs/guides/compatibility.md lists it:
// contexts of error objects, revoked keys, demonstration data, fields of forms, moments of keys, Host
// headers.
// Begins first: it takes 7 s.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { MASTER, openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires(undefined, ['base'])
})
after(() => wires?.close())

async function ask(path: string, body: unknown, key = wires.key) {
  const response = await fetch(`${wires.server.url}/json/2/${path}`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${key}`,
      'content-type': 'application/json',
      'x-service-database': 'test',
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const submit = (path: string, fields: Record<string, string>) =>
  fetch(`${wires.server.url}/web/database/${path}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ master_pwd: MASTER, ...fields }),
  })

test('error object: the context of the request, and {} for 401', async () => {
  const context = { lang: 'en_US', anything: [1, { deep: null }] }
  for (const [path, body] of Object.entries({
    'res.partner/no_such_method': {},
    'no.such.model/read': {},
    'res.partner/_private': {},
    'res.partner/search': { domain: [['no_such_field', '=', 1]] },
    'res.partner/create': { vals_list: [{ name: 'x', type: 'no such type' }] },
    'res.partner/search_read': { surplus: 1 },
  })) {
    const refused = await ask(path, { ...body, context })
    assert.ok(refused.status >= 400 && refused.status < 500, path)
    assert.deepEqual(refused.body.context, context, path)
    assert.deepEqual((await ask(path, body)).body.context, {}, path)
  }
  const long = { ...context, lang: 'l'.repeat(1_100_000) }
  const refused = await ask('res.partner/search', { domain: [], context: long })
  assert.deepEqual([refused.status, refused.body.context], [413, {}], 'a context that is refused')
  const denied = await ask('res.partner/search', { domain: [], context }, 'f'.repeat(40))
  assert.deepEqual([denied.status, denied.body.context], [401, {}])
})

test('revoke: 403 for anything that is no valid key', async () => {
  for (const key of [null, '', 1, true, false, [], {}, 'f'.repeat(40), [wires.key]]) {
    const { status } = await ask('res.users.apikeys/revoke', { key })
    assert.equal(status, 403, JSON.stringify(key))
  }
  assert.equal((await ask('res.users.apikeys/revoke', {})).status, 422)
})

test('generate: takes an expiration date as any moment of ISO 8601', async () => {
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  for (const [input, stored] of Object.entries({
    [day]: `${day} 00:00:00`,
    [`${day}T10:00:00`]: `${day} 10:00:00`,
    [`${day}T10:00:00Z`]: `${day} 10:00:00`,
    [`${day}T10:00+02:00`]: `${day} 08:00:00`,
    [`${day} 10:00:00.123-0130`]: `${day} 11:30:00`,
  })) {
    const generated = await ask('res.users.apikeys/generate', {
      key: wires.key,
      scope: null,
      name: input,
      expiration_date: input,
    })
    assert.equal(generated.status, 200, `${input}: ${JSON.stringify(generated.body)}`)
    const [apiKey] = (await wires
      .json2('res.users.apikeys/search_read', {
        domain: [['name', '=', input]],
        fields: ['expiration_date'],
      })
      .then(({ result }) => result)) as { expiration_date: string }[]
    assert.equal(apiKey?.expiration_date, stored)
  }
})

const contactsIn = async (name: string) =>
  (await wires.databases.database(name)).system((env) => env.model('res.partner').searchCount([]))
const shelvesIn = async (name: string) =>
  (await wires.databases.database(name)).system((env) =>
    env.model('stock.location').searchCount([['name', 'like', 'Shelf ']]),
  )

test('demo: by form and RPC, and for modules that are installed later', async () => {
  const fields = { login: 'admin', password: 'admin', lang: 'en_US', phone: '' }
  assert.equal((await submit('create', { name: 'withdemo', demo: 'true', ...fields })).status, 303)
  assert.equal((await submit('create', { name: 'nodemo', demo: 'false', ...fields })).status, 303)
  const creation = await wires.rpc('db', 'create_database', [MASTER, 'rpcdemo', true, 'en_US', 'admin'])
  assert.equal(creation.result, true)
  const [some, none] = [await contactsIn('withdemo'), await contactsIn('nodemo')]
  assert.ok(some > none, `${some} contacts with, ${none} without`)
  assert.equal(await contactsIn('rpcdemo'), some)
  for (const name of ['withdemo', 'nodemo']) {
    const login = await wires.rpc('common', 'login', [name, 'admin', 'admin'])
    const kw = (model: string, method: string, args: unknown[]) =>
      wires.rpc('object', 'execute_kw', [name, login.result, 'admin', model, method, args])
    const { result } = await kw('ir.module.module', 'search', [[['name', '=', 'stock']]])
    const done = await kw('ir.module.module', 'button_immediate_install', [result])
    assert.equal(done.error, undefined)
    assert.equal(await shelvesIn(name), name === 'withdemo' ? 2 : 0, name)
  }
})

test('fields of forms: false, 0, off and nothing mean no', async () => {
  for (const [n, [flag, expected]] of [
    ['false', false],
    ['0', false],
    ['off', false],
    ['', false],
    ['true', true],
    ['1', true],
    ['on', true],
  ].entries() as Iterable<[number, [string, boolean]]>) {
    const new_name = `copy${n}`
    const sent = await submit('duplicate', { name: 'test', new_name, neutralize_database: flag })
    assert.equal(sent.status, 303)
    const database = await wires.databases.database(new_name)
    const count = await database.system((env) =>
      env.model('ir.config_parameter').searchCount([
        ['key', '=', 'database.is_neutralized'],
        ['value', '=', 'true'],
      ]),
    )
    assert.equal(count === 1, expected, flag)
    await wires.databases.drop(new_name)
  }
})

test('Host: none or two are refused with 400 and an error object', async () => {
  const { port } = new URL(wires.server.url)
  const answer = (lines: readonly string[]) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${['GET /web/version HTTP/1.1', ...lines, 'connection: close'].join('\r\n')}\r\n\r\n`)
    return text(socket)
  }
  for (const lines of [[], ['Host: a', 'host: b'], ['Host: a', 'Host: a']])
    assert.match(await answer(lines), /^HTTP\/1\.1 400 .*"name":"werkzeug\.exceptions\.BadRequest"/s)
  assert.match(await answer(['Host: a']), /^HTTP\/1\.1 200 /)
})
