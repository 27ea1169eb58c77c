// The data directory: created with its parents, or refused with a message, without ever hanging.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
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

test('where nothing can be made, there is a reason at once', {
  skip: !existsSync('/proc/self') && 'needs /proc',
}, () => {
  assert.throws(() => makeDataDir('/proc/comptoir/data'), {
    name: 'StartupError',
    message: /Cannot create the data directory/,
  })
})

test('a directory that is closed to the account is reported with both accounts', {
  skip: !process.getuid && 'no accounts',
}, (t) => {
  const temp = makeTemp('data-dir-closed')
  t.after(() => temp.remove())
  const path = join(temp.path, 'data')
  makeDataDir(path)
  chmodSync(path, 0o500)
  // Root may read everything: a process of root tries as an unprivileged account.
  const program = `
    import { makeDataDir } from ${JSON.stringify(import.meta.resolve('./data-dir.ts'))}
    if (process.getuid() === 0) process.setuid(65534)
    try { makeDataDir(${JSON.stringify(path)}) } catch (error) { console.log(error.name, error.message) }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  const words = `StartupError The data directory ${path} belongs to the account with uid ${process.getuid?.()}, and `
  assert.equal(stdout.slice(0, words.length), words)
  assert.match(stdout, / Run as that account, or choose another --data-dir\.\n$/)
})
