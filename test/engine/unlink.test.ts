// Removing: what goes along, what is cleared, what forbids it, and that stored values elsewhere follow all of
// it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())

async function make(env: Environment) {
  const [mark] = await env.model('trials.mark').create([{ name: 'M' }])
  const [keeper] = await env.model('trials.keeper').create([{ name: 'K' }])
  const keeper_id = keeper?.ids[0] as number
  const mark_id = mark?.ids[0] as number
  const sub_ids = [[0, 0, { keeper_id, value: 5 }]]
  const [owner] = await env.model('trials.owner').create([
    {
      name: 'O',
      mark_ids: [[4, mark_id]],
      line_ids: [
        [0, 0, { name: 'first', mark_id, sub_ids }],
        [0, 0, { name: 'second', sub_ids }],
      ],
      note_ids: [[0, 0, { name: 'kept' }]],
    },
  ])
  const browse = {
    owner: env.model('trials.owner').browse(owner?.ids ?? []),
    keeper: env.model('trials.keeper').browse([keeper_id]),
    mark: env.model('trials.mark').browse([mark_id]),
  }
  return browse
}

test('unlink: deletions by the database two relations away update dependents', async () => {
  await db.run(async (env) => {
    const { owner, keeper } = await make(env)
    assert.equal((await keeper.one(['total'])).total, 10)
    const { note_ids } = await owner.one(['note_ids'])
    await owner.unlink()
    assert.equal((await keeper.one(['total'])).total, 0)
    assert.deepEqual((await keeper.one(['sub_ids'])).sub_ids, [])
    const note = env.model('trials.note').browse(note_ids.map((n) => n.id))
    assert.equal((await note.one(['owner_id'])).owner_id, null)
    assert.equal((await note.one(['owner_name'])).owner_name, null)
  })
})

test('unlink: cleared many2ones and links update dependents, without a field on the other side', async () => {
  const { owner, lines } = await db.run(async (env) => {
    const { owner, mark } = await make(env)
    assert.equal((await owner.one(['marks'])).marks, 1)
    const { line_ids } = await owner.one(['line_ids.has_mark'])
    assert.deepEqual(
      line_ids.map((l) => l.has_mark),
      [true, false],
    )
    await mark.unlink()
    return { owner: owner.ids, lines: line_ids.map((l) => l.id) }
  })
  await db.run(async (env) => {
    assert.equal((await env.model('trials.owner').browse(owner).one(['marks'])).marks, 0)
    assert.deepEqual(
      (await env.model('trials.line').browse(lines).load(['has_mark'])).map((l) => l.has_mark),
      [false, false],
    )
  })
})

test('unlink: keeps pending values of other models', async () => {
  await db.run(async (env) => {
    // Ids of several models overlap: what waits for one must not go with another.
    const keepers = await env
      .model('trials.keeper')
      .create(Array.from({ length: 20 }, () => ({ name: 'many' })))
    const owner = await env.model('trials.owner').create([{ name: 'lines' }])
    const lines = await env.model('trials.line').create(
      keepers.ids.map((keeper_id) => ({
        owner_id: owner.ids[0] as number,
        sub_ids: [[0, 0, { keeper_id, value: 1 }]],
      })),
    )
    await env
      .model('trials.sub')
      .search([['line_id', 'in', lines.ids]])
      .then((subs) => subs.write({ value: 3 }))
    const marks = await env.model('trials.mark').create(Array.from({ length: 60 }, () => ({ name: 'gone' })))
    await marks.unlink()
    const totals = (await keepers.load(['total'])).map((k) => k.total)
    assert.deepEqual(
      totals,
      keepers.ids.map(() => 3),
    )
  })
})

test('unlink: a restricting reference rejects it, and nothing changes', async () => {
  const ids = await db.run(async (env) => {
    const { owner, keeper } = await make(env)
    await env.model('trials.pin').create([{ name: 'P', owner_id: owner.ids[0] as number }])
    return { owner: owner.ids, keeper: keeper.ids }
  })
  await assert.rejects(db.run((env) => env.model('trials.owner').browse(ids.owner).unlink()))
  await db.run(async (env) => {
    assert.equal((await env.model('trials.owner').browse(ids.owner).exists()).length, 1)
    assert.equal((await env.model('trials.keeper').browse(ids.keeper).one(['total'])).total, 10)
  })
})
