// Failures as clients see them: refusals unchanged, a database that is away as unavailable, internal faults
// without their cause.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { errorObject, InternalError, NotFound, ServiceUnavailable } from '../errors.ts'
import { translate } from '../postgres/index.ts'
import { errorHeaders, visible } from './errors.ts'

const databaseError = (code: string) =>
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
    databaseError('57P01'),
    databaseError('53300'),
    // Too slow while the server asked something for itself.
    databaseError('57014'),
  ]) {
    const failure = visible(error)
    assert.ok(failure instanceof ServiceUnavailable)
    assert.equal(failure.cause, error)
    assert.doesNotMatch(JSON.stringify(errorObject(failure)), /ECONNREFUSED|terminated|words of the server/)
  }
})

test('errors: any other failure is an internal error that reveals nothing', () => {
  for (const error of [
    new TypeError('secret'),
    databaseError('42703'),
    databaseError('23505'),
    'secret',
    null,
  ]) {
    const failure = visible(error)
    assert.ok(failure instanceof InternalError)
    assert.equal(failure.cause, error)
    assert.doesNotMatch(JSON.stringify(errorObject(failure)), /secret|words of the server/)
  }
})

test('503: every place says whether the work was done', () => {
  const outcomeOf = (failure: unknown) =>
    failure instanceof ServiceUnavailable ? errorHeaders(failure)['x-comptoir-outcome'] : failure
  for (const code of ['25006', '53100', '53300', '58030'])
    assert.equal(outcomeOf(translate(databaseError(code))), 'undone', code)
  const frozen = Object.assign(databaseError('42501'), { file: 'md.c' })
  assert.equal(outcomeOf(translate(frozen)), 'undone', 'a file system that is read-only')
  const stopped = Object.assign(databaseError('57014'), {
    message: 'canceling statement due to user request',
  })
  assert.equal(outcomeOf(translate(stopped)), 'undone')
  for (const code of ['57P01', '08006'])
    assert.equal(outcomeOf(translate(databaseError(code))), 'unknown', code)
  const panic = Object.assign(databaseError('53100'), { severity: 'PANIC' })
  assert.equal(outcomeOf(translate(panic)), 'unknown', 'a server that could not write its log')
  // Answers written by hand; all others pass `errorHeaders`. That a server is not ready is no refusal.
  const byHand = /\b503\b(?! Service)|HTTP\/1\.1 503/
  const folder = join(import.meta.dirname, '../http')
  const silent = globSync('**/*.ts', { cwd: folder })
    .filter((file) => !file.endsWith('.test.ts') && file !== 'status.ts')
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => byHand.test(line) && !/^\s*(?:\*|\/\/|\/\*\*)/.test(line))
    .filter((line) => !/x-comptoir-outcome|\.\.\.headers|503OnClosing|failure\.status [!=]== 503/.test(line))
  assert.deepEqual(silent, [])
})
