// Names of programs for people, from what browsers, libraries and apps call themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

const cases: readonly (readonly [string | false, string | null])[] = [
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/139.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/147.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['curl/8.5.0', 'curl'],
  ['python-requests/2.32.3', 'Python (requests)'],
  ['Python-urllib/3.13', 'Python'],
  ['node', 'Node.js'],
  ['till/2.1 (store 4)', 'till 2.1'],
  ['x'.repeat(300), `${'x'.repeat(40)}…`],
  ['  ', null],
  [false, null],
]

for (const [agent, device] of cases)
  test(`${String(agent).slice(0, 60)} is ${device}`, () => assert.equal(deviceOf(agent), device))
