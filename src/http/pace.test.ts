// Bodies that hardly arrive are given up; those that arrive, and those that the server does not read, are
// not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

test('pace: a body that hardly arrives is aborted once, at the third check', () => {
  const pace = new Pace()
  const givenUp: string[] = []
  const follow = (name: string) => {
    const socket = { bytesRead: 1000 }
    return { socket, body: pace.follow(socket, () => givenUp.push(name)) }
  }
  const [slow, steady, ours, late] = [follow('slow'), follow('steady'), follow('ours'), follow('late')]
  ours.body.isOurs = true
  for (let look = 1; look <= 5; look++) {
    slow.socket.bytesRead += 100
    steady.socket.bytesRead += 100_000
    if (look === 2) late.socket.bytesRead += 100_000
    pace.look()
    assert.deepEqual(givenUp.includes('slow'), look >= 3, `look ${look}`)
  }
  assert.deepEqual(givenUp, ['slow', 'late'])
  for (const { body } of [steady, ours]) body.end()
})
