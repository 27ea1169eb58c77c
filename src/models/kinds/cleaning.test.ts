// Markup sanitized before writing: the thread and the synchronous path agree, and markup beyond a limit
// is refused before it is sanitized.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { PayloadTooLarge } from '../../errors.ts'
import { cleanHtml } from '../../kit/html-policy.ts'
import { type LimitName, limits, setLimits } from '../../limits.ts'
import { cleaned, sanitizeBeforeWrite, withCleaned } from './cleaning.ts'

/** A call, and what it spent. */
function caller() {
  const spent: [LimitName, number][] = []
  const charge = (name: LimitName, amount: number) => void spent.push([name, amount])
  return { spent, unit: { quota: { charge } } }
}
afterEach(() => setLimits())

const piece = fc.constantFrom(
  '<p>',
  '</p>',
  '<b>',
  '</b>',
  '<div class="a">',
  '</div>',
  '<br>',
  '<ul><li>',
  'text ',
  '&amp;',
  '<',
  '\u00a0',
  '<img src=x onerror=y>',
  '<script>',
  '</script>',
  '<iframe>',
  '<!--',
  '-->',
  '<a href="javascript:x">',
  '<img srcset="a b c">',
)
const markup = fc.array(piece, { minLength: 1, maxLength: 15 }).map((parts) => parts.join(''))

test('the thread gives the very bytes that are made on the spot', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(markup, { minLength: 1, maxLength: 5 }), async (texts) => {
      // One long text sends all of them to the thread.
      const long = `<p>${'long '.repeat(5000)}</p>`
      const clean = await sanitizeBeforeWrite(caller(), [...texts, long])
      for (const text of [...texts, long]) assert.equal(clean.get(text), cleanHtml(text))
    }),
    { numRuns: 30 },
  )
})

test('HTML cleaning: a value uses a result that was prepared for it, and no other', () => {
  withCleaned(new Map([['<i>a', 'known']]), () => assert.equal(cleaned('<i>a'), 'known'))
  assert.equal(cleaned('<i>a'), '<i>a</i>')
})

test('a text is cleaned and paid for once, however many records get it', async () => {
  const call = caller()
  const text = `<p>${'x'.repeat(20_000)}</p>`
  await sanitizeBeforeWrite(call, Array(1000).fill(text))
  assert.deepEqual(call.spent, [['html-call', text.length]])
})

/** Markup that is open `depth` levels deep, by tags that do not close each other. */
const open = (depth: number) =>
  Array.from({ length: depth }, (_, i) => ['<div>', '<b>', '<section>', '<iframe>'][i % 3]).join('')

test('depth and length are bounded alike on the spot and in the thread', async () => {
  const deepest = limits['html-depth']
  for (const padding of ['', 'x'.repeat(30_000)]) {
    const ahead = (text: string) => sanitizeBeforeWrite(caller(), [text + padding])
    await ahead(open(deepest))
    await ahead('<p>'.repeat(deepest * 4))
    await assert.rejects(ahead(open(deepest + 1)), PayloadTooLarge)
    // Whatever is behind it does not cost anything any more.
    await assert.rejects(ahead(open(deepest + 1).repeat(100)), PayloadTooLarge)
  }
  setLimits({ html: 100 })
  assert.throws(() => cleaned('é'.repeat(51)), PayloadTooLarge)
  assert.doesNotThrow(() => cleaned('é'.repeat(50)))
})

test('nothing is printed about what cannot be read', (t) => {
  const log = t.mock.method(console, 'log')
  assert.equal(cleanHtml('<img srcset="a b c">'), '<img>')
  assert.equal(log.mock.callCount(), 0)
  assert.equal(console.log, log)
})
