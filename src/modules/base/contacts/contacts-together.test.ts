// Contacts that get different values in one write: the outcome is that of one write after the other, and
// statements do not grow with their number.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { base } from '../index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base])
})
after(() => database.close())

type Vals = Record<string, unknown>
const contacts = (env: Environment, ids: readonly number[] = []) => env.model('res.partner').browse(ids)
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))
const make = async (env: Environment, vals: readonly Vals[]): Promise<readonly number[]> =>
  (await contacts(env).create(vals as never)).ids
const each = (env: Environment, ids: readonly number[], vals: (n: number) => Vals) =>
  contacts(env).writeEach(new Map(ids.map((id, n) => [id, vals(n) as never])))
const rowsOf = (count: number, more: string) =>
  times(count, (n) => [`many.p${count}_${n}`, `Nr ${n}${more}`, `Street ${n}${more}`, `City ${n % 3}${more}`])
/** Calls a method of every model, as a client does. */
const invoke = (records: unknown, name: string, params: Vals): Promise<unknown> =>
  (records as { invoke(name: string, params: Vals): Promise<unknown> }).invoke(name, params)
const load = (env: Environment, data: readonly unknown[]) =>
  invoke(contacts(env), 'load', { fields: ['id', 'name', 'street', 'city'], data })

/** Each prepares `count` contacts and gives the work whose statements count. */
const calls: Record<string, (env: Environment, count: number) => Promise<() => Promise<unknown>>> = {
  names: async (env, count) => {
    const ids = await make(
      env,
      times(count, (n) => ({ name: `p${n}` })),
    )
    await env
      .model('res.partner.bank')
      .create(ids.map((partner_id, n) => ({ partner_id, acc_number: `N${count}-${n}` })))
    return () => each(env, ids, (n) => ({ name: `q${n}` }))
  },
  'streets of siblings': async (env, count) => {
    const [company] = (await make(env, [{ name: 'C', is_company: true, street: 'Old' }])) as [number]
    const ids = await make(
      env,
      times(count, (n) => ({ name: `p${n}`, parent_id: company })),
    )
    return () =>
      contacts(env, [company]).write({ child_ids: ids.map((id, n) => [1, id, { street: `s${n}` }] as const) })
  },
  'tax numbers of companies with people': async (env, count) => {
    const ids = await make(
      env,
      times(count, (n) => ({ name: `c${n}`, is_company: true, child_ids: [[0, 0, { name: 'p' }]] })),
    )
    return () => each(env, ids, (n) => ({ vat: `V${n}`, street: `s${n}`, name: `d${n}` }))
  },
  'people linked to as many companies': async (env, count) => {
    const people = await make(
      env,
      times(count, (n) => ({ name: `p${n}`, ...(n % 2 ? { street: `own${n}`, vat: `V${n}` } : {}) })),
    )
    const companies = await make(
      env,
      times(count, (n) => ({ name: `c${n}`, is_company: true, ...(n % 3 ? { street: `s${n}` } : {}) })),
    )
    const vals_list = people.map((id) => ({ child_ids: [[4, id]] }))
    return () => invoke(contacts(env, companies), 'web_save_multi', { vals_list, specification: {} })
  },
  'people made below as many companies': async (env, count) => {
    const companies = await make(
      env,
      times(count, (n) => ({ name: `c${n}`, is_company: true })),
    )
    return () =>
      each(env, companies, (n) => ({ child_ids: [[0, 0, { name: `p${n}`, street: `s${n}`, vat: `V${n}` }]] }))
  },
  'companies and their people': async (env, count) => {
    const companies = await make(
      env,
      times(count / 2, (n) => ({ name: `c${n}`, is_company: true })),
    )
    const people = await make(
      env,
      companies.map((parent_id, n) => ({ name: `p${n}`, parent_id })),
    )
    return () =>
      each(
        env,
        companies.flatMap((id, n) => [id, people[n] as number]),
        (n) => ({ name: `n${n}`, street: `s${n}` }),
      )
  },
  'an import that comes again with other values': async (env, count) => {
    await load(env, rowsOf(count, ''))
    return () => load(env, rowsOf(count, ' b'))
  },
}

test('streets of people under many companies of one holding: a few statements', () =>
  database.run(async (env) => {
    const [holding] = (await make(env, [{ name: 'H', is_company: true }])) as [number]
    const companies = await make(
      env,
      times(30, (n) => ({ name: `c${n}`, is_company: true, parent_id: holding })),
    )
    const people = await make(
      env,
      [...companies, ...companies].map((parent_id, n) => ({
        name: `p${n}`,
        parent_id,
        type: n % 7 ? 'contact' : 'invoice',
      })),
    )
    const start = env.unit.usage.statements
    await each(env, people, (n) => ({ street: `s${n}`, vat: `V${n}`, email: `e${n}@x` }))
    await env.unit.registry.engine.flush(env)
    assert.ok(env.unit.usage.statements - start < 60, `${env.unit.usage.statements - start} statements`)
    const [above] = await contacts(env, [holding]).load(['street'])
    assert.equal(above?.street, `s${people.length - 1}`)
  }))

for (const [name, prepare] of Object.entries(calls)) {
  test(`${name}: as many statements for 300 as for 4`, () =>
    database.run(async (env) => {
      const sent: number[] = []
      for (const count of [4, 300]) {
        const work = await prepare(env, count)
        await env.unit.registry.engine.flush(env)
        const start = env.unit.usage.statements
        await work()
        await env.unit.registry.engine.flush(env)
        sent.push(env.unit.usage.statements - start)
      }
      assert.equal(sent[1], sent[0])
      assert.ok((sent[1] as number) < 60, `${sent[1]} statements`)
    }))
}

test('accounts whose holder is called like its contact follow each contact to its own name', () =>
  database.run(async (env) => {
    const ids = await make(env, [{ name: 'Ada' }, { name: 'Bo' }, { name: 'Cy' }])
    const holders = ['Ada', 'Somebody else', 'Cy']
    const accounts = await env.model('res.partner.bank').create(
      ids.map((partner_id, n) => ({
        partner_id,
        acc_number: `H${n}`,
        acc_holder_name: holders[n] as string,
      })),
    )
    await each(env, ids, (n) => (n < 2 ? { name: `New ${n}` } : { email: 'cy@example.com' }))
    assert.deepEqual(
      (await accounts.load(['acc_holder_name'])).map((account) => account.acc_holder_name),
      ['New 0', 'Somebody else', 'Cy'],
    )
  }))

test('the address of several contacts moved below one company that has none is that of the first', () =>
  database.run(async (env) => {
    const [company, first, second] = (await make(env, [
      { name: 'C', is_company: true },
      { name: '1', street: 'A' },
      { name: '2', street: 'B' },
    ])) as [number, number, number]
    await each(env, [first, second], (n) => ({ parent_id: company, name: `moved ${n}` }))
    assert.deepEqual(
      (await contacts(env, [company, first, second]).load(['street'])).map((p) => p.street),
      ['A', 'A', 'A'],
    )
    await each(env, [first, second], (n) => ({ street: `own ${n}` }))
    assert.deepEqual(
      (await contacts(env, [company, first, second]).load(['street'])).map((p) => p.street),
      ['own 1', 'own 1', 'own 1'],
    )
  }))

/** Numbers from 0 to below `limit`, the same on every run. */
function draws(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const shown = ['name', 'street', 'city', 'vat', 'type', 'active', 'is_company'] as const

test('contacts: one write with different values equals one write after the other, for related contacts too', () =>
  database.run(async (env) => {
    const all = contacts(env).withContext({ active_test: false })
    for (let seed = 1; seed <= 70; seed++) {
      const draw = draws(seed)
      // In the last seeds no contact moves: many of those are computed in memory.
      const still = seed > 45
      const some = (...options: readonly unknown[]): unknown => options[draw(options.length)]
      const size = 4 + draw(still ? 12 : 7)
      const valuesOf = (n: number): Vals => ({
        name: `n${n}`,
        is_company: draw(3) === 0,
        type: some('contact', 'contact', 'contact', 'invoice'),
        street: some(false, 'A', 'B'),
        city: some(false, false, 'X'),
        vat: some(false, false, `V${draw(3)}`),
      })
      const plan = times(size, (n) => ({
        vals: valuesOf(n),
        parent: n && (still || draw(4)) ? draw(n) : null,
      }))
      const values = new Map<number, Vals>()
      for (let left = (still ? 6 : 2) + draw(6); left > 0; left--) {
        const n = draw(size)
        const vals: Vals = {}
        if (draw(2)) vals.street = some(false, `S${left}`, 'A')
        if (draw(4) === 0) vals.city = some(false, `C${left}`)
        if (draw(4) === 0) vals.vat = some(false, `W${left}`)
        if (!still && draw(8) === 0) vals.type = some('contact', 'delivery')
        if (!still && draw(8) === 0) vals.is_company = some(true, false)
        if (!still && draw(10) === 0) vals.active = some(true, false)
        if (draw(5) === 0) vals.name = `m${left}`
        // No contact moves below one of its descendants.
        if (!still && n && draw(3) === 0) vals.parent_id = some(draw(n), null)
        values.set(n, vals)
      }
      const forest = async () => {
        const ids: number[] = []
        for (const { vals, parent } of plan)
          ids.push(...(await make(env, [{ ...vals, parent_id: parent === null ? false : ids[parent] }])))
        return ids
      }
      const [forestA, forestB] = [await forest(), await forest()]
      const flattened = (ids: readonly number[], { parent_id, ...vals }: Vals): Vals =>
        parent_id === undefined
          ? vals
          : { ...vals, parent_id: parent_id === null ? false : ids[parent_id as number] }
      for (const [n, vals] of values)
        await contacts(env, [forestA[n] as number]).write(flattened(forestA, vals) as never)
      await contacts(env).writeEach(
        new Map([...values].map(([n, vals]) => [forestB[n] as number, flattened(forestB, vals) as never])),
      )
      const seen = async (ids: readonly number[]) =>
        (await all.browse(ids).load([...shown, 'parent_id'])).map(({ id, parent_id, ...row }) => ({
          ...row,
          n: ids.indexOf(id),
          parent: parent_id && ids.indexOf(parent_id.id),
        }))
      assert.deepEqual(
        await seen(forestB),
        await seen(forestA),
        `seed ${seed}: ${JSON.stringify({ plan, values: [...values] })}`,
      )
    }
  }))
