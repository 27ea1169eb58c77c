// Tests of build-id.ts: which installations are one build.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { BUILD_FILE, contentIdentityOf, identityOf } from './build-id.ts'

function writePackage(home: string): string {
  for (const folder of ['dist/models', 'dist/modules/base'])
    mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"version":"1.0.0"}')
  writeFileSync(join(home, 'dist/models/index.js'), 'export const fields = 1')
  writeFileSync(join(home, 'dist/modules/base/index.js'), 'export const base = 1')
  return join(home, 'dist')
}

test('build: two installations of one release are one build, whenever each was installed', (t) => {
  const temp = makeTemp('build-id')
  t.after(() => temp.remove())
  const first = writePackage(join(temp.path, 'first'))
  writeFileSync(join(first, BUILD_FILE), `${contentIdentityOf(first)}\n`)
  const second = join(temp.path, 'second/dist')
  cpSync(join(temp.path, 'first'), join(temp.path, 'second'), { recursive: true })
  for (const path of ['models', 'models/index.js', 'modules/base/index.js'])
    utimesSync(join(second, path), new Date(0), new Date(0))
  assert.equal(identityOf(second), identityOf(first))
  assert.equal(contentIdentityOf(second), contentIdentityOf(first))
})

test('build: other contents, or another version, are another build', (t) => {
  const temp = makeTemp('build-id')
  t.after(() => temp.remove())
  const root = writePackage(temp.path)
  const identities = [contentIdentityOf(root)]
  writeFileSync(join(root, 'modules/base/index.js'), 'export const base = 2')
  identities.push(contentIdentityOf(root))
  writeFileSync(join(temp.path, 'package.json'), '{"version":"1.0.1"}')
  identities.push(contentIdentityOf(root))
  assert.equal(new Set(identities).size, 3)
})

test('build: a checkout is another build once a file was written, and not when a folder was', (t) => {
  const temp = makeTemp('build-id')
  t.after(() => temp.remove())
  const root = writePackage(temp.path)
  const before = identityOf(root)
  utimesSync(join(root, 'modules/base'), new Date(0), new Date(0))
  assert.equal(identityOf(root), before)
  utimesSync(join(root, 'modules/base/index.js'), new Date(0), new Date(0))
  assert.notEqual(identityOf(root), before)
})
