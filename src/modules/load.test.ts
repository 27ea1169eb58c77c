// Modules from outside: loaded, put in order, and refused with a reason.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Module, Ref } from '#models'
import { StartupError } from '../errors.ts'
import { allModules, inOrder } from './load.ts'

const dir = mkdtempSync(join(tmpdir(), 'comptoir-load-'))
after(() => rmSync(dir, { recursive: true }))

const declared = (name: string, depends: readonly string[] = []): Module => ({
  name,
  depends,
  version: '1.0',
  summary: '',
  models: [],
})
const names = (modules: readonly Module[]) => modules.map(({ name }) => name)
function file(name: string, content: string): string {
  const path = join(dir, name)
  writeFileSync(path, content)
  return path
}

test('each module after what it needs, otherwise as given', () => {
  assert.deepEqual(names(inOrder([declared('c', ['b']), declared('a'), declared('b', ['a'])])), [
    'a',
    'b',
    'c',
  ])
})

test('circles, missing dependencies and names used twice are refused', () => {
  assert.throws(() => inOrder([declared('a', ['b']), declared('b', ['a'])]), /circle: a → b → a/)
  assert.throws(() => inOrder([declared('a', ['gone'])]), /a requires gone/)
  assert.throws(() => inOrder([declared('a'), declared('a')]), /Two modules are called a/)
})

test('a file exports one module or several', async () => {
  const first = file(
    'one.ts',
    "export default { name: 'one', version: '1.0', summary: '', depends: ['two'], models: [] } as const\n",
  )
  const second = file(
    'two.mjs',
    "export default [{ name: 'two', version: '1.0', summary: '', depends: ['base'], models: [] }]\n",
  )
  const moduleNames = names(await allModules([first, second]))
  assert.deepEqual(moduleNames.slice(-2), ['two', 'one'])
  assert.equal(moduleNames[0], 'base')
})

test('a module gets the running engine, whatever is installed next to it', async () => {
  const text =
    "import { defineModule, Ref } from 'comptoir/models'\nexport default defineModule({ name: 'three', version: '1.0', summary: Ref.name, depends: [], models: [], Ref })\n"
  const module = (await allModules([file('three.mjs', text)])).find(({ name }) => name === 'three')
  assert.equal((module as unknown as { Ref: unknown }).Ref, Ref)
})

test('what is not a module is refused, with the file named', async () => {
  for (const content of [
    'export default 5\n',
    'export const a = 1\n',
    'export default []\n',
    'throw new Error("no")\n',
  ]) {
    const path = file(`bad${content.length}.mjs`, content)
    await assert.rejects(
      allModules([path]),
      (error) => error instanceof StartupError && error.message.includes(path),
    )
  }
  await assert.rejects(allModules([join(dir, 'gone.ts')]), StartupError)
})
