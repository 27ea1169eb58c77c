// Wraps around create, write and unlink: the last module's comes first, nested writes pass through them too.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { char, defineModule, extend, implement, model, type Of } from '../../src/models/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'

const thing = model('wrapped.thing', { label: 'Thing', fields: { name: char(), trail: char() } })
const inMiddle = extend('wrapped.thing', { fields: {} })
const atEnd = extend('wrapped.thing', { fields: { extra: char() } })

declare module '#models' {
  interface Models {
    'wrapped.thing': WrappedThing
  }
  interface WrappedThing extends Of<typeof thing>, Of<typeof atEnd> {}
}

const trail: string[] = []
type Wraps = NonNullable<Parameters<typeof implement<'wrapped.thing', Record<never, never>, Record<never, never>>>[1]>['wrapGeneric']
/** Wraps that leave their name on the way in and on the way out, and in the values of new records. */
const wrapsOf = (name: string): Wraps =>
  Object.fromEntries(
    ['create', 'write', 'unlink'].map((method) => [
      method,
      (next) => async (records, params) => {
        trail.push(`${name} ${method}`)
        const list = params.vals_list as Record<string, unknown>[] | undefined
        const passed = list ? { vals_list: list.map((vals) => ({ ...vals, trail: `${vals.trail ?? ''}${name}` })) } : params
        const result = await next(records, passed)
        trail.push(`${method} ${name}`)
        return result
      },
    ]),
  )

const wrapped = (name: string, depends: string[], behaviour: ReturnType<typeof implement>) =>
  defineModule({ name, version: '1.0', summary: name, depends, models: [behaviour] })
const chain = [
  wrapped('wrapped', ['base'], implement(thing, { wrapGeneric: wrapsOf('a') })),
  wrapped('wrapped_b', ['wrapped'], implement(inMiddle, { wrapGeneric: wrapsOf('b') })),
  wrapped('wrapped_c', ['wrapped_b'], implement(atEnd, { wrapGeneric: wrapsOf('c') })),
]

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), ...chain])
})
after(() => db?.close())

test('the chain goes from the last module to the first and back', async () => {
  await db.run(async (env) => {
    const run = async <T>(work: () => Promise<T>): Promise<[T, string[]]> => {
      trail.length = 0
      return [await work(), [...trail]]
    }
    const around = (method: string) => [...['c', 'b', 'a'].map((n) => `${n} ${method}`), ...['a', 'b', 'c'].map((n) => `${method} ${n}`)]
    const [made, created] = await run(() => env.model('wrapped.thing').create([{ name: '1' }, { name: '2' }]))
    assert.deepEqual(created, around('create'))
    assert.deepEqual(
      (await made.load(['trail'])).map((t) => t.trail),
      ['cba', 'cba'],
    )
    assert.deepEqual((await run(() => made.write({ extra: 'x' })))[1], around('write'))
    assert.deepEqual((await run(() => made.copy({ trail: '' })))[1], around('create'))
    assert.deepEqual((await run(() => made.unlink()))[1], around('unlink'))
    assert.equal((await made.exists()).length, 0)
  })
})

test('values that a wrap of write has nothing to do with go past it in one set, others one by one through it', async () => {
  await db.run(async (env) => {
    const times = <T>(make: (n: number) => T) => Array.from({ length: 30 }, (_, n) => make(n))
    const partners = env.model('res.partner')
    const [company] = (
      await partners.create([{ name: 'C', is_company: true, child_ids: times((n) => [0, 0, { name: `k${n}` }]) }] as never)
    ).ids as [number]
    const children = (await partners.search([['parent_id', '=', company]], { order: 'id' })).ids
    const change = (vals: (n: number) => object) =>
      partners.browse([company]).write({ child_ids: children.map((id, n) => [1, id, vals(n)]) } as never)
    const sent = await statementsOf(() => change((n) => ({ phone: `${n}` })))
    assert.ok(sent.length < 15, `${sent.length} statements`)
    const [account] = await env
      .model('res.partner.bank')
      .create([{ acc_number: 'BE1', partner_id: children[3], acc_holder_name: 'k3' }] as never)
    await change((n) => (n % 2 ? { name: `new${n}` } : { email: `${n}@x.example` }))
    const rows = await partners.browse(children).load(['name', 'phone', 'email'])
    assert.deepEqual(
      rows.map((p) => [p.name, p.phone, p.email]),
      times((n) => [n % 2 ? `new${n}` : `k${n}`, `${n}`, n % 2 ? null : `${n}@x.example`]),
    )
    assert.equal(
      (
        await env
          .model('res.partner.bank')
          .browse(account?.ids ?? [])
          .one(['acc_holder_name'])
      ).acc_holder_name,
      'new3',
    )
  })
})
