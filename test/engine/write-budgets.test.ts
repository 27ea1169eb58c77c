// Limits of one call for created and written records: counted where records are created, on any path;
// the server's own work is not counted.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import fc from 'fast-check'
import { PayloadTooLarge } from '../../src/errors.ts'
import { type LimitName, setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { unrestricted } from '../../src/models/rights/tables.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())
afterEach(() => setLimits())

/** Work in a call that does not stay. */
async function inCall<T>(work: (env: Environment) => Promise<T>, bounded = true): Promise<T> {
  const unit = new UnitOfWork(db.database.pool, db.database.registry, unrestricted, {
    readonly: false,
    bounded,
  })
  try {
    return await work(environmentOf(unit, SYSTEM, {}, true))
  } finally {
    await unit.rollback()
  }
}

/** That work needs exactly so much of a limit: it goes through with it, and with one less it is refused. */
async function assertNeeds(
  name: LimitName,
  amount: number,
  work: (env: Environment) => Promise<unknown>,
): Promise<void> {
  setLimits({ [name]: amount })
  await inCall(work)
  setLimits({ [name]: amount - 1 })
  await assert.rejects(
    inCall(work),
    (error) => error instanceof PayloadTooLarge && error.message.includes(`"${name}"`),
  )
  // The server's own work has no limits.
  await inCall(work, false)
}

type Tree = { name: string; lines: number[]; marks: number }
const tree: fc.Arbitrary<Tree> = fc.record({
  name: fc.constantFrom('a', 'b'),
  lines: fc.array(fc.nat(3), { maxLength: 4 }),
  marks: fc.nat(3),
})

const valuesOf = ({ name, lines, marks }: Tree, n: number) => ({
  name,
  line_ids: lines.map((subs) => [
    0,
    0,
    { name, sub_ids: Array.from({ length: subs }, () => [0, 0, { value: 1 }]) },
  ]),
  mark_ids: Array.from({ length: marks }, () => [0, 0, { name: `${name}${n}` }]),
})
const recordsIn = ({ lines, marks }: Tree) => 1 + marks + lines.reduce((sum, subs) => sum + 1 + subs, 0)

test('write limits: count every record that a call creates, at any depth', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (trees) => {
      const records = trees.reduce((sum, tree) => sum + recordsIn(tree), 0)
      await assertNeeds('records', records, (env) =>
        env.model('trials.owner').create(trees.map(valuesOf) as never),
      )
    }),
    { numRuns: 15 },
  )
})

test('write limits: count links for every owner, before they are applied', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(4, 6),
      async (owners, lines, code) => {
        await assertNeeds('links', owners * lines, async (env) => {
          const ownerRecords = await env
            .model('trials.owner')
            .create(Array.from({ length: owners }, () => ({ name: 'o' })) as never)
          const marks = (
            await env
              .model('trials.mark' as never)
              .create(Array.from({ length: lines }, () => ({ name: 'm' })) as never)
          ).ids
          await ownerRecords.write({
            mark_ids: code === 6 ? [[6, 0, marks]] : marks.map((mark) => [4, mark]),
          } as never)
        })
      },
    ),
    { numRuns: 10 },
  )
})

test('write limits: count texts for every record that gets them: explicit, by default, written to many', async () => {
  const text = 'x'.repeat(1000)
  await assertNeeds('written', 3000, (env) =>
    env.model('trials.note').create([{ name: text }, { name: text }, { name: text }]),
  )
  await assertNeeds('written', 3000, (env) =>
    env
      .withContext({ default_name: text })
      .model('trials.note')
      .create([{}, {}, {}] as never),
  )
  await assertNeeds('written', 3003, async (env) => {
    const notes = await env.model('trials.note').create([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    await notes.write({ name: text })
  })
  await assertNeeds('searched', 2002, (env) =>
    env.model('res.partner').create([
      { name: 'a', ref: text, street: text },
      { name: 'b', ref: text },
    ]),
  )
  setLimits({ line: 999 })
  await assert.rejects(
    inCall((env) => env.model('trials.note').create([{ name: text }])),
    PayloadTooLarge,
  )
})

test('write limits: rolled back and repeated work counts once', async () => {
  setLimits({ records: 2 })
  await inCall(async (env) => {
    const make = () => env.model('trials.note').create([{ name: 'a' }, { name: 'b' }])
    const undone = env.unit.savepoint(async () => {
      await make()
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    await make()
    await assert.rejects(make(), PayloadTooLarge)
  })
})

test('write limits: many records are created and changed in portions, in order, with other calls in between', async () => {
  await inCall(async (env) => {
    let turns = 0
    let counting = true
    const count = () => {
      turns++
      if (counting) setImmediate(count).unref()
    }
    setImmediate(count).unref()
    const names = Array.from({ length: 3500 }, (_, i) => `n${i}`)
    const notes = await env.model('trials.note').create(names.map((name) => ({ name })))
    assert.ok(turns >= 3, `${turns} turns`)
    assert.deepEqual(
      (await notes.load(['name'])).map((note) => note.name),
      names,
    )
    turns = 0
    await notes.writeEach(new Map(notes.ids.map((id, i) => [id, { name: `m${i}` }])))
    assert.ok(turns >= 3, `${turns} turns`)
    counting = false
    assert.deepEqual(
      (await notes.load(['name'])).map((note) => note.name),
      names.map((name) => name.replace('n', 'm')),
    )
  })
})

test('write limits: long texts are sent in statements of bounded size', async () => {
  await inCall(async (env) => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((sign) => sign.repeat(1_000_000))
    const notes = await env.model('trials.note').create(texts.map((name) => ({ name })))
    const before = env.unit.usage.statements
    await notes.writeEach(new Map(notes.ids.map((id, i) => [id, { name: texts[5 - i] as string }])))
    assert.ok(env.unit.usage.statements - before >= 2)
    assert.deepEqual(
      (await notes.load(['name'])).map((note) => note.name),
      texts.reverse(),
    )
  })
})
