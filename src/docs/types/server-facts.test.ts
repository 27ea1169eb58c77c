// Facts from a server: what it has is used, missing parts are unknown, and failures to read it are reported.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { StartupError } from '../../errors.ts'
import { liveModels } from './server-facts.ts'

const documents: Record<string, unknown> = {
  '/base/doc-bearer/index.json': { modules: ['base'], models: [{ model: 'a.b' }, { model: 'plain' }] },
  '/base/doc-bearer/a.b.json': {
    name: 'A &amp; B',
    fields: {
      kind: {
        type: 'selection',
        string: 'Kind',
        required: true,
        selection: [
          ['x', 'X'],
          ['y', 'Y'],
        ],
      },
      to_id: { type: 'many2one', string: 'To', relation: 'plain' },
    },
    methods: {
      go: {
        doc: '<p>Goes &lt;there&gt; &#38; <b>back</b>.</p><p>More.</p>',
        parameters: {
          far: { annotation: 'int' },
          fast: { annotation: 'bool', default: false },
          kwargs: { kind: 'VAR_KEYWORD' },
        },
        return: { annotation: 'str' },
        module: 'core',
      },
    },
  },
  '/base/doc-bearer/plain.json': {},
  '/base/x/1/openapi.json': { components: { schemas: { 'a.b.create': { required: ['kind'] } } } },
}
let server: Server
let url: string
const seen: (string | undefined)[] = []

before(async () => {
  server = createServer((request, response) => {
    seen.push(request.headers['x-service-database'] as string | undefined)
    const answer = documents[request.url ?? '']
    const refused = request.headers.authorization !== 'bearer good'
    const status = typeof answer === 'number' ? answer : answer ? 200 : 404
    response.writeHead(refused ? 403 : status, { 'content-type': 'application/json' })
    response.end(
      refused
        ? JSON.stringify({ name: 'x', message: 'Not for you.' })
        : answer
          ? JSON.stringify(answer)
          : '<html>',
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const read = (more: object = {}) => liveModels({ url, database: 'shop', key: 'good', models: [], ...more })

test('fields, parameters and texts are taken over', async () => {
  const models = await read()
  assert.deepEqual(models.map(({ name }) => name).sort(), ['a.b', 'plain'])
  assert.deepEqual(new Set(seen), new Set(['shop']))
  const model = models.find(({ name }) => name === 'a.b')
  assert.deepEqual(model?.fields, {
    kind: {
      type: 'selection',
      label: 'Kind',
      required: true,
      needed: true,
      relation: null,
      keys: ['x', 'y'],
    },
    to_id: { type: 'many2one', label: 'To', required: false, needed: false, relation: 'plain', keys: [] },
  })
  assert.deepEqual(model?.methods.go, {
    doc: 'Goes <there> & back.',
    parameters: {
      far: { annotation: 'int', optional: false, gathers: false },
      fast: { annotation: 'bool', optional: true, gathers: false },
      kwargs: { annotation: undefined, optional: false, gathers: true },
    },
    returns: 'str',
    core: true,
  })
})

test('without an OpenAPI document no field is needed', async () => {
  const { '/base/x/1/openapi.json': document } = documents
  delete documents['/base/x/1/openapi.json']
  const model = (await read()).find(({ name }) => name === 'a.b')
  // A server that is away may have one.
  documents['/base/x/1/openapi.json'] = 503
  await assert.rejects(read(), /openapi\.json answers with status 503/)
  documents['/base/x/1/openapi.json'] = document
  assert.equal(model?.fields.kind?.needed, false)
})

test('types of a server: refusals, other servers and silence are reported with the address', async () => {
  const says = (words: RegExp) => (error: unknown) =>
    error instanceof StartupError && words.test(error.message)
  await assert.rejects(read({ key: 'bad' }), says(/index\.json answers with status 403: Not for you\./))
  await assert.rejects(read({ models: ['no.such'] }), says(/no\.such\.json answers with status 404$/))
  await assert.rejects(read({ url: 'http://127.0.0.1:9' }), says(/cannot be reached/))
})
