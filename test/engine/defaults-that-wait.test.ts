// Defaults that wait for something: each record asks for them once, however its form is known, and nobody is
// left to wait when the call is over.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { char, defineModule, implement, model, type Of } from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const visit = model('test.visit', {
  label: 'Visit',
  fields: { name: char({ required: true }), guide: char({}), place: char({}) },
})
declare module '../../src/models/index.ts' {
  interface Models {
    'test.visit': Visit
  }
  interface Visit extends Of<typeof visit> {}
}

/** How often a default was asked for, by field, and how often it was there. */
const asked = { guide: 0, place: 0 }
const there = { guide: 0, place: 0 }

const visits = implement(visit, {
  defaults: {
    guide: async (env) => {
      asked.guide++
      const [row] = await env.query(sql`SELECT 'Ann'::text`)
      there.guide++
      return row?.[0] as string
    },
    // It gives a promise, and is no async function.
    place: (env) => {
      asked.place++
      return env.query(sql`SELECT 'Namur'::text`).then(([row]) => {
        there.place++
        return row?.[0] as string
      })
    },
  },
})
const module = defineModule({
  name: 'visits',
  version: '1',
  summary: 'Visits',
  depends: ['base'],
  models: [visits],
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base, module])
})
after(() => db?.close())

const make = (vals: object) =>
  db.run(async (env) => {
    const [made] = await (await env.model('test.visit').create([vals as never])).read(['guide', 'place'])
    return [made?.guide, made?.place]
  })

test('defaults that wait are asked for once a record, and there when it is made', async () => {
  for (let n = 1; n <= 4; n++) {
    assert.deepEqual(await make({ name: `Visit ${n}` }), ['Ann', 'Namur'])
    assert.deepEqual(
      [asked, there],
      [
        { guide: n, place: n },
        { guide: n, place: n },
      ],
    )
  }
})

test('where they are given, nobody asks', async () => {
  const before = { ...asked }
  for (let n = 1; n <= 3; n++)
    assert.deepEqual(await make({ name: 'A', guide: 'Bob', place: 'Liège' }), ['Bob', 'Liège'])
  assert.deepEqual(asked, before)
})
