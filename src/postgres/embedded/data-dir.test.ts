// The data directory: made with all above it, or refused in words, without ever hanging.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemp } from '../../../test/support/temp.ts'
import { StartupError } from '../../errors.ts'
import { makeDataDir } from './data-dir.ts'

test('levels are made, an existing directory is fine, a file is not', (t) => {
  const temp = makeTemp('data-dir')
  t.after(() => temp.remove())
  const deep = join(temp.path, 'a/b/c')
  makeDataDir(deep)
  makeDataDir(deep)
  assert.ok(existsSync(deep))
  writeFileSync(join(temp.path, 'file'), '')
  assert.throws(() => makeDataDir(join(temp.path, 'file')), StartupError)
  assert.throws(() => makeDataDir(join(temp.path, 'file/below')), StartupError)
})

test('where nothing can be made, there is a reason at once', { skip: !existsSync('/proc/self') && 'needs /proc' }, () => {
  assert.throws(() => makeDataDir('/proc/comptoir/data'), { name: 'StartupError', message: /Cannot make the data directory/ })
})
