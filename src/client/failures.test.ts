// Error objects become the classes they were made from, whatever server they come from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  errorClasses,
  errorObject,
  InvalidApiKey,
  NotFound,
  RedirectWarning,
  ServiceError,
  ServiceUnavailable,
  Unauthorized,
} from '../errors.ts'
import { failureOf } from './failures.ts'

test('every class of the table survives the wire', () => {
  for (const Class of errorClasses) {
    const sent: ServiceError = new (Class as new (message: string) => ServiceError)('Because.')
    const received = failureOf(sent.status, JSON.stringify(errorObject(sent)))
    // Classes that share a name are told apart by an invalid key's message alone; the others come as the
    // general one.
    const general = errorClasses.find((c) => c.wireName === Class.wireName)
    assert.equal(received.constructor, Class === InvalidApiKey ? InvalidApiKey : general)
    assert.ok(sent instanceof received.constructor)
    const facts = (e: ServiceError) => [e.status, e.wireName, e.message, e.arguments, e.context]
    assert.deepEqual(facts(received), facts(sent))
  }
})

test('what the answer says goes before what the table says', () => {
  const answered = {
    name: RedirectWarning.wireName,
    message: 'Go there',
    arguments: ['Go there', 7, 'Open'],
    context: { a: 1 },
    debug: 'trace',
  }
  const error = failureOf(500, JSON.stringify(answered))
  assert.ok(error instanceof RedirectWarning)
  assert.deepEqual([error.status, error.arguments, error.context], [500, ['Go there', 7, 'Open'], { a: 1 }])
  assert.equal((error as { debug?: unknown }).debug, 'trace')
})

test('only the one message means an invalid key', () => {
  const of = (message: string) =>
    failureOf(401, JSON.stringify({ name: 'werkzeug.exceptions.Unauthorized', message }))
  assert.ok(of('Invalid apikey') instanceof InvalidApiKey)
  const other = of('Please log in')
  assert.ok(other instanceof Unauthorized && !(other instanceof InvalidApiKey))
  assert.deepEqual(other.arguments, ['Please log in'])
})

test('errors: an unknown name becomes a ServiceError that has the name', () => {
  const error = failureOf(
    500,
    JSON.stringify({
      name: 'builtins.ZeroDivisionError',
      message: 'division by zero',
      arguments: [],
      context: {},
      debug: '',
    }),
  )
  assert.equal(error.constructor, ServiceError)
  assert.deepEqual(
    [error.wireName, error.status, error.message],
    ['builtins.ZeroDivisionError', 500, 'division by zero'],
  )
})

test('answers without an error object get their class by status', () => {
  for (const text of [
    '<html>Not Found</html>',
    '',
    'null',
    '[]',
    '{"error": "no"}',
    '{"name": 1, "message": "x"}',
  ]) {
    const error = failureOf(404, text)
    assert.ok(error instanceof NotFound)
    assert.deepEqual([error.status, error.wireName], [404, 'HTTP 404'])
  }
  const busy = failureOf(503, 'busy', { retryAfter: 7 })
  assert.ok(busy instanceof ServiceUnavailable && busy.retryAfter === 7)
  assert.equal(failureOf(418, 'teapot').constructor, ServiceError)
})
