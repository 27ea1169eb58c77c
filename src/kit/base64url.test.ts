// Node.js ignores some characters when it decodes such a text; this decoder refuses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBase64url } from './base64url.ts'

test('an altered text is refused, also when it decodes to the same bytes', () => {
  for (const bytes of ['', 'a', 'ab', 'abc', 'abcd', 'ÿþ?>']) {
    const text = Buffer.from(bytes).toString('base64url')
    assert.equal(fromBase64url(text)?.toString(), bytes)
    for (const other of [`${text}=`, `${text}x`, ` ${text}`, `${text}\n`, `${text}.`, `${text}%`])
      if (Buffer.from(other, 'base64url').equals(Buffer.from(bytes))) assert.equal(fromBase64url(other), null)
  }
  // The last letter has bits that no byte takes.
  assert.equal(Buffer.from('YR', 'base64url').toString(), 'a')
  assert.equal(fromBase64url('YR'), null)
  assert.equal(fromBase64url('+/8'), null)
})
