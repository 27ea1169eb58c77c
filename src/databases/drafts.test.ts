// Staging databases: leftovers of dead processes are removed, those of living ones stay, and a taken name is
// detected at the end.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { DatabaseError } from 'pg'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { UserError } from '../errors.ts'
import { modules } from '../modules/index.ts'
import { Admin } from '../postgres/index.ts'
import { DirectoryContents } from './contents/directory.ts'
import { type Ground, isDraft, publish, sweep, withDraft, withScratch } from './drafts.ts'
import { filesDirectory } from './filestore.ts'

let fixture: TestDatabase
let ground: Ground
before(async () => {
  fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  const { dataDir } = fixture.databases.options
  const files = new DirectoryContents(dataDir, true, null)
  ground = { admin: new Admin(fixture.databases.address), dataDir, files }
})
after(() => fixture?.close())

const drafts = () => ground.admin.listDatabases(isDraft)
const files = (name: string) => filesDirectory(ground.dataDir, name)

test('names of databases are not taken for drafts', () => {
  for (const name of ['shop', '_comptoir_0123456789abcdef', '_comptoir_draft_', 'a_comptoir_draft_x_1_a'])
    assert.equal(isDraft(name), false)
})

test('abandoned staging databases, files and scratch folders are swept', async () => {
  await ground.admin.createDatabase('_comptoir_draft_create_1_abc')
  for (const folder of [
    files('_comptoir_draft_create_1_abc'),
    files('gone'),
    files('test'),
    join(ground.dataDir, 'upload-abc'),
  ])
    await mkdir(folder, { recursive: true })
  await sweep(ground, true)
  assert.deepEqual(await drafts(), [])
  assert.deepEqual(await readdir(join(ground.dataDir, 'filestore')), ['test'])
  assert.equal(existsSync(join(ground.dataDir, 'upload-abc')), false)
  assert.deepEqual(await fixture.databases.list(), ['test'])
})

test('a draft that somebody works on stays; one whose work fails goes', async () => {
  await assert.rejects(
    withDraft(ground, 'create', async (draft) => {
      await ground.admin.createDatabase(draft)
      await mkdir(files(draft), { recursive: true })
      await sweep(ground, true)
      assert.deepEqual(await drafts(), [draft])
      assert.equal(existsSync(files(draft)), true)
      throw new UserError('enough')
    }),
    /enough/,
  )
  assert.deepEqual(await drafts(), [])
  assert.deepEqual(await readdir(join(ground.dataDir, 'filestore')), ['test'])
})

test('a full disk is said as such, and leaves nothing', async () => {
  const full = () =>
    Promise.reject(Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' }))
  const expected = { name: 'ServiceUnavailable', message: /disk of the server is full/ }
  await assert.rejects(withScratch(ground, full), expected)
  await assert.rejects(
    withDraft(ground, 'restore', async (draft) => {
      await ground.admin.createDatabase(draft)
      // PostgreSQL's error for a full disk.
      throw Object.assign(new DatabaseError('could not extend file', 0, 'error'), { code: '53100' })
    }),
    expected,
  )
  assert.deepEqual(await drafts(), [])
  assert.deepEqual(
    (await readdir(ground.dataDir)).filter((name) => name.startsWith('upload-')),
    [],
  )
})

test('of two that want one name at once, one gets it', async () => {
  const outcomes = await Promise.allSettled(
    ['first', 'second'].map((content) =>
      withDraft(ground, 'create', async (draft) => {
        await ground.admin.createDatabase(draft)
        await mkdir(join(files(draft), content), { recursive: true })
        await publish(ground, draft, 'wanted')
      }),
    ),
  )
  const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
  const loser = outcomes[1 - winner] as PromiseRejectedResult
  assert.ok(loser.reason instanceof UserError)
  assert.deepEqual(await readdir(files('wanted')), [['first', 'second'][winner]])
  assert.deepEqual(await drafts(), [])
})

test('a rename takes the files along', async () => {
  const { databases } = fixture
  await databases.create('before')
  const database = await databases.database('before')
  const key = await database.files.put(Buffer.from('content'))
  await databases.rename('before', 'after')
  assert.equal(String(await (await databases.database('after')).files.get(key)), 'content')
  assert.equal(existsSync(files('before')), false)
})

test('create: copies a template that exists where none is to be made', async () => {
  const { databases } = fixture
  const steps: string[] = []
  await databases.create('common')
  await databases.create('single', { single: true, progress: (step) => steps.push(step) })
  assert.deepEqual(steps, ['ready'], 'nothing is installed')
})
