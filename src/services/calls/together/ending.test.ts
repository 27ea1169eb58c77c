// Whether calls that were made as one are done again after a failure: never where their work may stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable, ValidationError } from '../../../errors.ts'
import { Ending } from './ending.ts'

const refusal = new ValidationError('no')
const unknown = new ServiceUnavailable('lost', { unknown: true })
const undone = new ServiceUnavailable('gone', { undone: true })
const fault = new TypeError('a fault')

/** An ending whose work is done, in a transaction that came so far. */
async function ended(unit: { stays: boolean; committing: boolean }): Promise<Ending> {
  const ending = new Ending(2)
  await ending.heard(unit, Promise.resolve({ json: '[1,2]' }))
  return ending
}

const verdicts = (ending: Ending) => [refusal, undone, fault, unknown].map((error) => ending.isUndone(error))

test('what fails before the end of the work is undone', async () => {
  const ending = new Ending(2)
  await assert.rejects(ending.heard({ stays: false, committing: false }, Promise.reject(refusal)), refusal)
  assert.deepEqual(verdicts(ending), [true, true, true, true])
})

test('behind that, what was refused is undone, and what is not known is left', async () => {
  assert.deepEqual(verdicts(await ended({ stays: false, committing: false })), [true, true, true, false])
  assert.deepEqual(verdicts(await ended({ stays: false, committing: true })), [true, true, false, false])
})

test('what was committed is never done again, whatever failed behind it', async () => {
  assert.deepEqual(verdicts(await ended({ stays: true, committing: true })), [false, false, false, false])
})

test('an answer that is not one for each is none', async () => {
  for (const json of ['[1]', '[1,2,3]', '7', 'null', '{}']) {
    const ending = new Ending(2)
    await assert.rejects(
      ending.heard({ stays: false, committing: false }, Promise.resolve({ json })),
      /no answer each/,
    )
    assert.equal(ending.isUndone(fault), true)
  }
})
