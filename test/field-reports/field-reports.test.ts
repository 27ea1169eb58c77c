// Problems that were reported publicly of systems of this kind: those on the list remain, and it may only
// shrink.
// Begins first: it takes 6 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConformanceServer, startConformanceServer } from '../conformance/server.ts'
import known from './known-failures.json' with { type: 'json' }
import { playReport, REPORTS } from './run.ts'

let server: ConformanceServer
before(async () => {
  server = await startConformanceServer()
})
after(() => server?.close())

for (const report of REPORTS) {
  test(`field report ${report}: matches, unless it is listed`, async () => {
    const { passed, output } = await playReport(server, await server.key(), report)
    assert.equal(passed, !(known as readonly string[]).includes(report), output)
  })
}
