// Databases whose contents are in a store: kept with their commit, copied, backed up, restored and dropped; a
// store that is away leaves nothing half done.
import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { startStore, type TestStore } from '../../../test/support/s3.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { base } from '../../modules/base/index.ts'
import { Databases } from '../index.ts'

let fixture: TestDatabase
let store: TestStore
let databases: Databases

before(async () => {
  fixture = await openTestDatabase([base])
  store = await startStore()
  databases = await Databases.open({ ...fixture.databases.options, store })
})
after(async () => {
  await databases?.close()
  await store?.close()
  await fixture?.close()
})

const attach = async (name: string, content: string) =>
  (await databases.database('test')).system(async (env) => {
    const datas = Buffer.from(content).toString('base64')
    await env.model('ir.attachment').create([{ name, datas }] as never)
  })

/** The contents of the attachments of a name, as clients read them. */
async function read(database: string, name: string): Promise<string[]> {
  return (await databases.database(database)).system(async (env) => {
    const attachments = await env.model('ir.attachment').search([['name', '=', name]] as never)
    const rows = await attachments.read(['datas'])
    return rows.map(({ datas }) => Buffer.from(String(datas), 'base64').toString())
  })
}

const of = (database: string) =>
  [...store.objects.keys()].filter((name) => name.startsWith(`shops/${database}/`))

test('contents go with their database: copies, backups, restores, drops', async () => {
  await attach('note', 'in the store')
  assert.equal(of('test').length, 1)
  assert.deepEqual(await read('test', 'note'), ['in the store'])
  await databases.duplicate('test', 'copy')
  assert.equal(of('copy').length, 1)
  const path = join(fixture.databases.options.dataDir, 'copy.zip')
  await pipeline(await databases.backup('copy', 'zip', '0'), createWriteStream(path))
  await databases.drop('copy')
  assert.deepEqual(of('copy'), [])
  await databases.restore('again', path)
  assert.deepEqual(await read('again', 'note'), ['in the store'])
  await databases.rename('again', 'renamed')
  assert.deepEqual(of('again'), [])
  assert.deepEqual(await read('renamed', 'note'), ['in the store'])
  assert.equal(await (await databases.database('renamed')).collectFiles(-1), 0)
  await databases.drop('renamed')
})

test('a store that is away refuses for the moment, and nothing is kept', async () => {
  store.away = true
  await assert.rejects(attach('lost', 'never kept'), ServiceUnavailable)
  await assert.rejects(read('test', 'note'), ServiceUnavailable)
  store.away = false
  assert.deepEqual(await read('test', 'lost'), [])
  assert.deepEqual(await read('test', 'note'), ['in the store'])
})
