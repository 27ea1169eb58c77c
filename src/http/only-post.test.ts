// Methods: a path that refuses one method with 405 refuses all others that it does not allow, and names those
// it allows; unknown paths, and those of calls, give 404 for every method.
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, METHODS, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fakeBackend } from '../wire/fake-backend.ts'
import { buildServer } from './server.ts'

let app: Awaited<ReturnType<typeof buildServer>>
before(async () => {
  app = await buildServer({
    backend: fakeBackend(),
    mcp: { origins: [], authorizationServer: 'https://login.example' },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => app.close())

/** Sends any method: fetch knows only few. */
function ask(method: string, path: string, body?: string) {
  const { port } = app.server.address() as AddressInfo
  return new Promise<Heard>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-length': body.length }
    const outgoing = request({ port, method, path, headers, agent: false }, (answer) => {
      let text = ''
      answer.on('data', (piece: Buffer) => {
        text += piece.toString()
      })
      const { statusCode: status, headers: answerHeaders } = answer
      answer.on('end', () => resolve({ status, answerHeaders, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

interface Heard {
  readonly status: number | undefined
  readonly answerHeaders: IncomingHttpHeaders
  readonly text: string
}

/** The name of the error in an answer; undefined if the answer is not JSON. */
const nameOf = ({ answerHeaders, text }: Heard) =>
  answerHeaders['content-type']?.startsWith('application/json') && text ? JSON.parse(text).name : undefined

const verbs = METHODS.filter((verb) => verb !== 'CONNECT')

const paths = {
  '/x/1': 'GET, HEAD',
  '/x/1/batch': 'POST',
  '/x/1/changes': 'POST, GET, HEAD',
  '/x/1/export': 'GET, HEAD',
  '/x/1/jobs/1': 'GET, HEAD, DELETE',
  '/x/1/jobs/1/result': 'GET, HEAD',
  '/x/1/bulk/res.partner': 'POST',
  '/x/1/webhooks': 'GET, HEAD, POST',
  '/x/1/webhooks/1': 'GET, HEAD, PATCH, DELETE',
  '/x/1/webhooks/1/ping': 'POST',
  '/x/1/problems': 'GET, HEAD',
  '/x/1/problems/not-found': 'GET, HEAD',
  '/x/1/mcp': 'POST',
  '/x/1/mcp/': 'POST',
  '/x/1/openapi.json': 'GET, HEAD',
  '/.well-known/oauth-protected-resource/x/1/mcp': 'GET, HEAD',
  '/xmlrpc/2/common': 'POST',
  '/xmlrpc/object': 'POST',
  '/web/session/authenticate': 'POST',
  '/web/session/destroy': 'POST',
  '/web/dataset/call_kw': 'POST',
  '/web/webclient/version_info': 'POST',
  '/web/database/create': 'POST',
  '/web/database/backup': 'POST',
  '/web/database/restore': 'POST',
  '/web/database/list': 'POST',
  '/web/database/facts': 'POST',
}

test('a method that a path does not allow is refused with the allowed ones, whichever it is', async () => {
  let refused = 0
  for (const [path, allowed] of Object.entries(paths))
    for (const verb of verbs) {
      if (allowed.split(', ').includes(verb)) continue
      const response = await ask(verb, path)
      const { status, answerHeaders, text } = response
      const refusal = [405, allowed, 'method_not_allowed']
      assert.deepEqual([status, answerHeaders.allow, answerHeaders['error-code']], refusal, `${verb} ${path}`)
      if (verb === 'HEAD') assert.equal(text, '')
      else {
        assert.equal(nameOf(response), 'werkzeug.exceptions.MethodNotAllowed')
        assert.match(text, /This path supports/)
      }
      refused++
    }
  assert.ok(refused > 25 * 25)
  // A body changes nothing.
  for (const verb of ['PROPFIND', 'QUERY', 'MKCOL', 'PUT'])
    assert.equal((await ask(verb, '/x/1/batch', '{"calls":[]}')).status, 405)
})

test('paths that are none, and calls by JSON-2, find nothing whatever the verb', async () => {
  for (const path of [
    '/x/1/nothing',
    '/x/1/batch/more',
    '/nothing',
    '/xmlrpc',
    '/json/2',
    '/json/2/res.partner',
  ])
    for (const verb of verbs) {
      const response = await ask(verb, path)
      const { status, answerHeaders } = response
      assert.deepEqual([status, answerHeaders.allow], [404, undefined], `${verb} ${path}`)
      if (verb !== 'POST' || !path.startsWith('/x/1')) continue
      assert.deepEqual(
        [answerHeaders['error-code'], nameOf(response)],
        ['not_found', 'werkzeug.exceptions.NotFound'],
      )
    }
  for (const verb of verbs) {
    if (verb === 'POST' || verb === 'OPTIONS') continue
    const { status, answerHeaders } = await ask(verb, '/json/2/res.partner/search', '{"domain":[]}')
    assert.deepEqual([status, answerHeaders.allow], [404, undefined], verb)
  }
  const page = await ask('GET', '/nothing')
  assert.equal(page.answerHeaders['error-code'], 'not_found')
  assert.match(page.answerHeaders['content-type'] ?? '', /^text\/html/)
})
