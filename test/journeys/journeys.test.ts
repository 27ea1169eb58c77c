// Recorded business stories: what differs is on the list, and the list may only shrink.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { whoseTurn } from '../../scripts/turns.ts'
import { type ConformanceServer, startConformanceServer } from '../conformance/server.ts'
import known from './known-failures.json' with { type: 'json' }
import { KINDS, play } from './run.ts'

let server: ConformanceServer
before(async () => {
  server = await startConformanceServer()
})
after(() => server?.close())

// All of them: npm run journeys.
for (const kind of whoseTurn(KINDS, 3)) {
  test(`${kind}: stories go as recorded, as far as there are models for them, except for what is on the list`, async (t) => {
    const { journeys, differ, checks, failed, left, output } = await play(server, await server.key(), kind, [
      '--show',
      '30',
    ])
    t.diagnostic(
      `${journeys - differ} of ${journeys} journeys agree, ${checks - failed} of ${checks} checks hold, ${left} steps wait for their models`,
    )
    assert.ok(journeys > 5, 'the player found too few stories')
    assert.deepEqual(
      { differ, failed, left },
      known[kind],
      `better is good news: put it into known-failures.json\n${output}`,
    )
  })
}
