// Filtering records in hand: what is loaded is not asked for again, what memory cannot decide the database
// does.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { InvalidValue } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { parseDomain } from '../../src/models/domain/index.ts'
import { lower } from '../../src/models/domain/lower.ts'
import type { Environment } from '../../src/models/index.ts'
import { isDecidable } from '../../src/models/read/filter.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { testEnvironment, testModel } from '../support/small-models.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
})
after(() => db?.close())

/** A company with two people, one of them archived. */
async function makeFamily(env: Environment) {
  const partners = env.model('res.partner')
  const [company] = (await partners.create([{ name: 'Filter & Co', is_company: true, color: 3 }])).ids as [
    number,
  ]
  const people = await partners.create([
    { name: 'Ada', parent_id: company, email: 'ada@example.com' },
    { name: 'Old', parent_id: company, active: false },
  ])
  const [ada, old] = people.ids as [number, number]
  return { company, ada, old, all: partners.browse([old, company, ada]) }
}

test('filtered: keeps the order and archived records, and drops deleted ones', async () => {
  await db.run(async (env) => {
    const { company, ada, old, all } = await makeFamily(env)
    const ids = async (domain: unknown[], records = all) => (await records.filtered(domain as never)).ids
    assert.deepEqual(await ids([]), [old, company, ada])
    assert.deepEqual(await ids([['parent_id', '=', company]]), [old, ada])
    assert.deepEqual(await ids([['parent_id', '=', 'Filter & Co']]), [old, ada])
    assert.deepEqual(await ids([['id', 'child_of', company]]), [old, company, ada])
    assert.deepEqual(await ids([['child_ids.name', '=', 'Ada']]), [company])
    assert.deepEqual(
      await ids([
        ['name', '<', 'B'],
        ['email', 'ilike', 'ADA'],
      ]),
      [ada],
    )
    await env.model('res.partner').browse([old]).unlink()
    assert.deepEqual(await ids([]), [company, ada])
    assert.deepEqual(await ids([], env.model('res.partner').browse([])), [])
  })
})

test('filtered: reads nothing twice, and sees written values', async () => {
  await db.run(async (env) => {
    const { company, ada, all } = await makeFamily(env)
    await all.load(['name', 'color', 'parent_id.name'])
    const start = env.unit.usage.statements
    assert.deepEqual((await all.filtered([['color', '=', 3]])).ids, [company])
    assert.deepEqual((await all.filtered(['|', ['name', 'ilike', 'ADA'], ['parent_id', '=', 0]])).ids, [ada])
    assert.equal(env.unit.usage.statements, start)
    await env.model('res.partner').browse([ada]).write({ color: 3 })
    assert.deepEqual((await all.filtered([['color', '=', 3]])).ids, [company, ada])
  })
})

test('filtered: rejects an invalid domain even if no record reaches it', async () => {
  await db.run(async (env) => {
    const { all } = await makeFamily(env)
    for (const domain of [
      [['nope', '=', 1]],
      [
        ['name', '=', 'x'],
        ['color', '=', 'x'],
      ],
      [['bank_ids', '<', 1]],
    ]) {
      await assert.rejects(all.filtered(domain as never), InvalidValue)
    }
  })
})

test('filtered: asks the database for relations, trees, printed numbers and files', () => {
  const person = testModel('person')
  const decidable = (domain: unknown[]) => isDecidable(lower(testEnvironment(), person, parseDomain(domain)))
  assert.equal(
    decidable([
      ['name', '<', 'b'],
      ['tag_ids', 'in', [1]],
      ['id', '!=', 3],
    ]),
    true,
  )
  for (const condition of [
    ['parent_id.color', '=', 1],
    ['tag_ids', '=', 'x'],
    ['tag_ids', 'child_of', [1]],
    ['color', 'like', '1'],
    ['photo', '=', false],
    ['country_code', '=', 'BE'],
  ]) {
    assert.equal(decidable([condition]), false, JSON.stringify(condition))
  }
})
