// The fuzzer in small, with a fixed seed, and every difference it ever found.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fuzzFew } from './few.ts'
import { differs, fuzz, openShapes } from './fuzz.ts'
import type { Finding } from './round.ts'
import { smallerDomains } from './shrink.ts'
import { fuzzWindows, type WindowFinding, windowDiffers } from './windows.ts'

test('fuzz: SQL and memory agree about generated domains', async () => {
  const { finding, difference } = await fuzz({ domains: 600, seed: 7, shapes: 2 })
  assert.equal(finding, null, `${JSON.stringify(finding?.domain)} ${JSON.stringify(difference)}`)
})

for (const kind of ['orders', 'groups'] as const) {
  test(`fuzz: SQL and memory agree about generated ${kind}`, async () => {
    const { finding, difference } = await fuzzWindows(kind, 300, { seed: 7, shapes: 2 })
    assert.equal(finding, null, `${JSON.stringify(finding?.asked)} ${JSON.stringify(difference)}`)
  })
}

test('fuzz: pages of very large tables are equal when conditions are resolved first', async () => {
  const { asked: count, found: matches, finding } = await fuzzFew({ domains: 480, seed: 7, shapes: 1 })
  assert.equal(finding, null, JSON.stringify(finding))
  assert.ok(matches > count / 5, `${matches} of ${count} pages have something on them`)
})

test('fuzz: SQL and memory agree about earlier differences', async (t) => {
  const folder = join(import.meta.dirname, 'regressions')
  const files = globSync('*.json', { cwd: folder }).sort()
  const findings = files.map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Finding | WindowFinding,
  )
  const db = await openShapes(findings.map(({ shape }) => shape))
  try {
    for (const [i, finding] of findings.entries()) {
      await t.test(files[i] as string, async () => {
        const module = `fuzz${i}`
        assert.equal(
          await ('asked' in finding ? windowDiffers(db, module, finding) : differs(db, module, finding)),
          null,
        )
      })
    }
  } finally {
    await db.close()
  }
})

test('fuzz: shrinking tries every smaller domain', () => {
  const smaller = [...smallerDomains(['|', ['a', '=', 1], ['b', 'in', [1, 2]]])].map((domain) =>
    JSON.stringify(domain),
  )
  for (const expected of ['[["a","=",1]]', '[["b","in",[1,2]]]', '["|",["a","=",1],["b","in",[2]]]'])
    assert.ok(smaller.includes(expected), expected)
})
