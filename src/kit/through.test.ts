// Generators that are fed by others end with what feeds them, begun or not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { through } from './through.ts'

/** A source that was begun and holds something until it ends. */
async function begun() {
  const held = { open: true }
  const source = (async function* () {
    try {
      for (let n = 0; n < 3; n++) yield n
    } finally {
      held.open = false
    }
  })()
  await source.next()
  return { held, source }
}

async function* marked(source: AsyncGenerator<number, void>) {
  yield 'head'
  for await (const item of source) yield String(item)
}

test('a source ends with what it feeds: before it was begun, at its head, in the middle', async () => {
  for (const count of [0, 1, 2]) {
    const { held, source } = await begun()
    const output = through(source, marked)
    for (let n = 0; n < count; n++) await output.next()
    await output.return()
    assert.equal(held.open, false, `after ${count}`)
    assert.deepEqual(await output.next(), { done: true, value: undefined })
  }
  const { held, source } = await begun()
  for await (const text of through(source, marked)) if (text === 'head') break
  assert.equal(held.open, false, 'a loop that is left')
})

test('all values arrive at the end, and failures are passed on', async () => {
  const { held, source } = await begun()
  const all = []
  for await (const text of through(source, marked)) all.push(text)
  assert.deepEqual([all, held.open], [['head', '1', '2'], false])
  const broken = through(
    (async function* () {
      yield 1
      throw new Error('broken off')
    })(),
    marked,
  )
  await assert.rejects(async () => {
    for await (const _ of broken);
  }, /broken off/)
})
