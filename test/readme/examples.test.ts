// The examples in comments of the package's entries (TSDoc) compile, and run as far as they do something by
// themselves: those that open a database use the test kit.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { examplesOf } from '../../scripts/prose/documented.ts'
import { byName, namedPaths } from '../support/by-name.ts'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'

const examples = examplesOf(root)
const temp = makeTemp('examples')
writeFileSync(join(temp.path, 'package.json'), '{"type":"module"}')
symlinkSync(join(root, 'node_modules'), join(temp.path, 'node_modules'))
for (const { name, text } of examples) writeFileSync(join(temp.path, `${name}.ts`), text)
after(() => temp.remove())

/** Output and exit code of a program of Node.js in the folder of the examples. */
function run(args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: temp.path, maxBuffer: 1 << 24 }
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: `${stdout}${stderr}` }),
    )
  })
}

test('examples in comments of exports compile', async () => {
  assert.ok(examples.length >= 8, 'the examples are found')
  const options = { extends: join(root, 'tsconfig.json'), compilerOptions: { paths: namedPaths } }
  const project = { ...options, include: ['*.ts'], exclude: [] }
  writeFileSync(join(temp.path, 'tsconfig.json'), JSON.stringify(project))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { output } = await run([tsc, '--noEmit', '--pretty', 'false', '--checkers', '1', '-p', '.'])
  // `npm run check` reports errors of the sources.
  const errors = output.split('\n').filter((line) => line !== '' && !line.startsWith('..'))
  assert.deepEqual(errors, [])
})

for (const { name } of examples)
  test(`the example of ${name} runs`, async () => {
    const { code, output } = await run([byName, '--disable-warning=ExperimentalWarning', `${name}.ts`])
    assert.equal(code, 0, output)
  })
