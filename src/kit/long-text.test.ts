// Texts in parts are what the parts put together are, whatever signs they hold and however long they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../test/fuzz/random.ts'
import { LongText } from './long-text.ts'

test('a text in parts is the parts put together', () => {
  const random = new Random(7)
  for (let round = 0; round < 40; round++) {
    const text = new LongText()
    const parts: string[] = []
    // Most are plain; in others a sign beyond ASCII comes early, late, or again and again.
    const strange = random.pick([0, 0, 0.01, 0.3])
    for (let length = random.below(3 * 1024 ** 2); length > 0; ) {
      const part = random.pick(['a', 'bc', '0123456789']).repeat(random.below(40_000))
      parts.push(random.chance(strange) ? `${part}${random.pick(['é', '€', '𝄞'])}` : part)
      length -= part.length + 1
    }
    for (const part of parts) text.add(part)
    assert.ok(text.take() === parts.join(''), `round ${round}`)
  }
})

test('what is long is held outside of the heap, once', () => {
  const part = 'x'.repeat(64 * 1024)
  const before = process.memoryUsage()
  const text = new LongText()
  for (let at = 0; at < 512; at++) text.add(part)
  const held = process.memoryUsage()
  const [heap, outside] = [held.heapUsed - before.heapUsed, held.arrayBuffers - before.arrayBuffers]
  assert.ok(heap < 4 * 1024 ** 2, `${heap} bytes of the heap`)
  assert.ok(outside >= 32 * 1024 ** 2 && outside < 36 * 1024 ** 2, `${outside} bytes outside`)
  assert.equal(text.take().length, 512 * part.length)
  assert.ok(process.memoryUsage().arrayBuffers - before.arrayBuffers < 1024 ** 2, 'its parts are gone')
})
