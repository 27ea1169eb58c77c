// Inverses of records that the unit of work created: no query runs if it created no such links, and
// links made in any way are found.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'
import { assertFresh, some } from './fresh.ts'

let db: TestDatabase
let group: number
let item: number
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, worksExtra])
  await db.run(async (env) => {
    ;[group] = (await some(env, 'works.group', [{ name: 'New targets', factor: 2 }])) as [number]
    ;[item] = (await some(env, 'works.item', [{ group_id: group, price: 3 }])) as [number]
  })
})
after(() => db?.close())

const backwards = (texts: readonly string[]) => texts.filter((text) => text.includes('AS reached('))

/** Makes a tag, links it by `link`, and then changes what follows from it. */
async function linked(how: string, link: (env: Environment, tag: number) => Promise<unknown>): Promise<void> {
  await db.run(async (env) => {
    const [tag] = (await some(env, 'works.tag', [{ name: how }])) as [number]
    await link(env, tag)
    const before = (await env.model('works.item').browse([item]).one(['tag_weight'])).tag_weight
    await env.model('works.tag').browse([tag]).write({ weight: 7 })
    const { tag_weight } = await env.model('works.item').browse([item]).one(['tag_weight'])
    assert.equal(tag_weight, before + 7, how)
  })
}

test('recomputation: a record created in this call without links to it needs no query for dependents', async () => {
  const texts = await statementsOf(() =>
    db.run(async (env) => {
      const [tag] = (await some(env, 'works.tag', [{ name: 'Lonely' }])) as [number]
      await env.model('works.tag').browse([tag]).write({ weight: 5 })
      const [fresh] = (await some(env, 'works.group', [{ name: 'Lonely' }])) as [number]
      await env.model('works.group').browse([fresh]).write({ factor: 9 })
    }),
  )
  assert.deepEqual(backwards(texts), [])
})

test('inverses: records that existed before are queried', async () => {
  const [tag] = await db.run((env) => some(env, 'works.tag', [{ name: 'Old' }]))
  const texts = await statementsOf(() =>
    db.run((env) =>
      env
        .model('works.tag')
        .browse([tag as number])
        .write({ weight: 5 }),
    ),
  )
  assert.equal(backwards(texts).length, 1)
})

test('inverses: a link is found from either side', async () => {
  await linked('from its record', (env, tag) =>
    env
      .model('works.item')
      .browse([item])
      .write({ tag_ids: [[4, tag]] }),
  )
  await linked('from the other side', (env, tag) =>
    env
      .model('works.tag')
      .browse([tag])
      .write({ item_ids: [[4, item]] }),
  )
  await db.run((env) => assertFresh(env, 'links'))
})

test('inverses: a link of a new record, and a many2one written to it, are found', async () => {
  await db.run(async (env) => {
    const [tag] = (await some(env, 'works.tag', [{ name: 'Brings', item_ids: [[4, item]] }])) as [number]
    const before = (await env.model('works.item').browse([item]).one(['tag_weight'])).tag_weight
    await env.model('works.tag').browse([tag]).write({ weight: 11 })
    const { tag_weight } = await env.model('works.item').browse([item]).one(['tag_weight'])
    assert.equal(tag_weight, before + 11)
    const [fresh] = (await some(env, 'works.group', [{ name: 'Fresh', factor: 2 }])) as [number]
    await env.model('works.item').browse([item]).write({ group_id: fresh })
    await env.model('works.group').browse([fresh]).write({ factor: 5 })
    await assertFresh(env, 'a many2one to a new record')
  })
})

test('inverses: a link that a module wrote by SQL is found', () =>
  linked('by SQL', (env, tag) =>
    env.execute(sql`INSERT INTO works_item_tag (item_id, tag_id) VALUES (${item}, ${tag})`),
  ))
