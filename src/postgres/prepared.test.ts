// The same text has the same name everywhere, another text another one; what is met once, or is long, has
// none.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { LONGEST_PREPARED, statementName } from './prepared.ts'

const nameIn = (text: string): string => {
  statementName(text)
  return statementName(text) as string
}

test('a text is named when it is met again, by itself', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), fc.string({ maxLength: 500 }), (first, other) => {
      assert.equal(nameIn(first) === nameIn(other), first === other)
      assert.ok(nameIn(first).length < 64, 'PostgreSQL cuts longer names')
    }),
  )
  assert.equal(statementName('SELECT 1 -- met once'), undefined)
  assert.equal(nameIn('x'.repeat(LONGEST_PREPARED + 1)), undefined)
})

test('another process has the same name for it, whatever it prepared before', () => {
  const script = `import { statementName } from ${JSON.stringify(`${import.meta.dirname}/prepared.ts`)}
    for (const text of ['SELECT 7', 'SELECT 7', 'SELECT 8', 'SELECT 1', 'SELECT 1']) var name = statementName(text)
    console.log(name)`
  const printed = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
  })
  assert.equal(printed.trim(), nameIn('SELECT 1'))
})
