// Which compression a client accepts (RFC 9110 section 12.5.3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodingFor } from './compress.ts'

test('the best weight counts, gzip among equals', () => {
  const accepted: readonly [string | undefined, string | null][] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5, br;q=0.8', 'br'],
    ['gzip; q=0, br', 'br'],
    ['gzip;q=0', null],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0, *', 'br'],
    ['br;q=nonsense', null],
  ]
  for (const [header, encoding] of accepted) assert.equal(encodingFor(header), encoding, String(header))
})
