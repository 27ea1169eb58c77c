// The compiler of `comptoir dev`: errors reported once, success reported once, no output without a project.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { TypesCheck } from './types-check.ts'

const compiler = resolve(import.meta.dirname, '../../../node_modules/typescript')

test('types check: reports compiler errors, and when there are none any more', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'comptoir-types-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(compiler, join(folder, 'node_modules/typescript'))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{"compilerOptions":{"strict":true,"noLib":true,"types":[]},"files":["a.ts","lib.d.ts"]}',
  )
  const globals = [
    'Array<T>',
    'Boolean',
    'CallableFunction',
    'Function',
    'IArguments',
    'NewableFunction',
    'Number',
    'Object',
    'RegExp',
    'String',
  ]
  writeFileSync(join(folder, 'lib.d.ts'), globals.map((name) => `interface ${name} {}`).join('\n'))
  let received = (_text: string) => {}
  const check = new TypesCheck(folder, (text) => received(text))
  const next = () =>
    new Promise<string>((done) => {
      received = done
      check.start()
    })
  writeFileSync(join(folder, 'a.ts'), "export const a: number = 'text'\n")
  assert.match(await next(), /^the compiler reports errors:\na\.ts\(1,14\): error TS2322/)
  writeFileSync(
    join(folder, 'a.ts'),
    Array.from({ length: 30 }, (_, i) => `export const a${i}: number = ''`).join('\n'),
  )
  assert.match(await next(), /… and 10 lines more$/)
  writeFileSync(join(folder, 'a.ts'), 'export const a: number = 1\n')
  assert.equal(await next(), 'the compiler reports no errors')
})

test('without a compiler or a tsconfig.json it does nothing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'comptoir-types-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const check = new TypesCheck(folder, () => assert.fail('it told something'))
  check.start()
  check.stop()
})
