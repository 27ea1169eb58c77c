// Commands that are started with another account or another folder than those of the server.
import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { makeTemp } from '../../test/support/temp.ts'
import { endArchive } from '../postgres/embedded/index.ts'
import { write } from '../postgres/embedded/server-file.ts'

const skip = process.getuid?.() === 0 ? false : 'needs root'
/** An account that no system names. */
const ACCOUNT = 54321

/** A data directory whose server runs as another account. */
function serviceDirectory(path: string): string {
  const dataDir = join(path, 'service')
  mkdirSync(dataDir)
  const roles = { comptoir_server: 'secret', comptoir_restore: 'secret' }
  const archive = { folder: join(path, 'backups'), seconds: 60, of: dataDir }
  const pgdata = join(dataDir, 'postgres')
  write(dataDir, { pgdata, port: 1, user: 'superuser', password: 'secret', roles, archive })
  for (const name of [dataDir, join(dataDir, 'postgres.json')]) chownSync(name, ACCOUNT, ACCOUNT)
  return dataDir
}

test('root: a command that creates files for the server of another account is refused, and says how to run it', {
  skip,
}, async (t) => {
  const temp = makeTemp('account')
  t.after(() => temp.remove())
  const dataDir = serviceDirectory(temp.path)
  const backups = join(temp.path, 'backups')
  writeFileSync(join(temp.path, 'shop.zip'), '')
  for (const args of [
    ['backup', 'init', '--backup-dir', backups],
    ['backup', 'point', 'before'],
    ['db', 'create', 'shop'],
    ['db', 'duplicate', 'shop', 'rehearsal'],
    ['db', 'restore', join(temp.path, 'shop.zip'), 'shop'],
    ['module', 'install', 'sale', '--database', 'shop'],
    ['module', 'upgrade', '--database', 'shop'],
  ]) {
    const { code, err } = await runHere(...args, '--data-dir', dataDir)
    assert.equal(code, 1, args.join(' '))
    assert.match(
      err,
      /runs as the account #54321, .*\bsetpriv --reuid=54321 --regid=54321 --clear-groups -- npx comptoir/,
      args.join(' '),
    )
  }
  assert.equal(existsSync(backups), false)
})

test('root: postgres.json stays with the account of the server when it is rewritten', { skip }, async (t) => {
  const temp = makeTemp('account')
  t.after(() => temp.remove())
  const dataDir = serviceDirectory(temp.path)
  const path = join(dataDir, 'postgres.json')
  await endArchive(dataDir)
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).archive, undefined)
  assert.deepEqual([statSync(path).uid, statSync(path).gid], [ACCOUNT, ACCOUNT])
})

test('a command that creates nothing refuses a data directory that does not exist, and leaves none', async (t) => {
  const temp = makeTemp('account')
  t.after(() => temp.remove())
  const dataDir = join(temp.path, 'data')
  for (const args of [
    ['db', 'list'],
    ['db', 'backup', 'shop', join(temp.path, 'shop.zip')],
    ['user', 'list'],
  ]) {
    const { code, err } = await runHere(...args, '--data-dir', dataDir)
    assert.equal(code, 1, args.join(' '))
    assert.ok(err.includes(`There is no data directory ${dataDir}: name that of the server`), err)
  }
  assert.equal(existsSync(dataDir), false)
})
