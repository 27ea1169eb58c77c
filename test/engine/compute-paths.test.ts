// Paths of dependencies: through whatever they lead, exactly the records that follow are computed anew, and
// no others.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { paths, work } from '../fixtures/modules/paths/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), paths])
})
after(() => db?.close())

interface Planted {
  readonly holders: readonly number[]
  readonly bases: readonly number[]
  readonly lines: readonly number[]
  readonly seers: readonly number[]
}
let planted: Planted
let round = 0

beforeEach(async () => {
  round++
  planted = await db.run(async (env) => {
    const names = [0, 1, 2].map((n) => ({ name: `h${n}` }))
    const holders = await env.model('paths.holder').create(names as never)
    const bases = (await holders.load(['base_id'])).map((h) => h.base_id?.id as number)
    const lines = await env
      .model('paths.line')
      .create(bases.map((base_id, n) => ({ base_id, weight: n + 1, team: `t${round}.${n}` })))
    const seers = await env.model('paths.seer').create(
      holders.ids.map((holder_id, n) => ({
        holder_id,
        team: `t${round}.${n}`,
        favourite_id: bases[n] as number,
      })),
    )
    return { holders: holders.ids, bases, lines: lines.ids, seers: seers.ids }
  })
  work.length = 0
})

/** Runs a change to its end; gives what was computed for it. */
async function computedBy(change: (env: Environment, at: Planted) => Promise<unknown>): Promise<string[]> {
  await db.run((env) => change(env, planted))
  return [...new Set(work)].sort()
}

test('lines that a delegate shows: their values, and which they are', async () => {
  const { holders, bases, lines } = planted
  const [first, second] = holders
  assert.deepEqual(
    await computedBy((env) =>
      env
        .model('paths.line')
        .browse([lines[0] as number])
        .write({ weight: 10 }),
    ),
    [`mates/${planted.seers[0]}`, `weight/${first}`],
  )
  work.length = 0
  assert.deepEqual(
    await computedBy((env) =>
      env
        .model('paths.line')
        .browse([lines[0] as number])
        .write({ base_id: bases[1] as number }),
    ),
    [`twice/${first}`, `twice/${second}`, `weight/${first}`, `weight/${second}`].sort(),
  )
  const read = await db.run((env) => env.model('paths.holder').browse(holders).load(['weight', 'twice']))
  assert.deepEqual(
    read.map((h) => [h.weight, h.twice]),
    [
      [0, 0],
      [12, 4],
      [3, 2],
    ],
  )
  work.length = 0
  assert.deepEqual(
    await computedBy((env) =>
      env
        .model('paths.line')
        .browse([lines[2] as number])
        .unlink(),
    ),
    [`mates/${planted.seers[2]}`, `twice/${holders[2]}`, `weight/${holders[2]}`],
  )
})

test('related fields: the name of a related many2one', async () => {
  const { bases, seers, holders } = planted
  assert.deepEqual(
    await computedBy((env) =>
      env
        .model('paths.base')
        .browse([bases[1] as number])
        .write({ name: 'new' }),
    ),
    [`favourite/${seers[1]}`, `seen_name/${seers[1]}`],
  )
  work.length = 0
  assert.deepEqual(
    await computedBy((env) =>
      env
        .model('paths.holder')
        .browse([holders[2] as number])
        .write({ base_id: bases[0] as number }),
    ),
    [`seen_name/${seers[2]}`, `twice/${holders[2]}`, `weight/${holders[2]}`],
  )
  const read = await db.run((env) => env.model('paths.seer').browse(seers).load(['seen_name', 'favourite']))
  assert.deepEqual(
    read.map((s) => [s.seen_name, s.favourite]),
    [
      ['h0', 'h0'],
      ['new', 'new'],
      ['h0', 'h2'],
    ],
  )
})

test('compute: child records known only to code are found by their search rule', async () => {
  const { lines, seers } = planted
  await computedBy((env) =>
    env
      .model('paths.line')
      .browse([lines[1] as number])
      .write({ weight: 7 }),
  )
  assert.deepEqual(
    work.filter((entry) => entry.startsWith('mates')),
    [`mates/${seers[1]}`],
  )
  const read = await db.run((env) => env.model('paths.seer').browse(seers).load(['mates']))
  assert.deepEqual(
    read.map((s) => s.mates),
    [1, 7, 3],
  )
})

test('notes by model and id: those of another model with the same id count nothing', async () => {
  const { bases } = planted
  const [first, two] = bases as [number, number]
  const [note] = await db.run(
    async (env) =>
      (await env
        .model('paths.base')
        .browse([first])
        .write({ note_ids: [[0, 0, { size: 4 }]] })) ??
      (await env.model('paths.note').search([['res_id', '=', first]])).ids,
  )
  const total = async (id: number) =>
    (await db.run((env) => env.model('paths.base').browse([id]).one(['notes']))).notes
  assert.equal(await total(first), 4)
  work.length = 0
  assert.deepEqual(
    await computedBy((env) =>
      env.model('paths.note').create([{ res_model: 'paths.line', res_id: first, size: 9 }]),
    ),
    [],
  )
  const notes = (env: Environment) => env.model('paths.note').browse([note as number])
  assert.deepEqual(await computedBy((env) => notes(env).write({ res_id: two })), [
    `notes/${first}`,
    `notes/${two}`,
  ])
  assert.deepEqual([await total(first), await total(two)], [0, 4])
  await computedBy((env) => notes(env).write({ res_model: 'paths.line' }))
  assert.equal(await total(two), 0)
  await computedBy((env) =>
    env
      .model('paths.base')
      .browse([two])
      .write({ note_ids: [[4, note as number]] }),
  )
  assert.equal(await total(two), 4)
  await computedBy((env) => notes(env).unlink())
  assert.equal(await total(two), 0)
})
