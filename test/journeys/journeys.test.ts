// Recorded business stories: what differs is on the list, and the list may only shrink.
// Begins first: it takes 90 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConformanceServer, startConformanceServer } from '../conformance/server.ts'
import known from './known-failures.json' with { type: 'json' }
import { FILES, play } from './run.ts'

let server: ConformanceServer
before(async () => {
  server = await startConformanceServer()
})
after(() => server?.close())

for (const file of FILES) {
  test(`stories: ${file} match the recording, except for listed ones`, async (t) => {
    const { stories, differing, better, unlisted, checks, failed, output } = await play(
      server,
      await server.key(),
      file,
    )
    t.diagnostic(
      `${stories - differing.length - better.length} of ${stories} stories agree, ${checks - failed} of ${checks} checks hold`,
    )
    assert.ok(stories > 5, 'the player found too few stories')
    assert.deepEqual(unlisted, [], `better-here.json lists stories that go otherwise\n${output}`)
    assert.deepEqual(
      differing,
      known[file],
      `better is good news: put it into known-failures.json\n${output}`,
    )
  })
}
