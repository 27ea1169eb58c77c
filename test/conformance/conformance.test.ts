// The recorded conversations hold: those of credentials and the wire completely, the others except for a
// committed list that may only shrink.
// Begins first: it takes 70 s.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { rehearse } from './rehearse.ts'
import { type CaseResult, replay, replayAccepting } from './run.ts'
import { type ConformanceServer, installed, startConformanceServer } from './server.ts'

/** Areas in which every check must hold. */
const complete = '^(auth|keys|wire)/'
/**
 * All other areas, compared with the list. The runner leaves out cases that need modules which are not
 * installed.
 */
const areas = readdirSync(new URL('vendor/cases', import.meta.url)).filter(
  (area) => !new RegExp(complete).test(`${area}/`),
)
const listed = `^(${areas.join('|')})/`
/** Case → number of its checks that fail; `npm run conformance -- --update` writes it. */
const knownFailures: Record<string, number> = JSON.parse(
  readFileSync(new URL('known-failures.json', import.meta.url), 'utf8'),
)

let server: ConformanceServer
before(async () => {
  server = await startConformanceServer()
})
after(() => server?.close())

const shown = ({ name, failures }: CaseResult) =>
  failures.map((f) => `${name} step ${f.step} ${f.what}: ${f.found}`).join('\n')

test('conformance: auth, keys and wire match completely', async () => {
  const results = await replay(server, complete)
  assert.ok(results.length >= 30, 'the runner found too few cases')
  const failed = results.filter((result) => result.failed)
  assert.ok(failed.length === 0, `\n${failed.map(shown).join('\n')}`)
})

test('conformance: reads match with extensions switched off', async () => {
  const results = await replay({ ...server, url: await server.plain() }, '^read/')
  assert.ok(results.length >= 10, 'the runner found too few cases')
  const failed = results.filter((result) => result.failed)
  assert.ok(failed.length === 0, `\n${failed.map(shown).join('\n')}`)
})

test('conformance: wire and reads match with Accept: application/json', async () => {
  // Some cases count created records, so each server runs them once.
  const server = await startConformanceServer()
  const { results, asked: replaced } = await replayAccepting(
    server,
    'application/json',
    '^(wire|read)/',
  ).finally(() => server.close())
  assert.ok(results.length >= 25 && replaced > 600, `${results.length} cases, ${replaced} requests`)
  const failed = results.filter((result) => result.failed)
  assert.ok(failed.length === 0, `\n${failed.map(shown).join('\n')}`)
})

test('dry run: recorded calls leave nothing, and return their status', async () => {
  const { calls, left, otherwise } = await rehearse(server, '^computed/tree')
  assert.ok(calls >= 5, 'hardly anything was rehearsed')
  assert.deepEqual([left, otherwise], [[], []])
})

test('conformance: the other areas match except for listed cases, and all listed cases fail', async (t) => {
  const results = await replay(server, listed, { modules: installed })
  assert.ok(results.length >= 5 * areas.length, 'the runner found too few cases')
  const total = results.reduce((sum, r) => sum + r.checks, 0)
  const failed = results.reduce((sum, r) => sum + r.failed, 0)
  t.diagnostic(`${total - failed} of ${total} checks hold beside auth, keys and wire`)
  const wrong = results.flatMap((result) => {
    const allowed = knownFailures[result.name] ?? 0
    if (result.failed > allowed)
      return [`${result.name}: ${result.failed} checks fail, the list allows ${allowed}\n${shown(result)}`]
    if (result.failed < allowed)
      return [`${result.name}: only ${result.failed} checks fail now, put that into known-failures.json`]
    return []
  })
  const names = new Set(results.map((result) => result.name))
  for (const name of Object.keys(knownFailures))
    if (areas.includes(name.split('/')[0] ?? '') && !names.has(name))
      wrong.push(`${name} is on the list and is no case`)
  assert.ok(wrong.length === 0, `\n${wrong.join('\n')}`)
})
