// Contents of attachments that the doctor finds missing or damaged, in a sample and among all.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { base } from '../../modules/base/index.ts'
import { sql } from '../../sql/index.ts'
import { contents } from './contents.ts'

let fixture: TestDatabase
before(async () => {
  fixture = await openTestDatabase([base])
})
after(() => fixture?.close())

const attach = (name: string) =>
  fixture.run(async (env) => {
    const datas = Buffer.from(`content of ${name}`).toString('base64')
    const { ids } = await env.model('ir.attachment').create([{ name, datas }] as never)
    const [row] = await env.query(sql`SELECT store_fname FROM ir_attachment WHERE id = ${ids[0] ?? 0}::int`)
    return String(row?.[0])
  })
const pathOf = (key: string) =>
  join(fixture.databases.options.dataDir, 'filestore', fixture.database.name, key)

test('doctor on contents: a sample and all of them name what is missing or damaged, and what to do', async () => {
  const keys: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) keys.push(await attach(name))
  for (const every of [false, true]) {
    const { verdict, found: measured } = await contents(fixture.database, every)
    assert.equal(verdict, 'good', measured)
    assert.match(measured, /: 0 missing, 0 damaged$/)
  }
  const [missing, damaged] = keys as [string, string]
  await rm(pathOf(missing))
  await writeFile(pathOf(damaged), 'other content')
  // Few contents: a sample that begins anywhere has them all.
  for (const chance of [0, 0.5, 0.999]) {
    const { check, verdict, found: measured, change } = await contents(fixture.database, false, () => chance)
    assert.deepEqual([check, verdict], ['contents of test', 'wrong'])
    assert.match(measured, /^\d+ contents sampled: 1 missing, 1 damaged; attachments \d+ \(/)
    assert.ok(measured.includes(missing) && measured.includes(damaged), measured)
    assert.match(String(change), /Restore a backup under another name/)
  }
  const { found: measured } = await contents(fixture.database, true)
  assert.match(measured, /^\d+ contents: 1 missing, 1 damaged/)
})

test('doctor on contents: large ones are compared on request alone, and keys of restored backups are SHA-1', async () => {
  const size = 9 * 1024 ** 2
  const stored = (key: string, content: Buffer) => ({
    name: 'imported',
    pool: { use: async () => [[key, 1]] } as never,
    files: {
      size: async () => content.length,
      open: async function* () {
        yield content
      },
    } as never,
  })
  const zeros = stored(`ab/${'0'.repeat(64)}`, Buffer.alloc(size))
  assert.equal((await contents(zeros, false)).verdict, 'good')
  assert.equal((await contents(zeros, true)).verdict, 'wrong')
  const sha1 = stored('a9/a9993e364706816aba3e25717850c26c9cd0d89d', Buffer.from('abc'))
  assert.equal((await contents(sha1, false)).verdict, 'good')
})

test('doctor on contents: one that the disk cannot read is damaged, and the others are looked at', async () => {
  const files = {
    size: async () => 1,
    open: () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    },
  } as never
  const keys = ['a', 'b', 'c', 'd', 'e'].map((letter) => [`00/${letter.repeat(64)}`, 1])
  const pool = { use: async () => keys } as never
  const { found: measured } = await contents({ name: 'worn', pool, files }, true)
  assert.match(measured, /^5 contents: 0 missing, 5 damaged; attachments (?:1 \(\S+, ){3}…$/)
})
