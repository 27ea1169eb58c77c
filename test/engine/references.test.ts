// References by model and id in specifications: read through, hidden, gone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())

type Row = Record<string, unknown>
const webRead = async (env: Environment, ids: readonly number[], specification: object): Promise<Row[]> =>
  (await env.model('trials.note').browse(ids).invoke('web_read', { specification })) as Row[]

test('references: several models are read by specification; a deleted record is false', async () => {
  await db.run(async (env) => {
    const [owner, gone] = (await env.model('trials.owner').create([{ name: 'Olga' }, { name: 'Gone' }]))
      .ids as [number, number]
    const notes = env.model('trials.note')
    const [target] = (await notes.create([{ name: 'target' }])).ids as [number]
    const { ids } = await notes.create([
      { subject: `trials.owner,${owner}`, res_model: 'trials.owner', res_id: owner },
      { subject: `trials.note,${target}`, res_model: 'trials.note', res_id: target },
      { subject: `trials.owner,${gone}`, res_model: 'trials.owner', res_id: gone },
      {},
      { res_model: 'no.model', res_id: 3 },
    ] as never)
    await env.model('trials.owner').browse([gone]).unlink()
    assert.deepEqual(await webRead(env, ids.slice(0, 1), { subject: {}, res_id: {} }), [
      { id: ids[0], subject: `trials.owner,${owner}`, res_id: owner },
    ])
    const rows = await webRead(env, ids, {
      subject: { fields: { name: {} } },
      res_id: { fields: { display_name: {} } },
      res_model: {},
    })
    assert.deepEqual(
      rows.map((row) => [row.subject, row.res_id, row.res_model]),
      [
        [
          { id: { id: owner, model: 'trials.owner' }, name: 'Olga' },
          { id: owner, display_name: 'Olga' },
          'trials.owner',
        ],
        [
          { id: { id: target, model: 'trials.note' }, name: 'target' },
          { id: target, display_name: 'target' },
          'trials.note',
        ],
        [false, false, false],
        [false, 0, false],
        [false, false, false],
      ],
    )
    assert.deepEqual(
      await webRead(env, ids.slice(1, 2), { res_id: { fields: { res_id: { fields: {} }, name: {} } } }),
      [{ id: ids[1], res_id: { id: target, res_id: 0, name: 'target' } }],
    )
  })
})

test('references: a record that the user may not read is an error, and reveals nothing else', async () => {
  const ids = await db.run(async (env) => {
    await env.model('res.users').create([{ name: 'Una', login: 'una', password: 'una-una-una' }] as never)
    const [model] = (await env.model('ir.model').search([['model', '=', 'trials.note']])).ids
    await env
      .model('ir.model.access')
      .create([
        { name: 'notes', model_id: model, group_id: await env.ref('base.group_user'), perm_read: true },
      ] as never)
    const [owner] = (await env.model('trials.owner').create([{ name: 'Secret' }])).ids as [number]
    const [note] = (await env.model('trials.note').create([{ name: 'Open' }])).ids as [number]
    const notes = await env.model('trials.note').create([
      { subject: `trials.owner,${owner}`, res_model: 'trials.owner', res_id: owner },
      { subject: `trials.note,${note}`, res_model: 'trials.note', res_id: note },
    ] as never)
    return { owner, note, read: notes.ids }
  })
  const key = await createKey(db.databases, 'test', 'una', { scope: 'rpc', name: 'una', days: 1 })
  const specification = { subject: { fields: { name: {} } }, res_id: { fields: { name: {} } } }
  const answer = await call(db.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model: 'trials.note',
    method: 'web_read',
    remote: '127.0.0.1',
    requestId: 'una',
    body: () => ({ ids: ids.read, named: { specification } }),
  })
  const [hidden, open] = JSON.parse(answer.json) as Record<string, Record<string, unknown>>[]
  assert.deepEqual(Object.keys(hidden?.res_id ?? {}), ['id', 'display_name'])
  assert.deepEqual(hidden?.subject?.id, { id: ids.owner, model: 'trials.owner' })
  assert.ok(!answer.json.includes('Secret'), answer.json)
  assert.deepEqual(open, {
    id: ids.read[1],
    subject: { id: { id: ids.note, model: 'trials.note' }, name: 'Open' },
    res_id: { id: ids.note, name: 'Open' },
  })
})
