// Wraps around create, write and unlink: the last module's comes first, nested writes pass through them too.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { alike, char, defineModule, extend, implement, model, type Of } from '../../src/models/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const thing = model('wrapped.thing', { label: 'Thing', fields: { name: char(), trail: char() } })
const inMiddle = extend('wrapped.thing', { fields: {} })
const atEnd = extend('wrapped.thing', { fields: { extra: char() } })

declare module '#models' {
  interface Models {
    'wrapped.thing': WrappedThing
    'wrapped.simple': WrappedSimple
  }
  interface WrappedSimple extends Of<typeof simple> {}
  interface WrappedThing extends Of<typeof thing>, Of<typeof atEnd> {}
}

const trail: string[] = []
type Body = NonNullable<
  Parameters<typeof implement<'wrapped.thing', Record<never, never>, Record<never, never>>>[1]
>
/** Wraps that leave their name on the way in and on the way out, and in the values of new records. */
const wrapsOf = (name: string): Pick<Body, 'wrapGeneric' | 'wrapWrite'> => ({
  wrapWrite: (next) => async (records, changes) => {
    trail.push(`${name} write`)
    await next(records, changes)
    trail.push(`write ${name}`)
  },
  wrapGeneric: Object.fromEntries(
    ['create', 'unlink'].map((method): [string, NonNullable<Body['wrapGeneric']>[string]] => [
      method,
      (next) => async (records, params) => {
        trail.push(`${name} ${method}`)
        const list = params.vals_list as Record<string, unknown>[] | undefined
        const passed = list
          ? { vals_list: list.map((vals) => ({ ...vals, trail: `${vals.trail ?? ''}${name}` })) }
          : params
        const result = await next(records, passed)
        trail.push(`${method} ${name}`)
        return result
      },
    ]),
  ),
})

const wrapped = (name: string, depends: string[], behaviour: ReturnType<typeof implement>) =>
  defineModule({ name, version: '1.0', summary: name, depends, models: [behaviour] })
const chain = [
  wrapped('wrapped', ['base'], implement(thing, wrapsOf('a'))),
  wrapped('wrapped_b', ['wrapped'], implement(inMiddle, wrapsOf('b'))),
  wrapped('wrapped_c', ['wrapped_b'], implement(atEnd, wrapsOf('c'))),
]

/** Calls that a wrap with equal values received: names, each with the number of its records. */
const seen: [unknown, number][] = []
const simple = model('wrapped.simple', { label: 'Simple', fields: { name: char(), other: char() } })

const named = alike<'wrapped.simple'>(
  (next) => async (records, params) => {
    seen.push([(params.vals as { name: unknown }).name, records.length])
    return next(records, params)
  },
  (vals) => 'name' in vals,
)
const sets: [readonly number[], object][] = []
const gathered = extend('wrapped.simple', { fields: {} })
const gatherers = [
  wrapped('simple', ['base'], implement(simple, { wrapWrite: named })),
  wrapped(
    'simple_b',
    ['simple'],
    implement(gathered, {
      wrapWrite: (next) => (records, changes) => {
        for (const { ids, vals } of changes) sets.push([ids, vals])
        assert.deepEqual(
          records.ids,
          changes.flatMap(({ ids }) => ids),
        )
        // Records that a wrap leaves out of the changes are not written.
        return next(
          records,
          changes.filter(({ vals }) => vals.other !== 'never'),
        )
      },
    }),
  ),
]

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), ...chain, ...gatherers])
})
after(() => db?.close())

test('wraps: run from the last module to the first and back', async () => {
  await db.run(async (env) => {
    const run = async <T>(work: () => Promise<T>): Promise<[T, string[]]> => {
      trail.length = 0
      return [await work(), [...trail]]
    }
    const around = (method: string) => [
      ...['c', 'b', 'a'].map((n) => `${n} ${method}`),
      ...['a', 'b', 'c'].map((n) => `${method} ${n}`),
    ]
    const [records, created] = await run(() =>
      env.model('wrapped.thing').create([{ name: '1' }, { name: '2' }]),
    )
    assert.deepEqual(created, around('create'))
    assert.deepEqual(
      (await records.load(['trail'])).map((t) => t.trail),
      ['cba', 'cba'],
    )
    assert.deepEqual((await run(() => records.write({ extra: 'x' })))[1], around('write'))
    assert.deepEqual((await run(() => records.copy({ trail: '' })))[1], around('create'))
    assert.deepEqual((await run(() => records.unlink()))[1], around('unlink'))
    assert.equal((await records.exists()).length, 0)
  })
})

test('wraps: one sees all changes of a write at once; one for equal values sees a set at a time, of its fields only', async () => {
  await db.run(async (env) => {
    const ids = (await env.model('wrapped.simple').create(Array.from({ length: 6 }, () => ({ name: '0' }))))
      .ids
    const values = [
      { name: 'x' },
      { other: 'o1' },
      { name: 'y' },
      { name: 'x' },
      { other: 'o2' },
      { other: 'never' },
    ]
    await env.model('wrapped.simple').writeEach(new Map(ids.map((id, i) => [id, values[i] as object])))
    assert.deepEqual(
      sets,
      ids.map((id, i) => [[id], values[i]]),
    )
    assert.deepEqual(seen, [
      ['x', 2],
      ['y', 1],
    ])
    const rows = await env.model('wrapped.simple').browse(ids).load(['name', 'other'])
    assert.deepEqual(
      rows.map(({ name, other }) => [name, other]),
      [
        ['x', null],
        ['0', 'o1'],
        ['y', null],
        ['x', null],
        ['0', 'o2'],
        ['0', null],
      ],
    )
  })
})
