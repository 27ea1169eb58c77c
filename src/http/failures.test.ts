// Failures in the log: refusals for the moment are a line per second and kind, and others are whole.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { InternalError, ServiceUnavailable } from '../errors.ts'
import { logFailure } from './failures.ts'
import { createLog } from './log.ts'

const request = { id: 'r1', method: 'POST', url: '/json/2/res.partner/create?x=1' } as FastifyRequest

/** A log with a clock of its own. */
function logged(t: TestContext) {
  const lines: Record<string, unknown>[] = []
  const log = createLog('json', (line) => lines.push(JSON.parse(line)))
  let now = 5000
  t.mock.method(performance, 'now', () => now)
  return {
    lines,
    fail: (failure: ServiceUnavailable | InternalError) => logFailure(log, request, failure),
    passed: (ms: number) => {
      now += ms
    },
  }
}

test('log of a full disk: one line per second and kind, without a stack, that counts those left out', (t) => {
  const { lines, fail, passed } = logged(t)
  const full = () =>
    new ServiceUnavailable('The disk of the server is full.', { cause: new Error('ENOSPC: no space left') })
  for (let n = 0; n < 100; n++) fail(full())
  fail(new ServiceUnavailable('The server is busy: 7 wait.'))
  fail(new ServiceUnavailable('The server is busy: 8 wait.'))
  passed(1000)
  fail(full())
  assert.deepEqual(
    lines.map(({ level, message, reason, skipped, error }) => [level, message, reason, skipped, error]),
    [
      ['error', 'The disk of the server is full.', 'ENOSPC: no space left', undefined, undefined],
      ['warn', 'The server is busy: 7 wait.', undefined, undefined, undefined],
      ['error', 'The disk of the server is full.', 'ENOSPC: no space left', 99, undefined],
    ],
  )
})

test('log of other failures: every one, with its stack', (t) => {
  const { lines, fail } = logged(t)
  for (let n = 0; n < 2; n++) fail(new InternalError('Broken'))
  assert.equal(lines.length, 2)
  assert.match(String(lines[0]?.error), /\n +at /)
})
