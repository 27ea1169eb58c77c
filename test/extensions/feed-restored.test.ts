// The change feed after a backup was restored, by the routes of clients: cursors of the earlier
// database are rejected under any database name, and a client that starts anew gets the current
// records.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer, modules, type Server } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const MASTER = 'restored feed'

let data: TestDatabase
let server: Server
let key = ''
before(async () => {
  data = await openTestDatabase(
    modules.filter(({ name }) => name === 'base'),
    { masterPassword: MASTER },
  )
  server = await createServer({ databases: data.databases })
  key = await createKey(data.databases, 'test', 'admin', { scope: null, name: 'restored', days: 1 })
})
after(async () => {
  await server?.close()
  await data?.close()
})

interface Change {
  readonly id: number
  readonly op: string
  readonly values?: { readonly name: string }
}
interface Told {
  readonly status: number
  readonly body: {
    readonly changes: readonly Change[]
    readonly cursor: string
    readonly more: boolean
    readonly context: object
  }
}

async function post(path: string, body: object, database = 'test', accept = '*/*'): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `bearer ${key}`,
      'content-type': 'application/json',
      'x-service-database': database,
      accept,
    },
    body: JSON.stringify(body),
  })
}
const banks = { models: { 'res.bank': { fields: ['name'] } } }
async function feed(question: object, database?: string): Promise<Told> {
  const answer = await post('/x/1/changes', { ...banks, ...question }, database)
  return { status: answer.status, body: (await answer.json()) as Told['body'] }
}
const create = async (name: string, database?: string) => {
  const answer = await post('/json/2/res.bank/create', { vals_list: [{ name }] }, database)
  assert.equal(answer.status, 200)
}
const namesOf = ({ changes }: Told['body']) => changes.map(({ values }) => values?.name)

async function manage(page: string, body: URLSearchParams | FormData): Promise<Response> {
  return fetch(`${server.url}/web/database/${page}`, { method: 'POST', body, redirect: 'manual' })
}
async function restore(backup: Blob, name: string): Promise<void> {
  const form = new FormData()
  for (const [field, value] of Object.entries({ master_pwd: MASTER, name, copy: 'false' }))
    form.append(field, value)
  form.append('backup_file', backup, 'backup.zip')
  const answer = await manage('restore', form)
  assert.equal(answer.status, 303, await answer.text())
}

test('change feed: a restored database has another feed: old cursors get 410, and a new snapshot matches its data', async () => {
  await create('before the backup')
  const early = (await feed({ from: 'now' })).body.cursor
  await create('in the backup')
  const saved = await manage(
    'backup',
    new URLSearchParams({ master_pwd: MASTER, name: 'test', backup_format: 'zip' }),
  )
  assert.equal(saved.status, 200)
  const backup = await saved.blob()
  await create('after the backup')
  const late = (await feed({ cursor: early })).body
  assert.deepEqual(namesOf(late), ['in the backup', 'after the backup'])

  await restore(backup, 'beside')
  for (const cursor of [early, late.cursor]) {
    const { status, body } = await feed({ cursor }, 'beside')
    assert.deepEqual([status, body.context], [410, { reason: 'feed' }])
  }
  // In the one that it was made of the cursor goes on.
  assert.equal((await feed({ cursor: late.cursor })).status, 200)

  const dropped = await manage('drop', new URLSearchParams({ master_pwd: MASTER, name: 'test' }))
  assert.equal(dropped.status, 303)
  await restore(backup, 'test')
  // Numbers of before come again here, for other changes.
  for (const name of ['one', 'two', 'three']) await create(name)
  for (const cursor of [early, late.cursor]) {
    const { status, body } = await feed({ cursor })
    assert.deepEqual([status, body.context], [410, { reason: 'feed' }])
  }
  const stream = await fetch(`${server.url}/x/1/changes?models=res.bank&fields.res.bank=name`, {
    headers: {
      authorization: `bearer ${key}`,
      'x-service-database': 'test',
      accept: 'text/event-stream',
      'last-event-id': late.cursor,
    },
  })
  const [event] = (await stream.text()).split('\n\n').filter((block) => block.startsWith('event:'))
  assert.match(event ?? '', /^event: resync\n/)

  const snapshot = (await feed({})).body
  assert.deepEqual(
    namesOf(snapshot).filter((name) => !name?.startsWith('bank ')),
    ['before the backup', 'in the backup', 'one', 'two', 'three'],
  )
  await create('heard')
  assert.deepEqual(namesOf((await feed({ cursor: snapshot.cursor })).body), ['heard'])
})
