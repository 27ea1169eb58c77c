// The typed client's promises hold for the compiler: the programs in test/types/client compile, and every
// line that they expect to fail does.
// Begins first: it takes 9 s.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/serve.ts'

test('rows narrow to the fields asked for; domains, values and parameters are checked', async () => {
  for (const file of ['program.ts', 'written.ts'])
    assert.ok(
      readFileSync(join(root, 'test/types/client', file), 'utf8').split('@ts-expect-error').length > 10,
    )
  const args = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--noEmit',
    '--pretty',
    'false',
    '--checkers',
    '1',
    '-p',
    'test/types/client',
  ]
  const output = await new Promise<string>((done, fail) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 24 }, (error, out) =>
      error && typeof error.code !== 'number' ? fail(error) : done(out),
    )
  })
  // Other rooms are compiled along, and have tests of their own.
  const complaints = output
    .split('\n')
    .filter((line) => /^(error TS|test\/types\/client\/|src\/client\/)/.test(line))
  assert.deepEqual(complaints, [])
})
