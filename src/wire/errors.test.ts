// What clients see of failures: refusals as they are, a database that is away as unavailable, faults of ours
// without their cause.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { errorObject, InternalError, NotFound, ServiceUnavailable } from '../errors.ts'
import { visible } from './errors.ts'

const told = (code: string) =>
  Object.assign(new pg.DatabaseError('words of the server', 0, 'error'), { code })

test('a refusal keeps its name, status and message on the wire', () => {
  const refusal = new NotFound('There is none')
  assert.equal(visible(refusal), refusal)
})

test('wherever a call meets a database server that is away or full, the client may come back', () => {
  const refusedConnection = Object.assign(new Error('connect ECONNREFUSED'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  })
  for (const error of [
    refusedConnection,
    new Error('Connection terminated unexpectedly'),
    told('57P01'),
    told('53300'),
    // Too slow while the server asked something for itself.
    told('57014'),
  ]) {
    const failure = visible(error)
    assert.ok(failure instanceof ServiceUnavailable)
    assert.equal(failure.cause, error)
    assert.doesNotMatch(JSON.stringify(errorObject(failure)), /ECONNREFUSED|terminated|words of the server/)
  }
})

test('any other failure is a fault of ours, and tells nothing', () => {
  for (const error of [new TypeError('secret'), told('42703'), told('23505'), 'secret', null]) {
    const failure = visible(error)
    assert.ok(failure instanceof InternalError)
    assert.equal(failure.cause, error)
    assert.doesNotMatch(JSON.stringify(errorObject(failure)), /secret|words of the server/)
  }
})
