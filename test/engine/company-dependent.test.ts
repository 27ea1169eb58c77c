// Values by company and in money: written, read, searched, ordered and copied by the company and the currency
// at hand.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ValidationError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())

const notes = (env: Environment, ids: readonly number[] = []) => env.model('trials.note').browse(ids)

test('company-dependent field: each company has its own value, and the others are unset', async () => {
  await db.run(async (env) => {
    const [company] = await env.model('res.company').create([{ name: 'Second' } as never])
    const inCompany = env.withCompany(company?.ids[0] as number)
    const { ids } = await notes(env).create([{ name: 'a', code: 'one', rate: 2.5 }, { name: 'b' }])
    const read = async (e: Environment) =>
      (await notes(e, ids).load(['code', 'rate'])).map((n) => [n.code, n.rate])
    assert.deepEqual(await read(env), [
      ['one', 2.5],
      [null, 0],
    ])
    assert.deepEqual(await read(inCompany), [
      [null, 0],
      [null, 0],
    ])
    await notes(inCompany, ids).write({ code: 'two', rate: 1 })
    assert.deepEqual(await read(env), [
      ['one', 2.5],
      [null, 0],
    ])
    assert.deepEqual(await read(inCompany), [
      ['two', 1],
      ['two', 1],
    ])
    await notes(env, ids).write({ code: false })
    assert.deepEqual(await read(inCompany), [
      ['two', 1],
      ['two', 1],
    ])
    assert.deepEqual(
      (
        await notes(inCompany).search([
          ['code', '=', 'two'],
          ['id', 'in', ids],
        ])
      ).ids,
      ids,
    )
    assert.deepEqual(
      (
        await notes(env).search([
          ['code', '=', 'two'],
          ['id', 'in', ids],
        ])
      ).ids,
      [],
    )
    await notes(inCompany, [ids[0] as number]).write({ rate: 9 })
    assert.deepEqual((await notes(inCompany).search([['id', 'in', ids]], { order: 'rate desc' })).ids, ids)
    assert.deepEqual(
      (await notes(inCompany).search([['id', 'in', ids]], { order: 'rate' })).ids,
      ids.toReversed(),
    )
    const [copy] = await notes(inCompany, [ids[0] as number]).copy()
    assert.deepEqual(await notes(inCompany, copy?.ids ?? []).one(['code', 'name']), {
      id: copy?.ids[0],
      code: null,
      name: 'a',
    })
  })
})

test('company-dependent field: amounts keep the rounding of their currency, explicit, computed, and after a change of currency', async () => {
  await db.run(async (env) => {
    const currencies = await env.model('res.currency').create([
      { name: 'XCT', symbol: 'c', rounding: 0.01 },
      { name: 'XWH', symbol: 'w', rounding: 1 },
      { name: 'XFV', symbol: 'f', rounding: 0.05 },
    ] as never)
    const [cents, whole, fives] = currencies.ids
    const { ids } = await notes(env).create([
      { currency_id: cents as number, amount: 10.005 },
      { currency_id: whole as number, amount: 10.5 },
      { currency_id: fives as number, amount: 10.02 },
      { amount: 1.23456 },
    ])
    const read = async () =>
      (await notes(env, ids).load(['amount', 'double'])).map((n) => [n.amount, n.double])
    assert.deepEqual(await read(), [
      [10.01, 20.02],
      [11, 22],
      [10, 20],
      [1.23456, 2.46912],
    ])
    await notes(env, ids).write({ amount: -2.525 })
    assert.deepEqual(await read(), [
      [-2.53, -5.06],
      [-3, -6],
      [-2.55, -5.1],
      [-2.525, -5.05],
    ])
    await notes(env, ids).write({ currency_id: whole as number })
    assert.deepEqual(
      (await read()).map(([amount]) => amount),
      [-3, -3, -3, -3],
    )
    assert.deepEqual(
      (await read()).map(([, double]) => double),
      [-6, -6, -6, -6],
    )
    await notes(env, ids).write({ currency_id: cents as number, amount: 0.125 })
    assert.deepEqual(
      await read(),
      ids.map(() => [0.13, 0.26]),
    )
  })
})

test('company-dependent field: a computed one has an inverse, a search rule, and explicit values at creation', async () => {
  await db.run(async (env) => {
    const { ids } = await notes(env).create([
      { name: 'cold', fahrenheit: 32 },
      { name: 'warm', celsius: 30 },
    ])
    assert.deepEqual(
      (await notes(env, ids).load(['celsius', 'fahrenheit'])).map((n) => [n.celsius, n.fahrenheit]),
      [
        [0, 32],
        [30, 86],
      ],
    )
    await notes(env, [ids[0] as number]).write({ fahrenheit: 212 })
    assert.equal((await notes(env, [ids[0] as number]).one(['celsius'])).celsius, 100)
    assert.deepEqual(
      (
        await notes(env).search([
          ['fahrenheit', '>', 100],
          ['id', 'in', ids],
        ])
      ).ids,
      [ids[0]],
    )
  })
})

test('company-dependent field: a related one is written through and recomputed, and checks follow relations', async () => {
  await db.run(async (env) => {
    const owner = await env.model('trials.owner').create([{ name: 'Ann' }])
    const { ids } = await notes(env).create([
      { owner_id: owner.ids[0] as number },
      { owner_id: owner.ids[0] as number, owner_name: 'Bob' },
    ])
    const names = async () => (await notes(env, ids).load(['owner_name'])).map((n) => n.owner_name)
    assert.deepEqual(await names(), ['Bob', 'Bob'])
    await notes(env, [ids[0] as number]).write({ owner_name: 'Cid' })
    assert.equal((await owner.one(['name'])).name, 'Cid')
    assert.deepEqual(await names(), ['Cid', 'Cid'])
    await owner.write({ name: 'Dan' })
    assert.deepEqual(await names(), ['Dan', 'Dan'])
    assert.deepEqual(
      (
        await notes(env).search([
          ['owner_name', '=', 'Dan'],
          ['id', 'in', ids],
        ])
      ).ids,
      ids,
    )
  })
  const nobody = (env: Environment) => env.model('trials.owner').create([{ name: 'Nobody' }])
  await assert.rejects(
    db.run(async (env) => notes(env).create([{ amount: 1, owner_id: (await nobody(env)).ids[0] as number }])),
    ValidationError,
  )
  await assert.rejects(
    db.run(async (env) => {
      const [note] = await notes(env).create([{ amount: 1 }])
      await notes(env, note?.ids ?? []).write({ owner_id: (await nobody(env)).ids[0] as number })
    }),
    ValidationError,
  )
})

test('delegation over two levels: made, written, searched and followed as one', async () => {
  await db.run(async (env) => {
    const tops = await env
      .model('trials.top')
      .create([{ title: 'T', level: 2, name: 'deep', size: 5 } as never, { title: 'U' } as never])
    const read = async () =>
      (await tops.read(['title', 'level', 'name', 'size', 'area'])).map(({ id: _, ...row }) => row)
    assert.deepEqual(await read(), [
      { title: 'T', level: 2, name: 'deep', size: 5, area: 10 },
      { title: 'U', level: 0, name: false, size: 3, area: 0 },
    ])
    await tops.write({ level: 4, name: 'both' } as never)
    assert.deepEqual(
      (await read()).map((r) => [r.name, r.area]),
      [
        ['both', 20],
        ['both', 12],
      ],
    )
    const { mid_id } = await tops.browse([tops.ids[0] as number]).one(['mid_id'])
    const mid = env.model('trials.mid').browse([mid_id.id])
    await mid.write({ size: 7 } as never)
    assert.deepEqual(
      (await read()).map((r) => r.area),
      [28, 12],
    )
    assert.deepEqual(
      (
        await env.model('trials.top').search([
          ['name', '=', 'both'],
          ['level', '=', 4],
        ] as never)
      ).ids,
      tops.ids,
    )
    assert.deepEqual(
      (await env.model('trials.top').search([['id', 'in', tops.ids]], { order: 'size desc' })).ids,
      tops.ids,
    )
    const [copy] = await tops.browse([tops.ids[0] as number]).copy({ title: 'V' })
    const [row] = await env
      .model('trials.top')
      .browse(copy?.ids ?? [])
      .read(['title', 'name', 'area', 'mid_id'])
    assert.deepEqual([row?.title, row?.name, row?.area], ['V', 'both', 28])
    assert.notEqual((row as { mid_id: [number] }).mid_id[0], mid_id.id)
    const bases = async (ids: readonly number[]) =>
      (await env.model('trials.top').browse(ids).load(['mid_id.base_id'])).map((t) => t.mid_id.base_id.id)
    assert.notDeepEqual(
      await bases(copy?.ids ?? []),
      await bases([tops.ids[0] as number]),
      'the copy has a base of its own',
    )
    await mid.unlink()
    assert.deepEqual((await tops.exists()).ids, [tops.ids[1]])
  })
})

test('defaults: given before context before kept before declared', async () => {
  await db.run(async (env) => {
    const serial = async (e: Environment, vals: object = {}) =>
      (await (await notes(e).create([vals])).one(['serial'])).serial
    assert.equal(await serial(env), 7)
    assert.equal(await serial(env.withContext({ default_serial: 8, default_nowhere: 1 })), 8)
    assert.equal(await serial(env.withContext({ default_serial: 8 }), { serial: 9 }), 9)
    assert.equal(await serial(env.withContext({ default_serial: 8 }), { serial: false }), 0)
    const mixed = await notes(env.withContext({ default_serial: 8 })).create([{ serial: 1 }, {}])
    assert.deepEqual(
      (await mixed.load(['serial'])).map((n) => n.serial),
      [1, 8],
    )
  })
})

test('company-dependent field: references keep model and id, and reject models that are not allowed', async () => {
  await db.run(async (env) => {
    const owner = await env.model('trials.owner').create([{ name: 'R' }])
    const subject = `trials.owner,${owner.ids[0]}`
    const [note] = await notes(env).create([
      { subject, res_model: 'trials.owner', res_id: owner.ids[0] as number },
    ])
    const [row] = await notes(env, note?.ids ?? []).read(['subject', 'res_id'])
    assert.deepEqual([row?.subject, row?.res_id], [subject, owner.ids[0]])
    await assert.rejects(notes(env).create([{ subject: 'res.users,1' }]))
  })
})

test('company-dependent field: a search uses the index, if the field has one', async () => {
  await db.run(async (env) => {
    const partners = env.model('res.partner')
    const [first, second] = (
      await partners.create([
        { name: 'One', barcode: 'INDEX-1' },
        { name: 'Two', barcode: 'INDEX-2' },
      ] as never)
    ).ids
    const [company] = await env.model('res.company').create([{ name: 'Third' } as never])
    const inCompany = env.withCompany(company?.ids[0] as number)
    const search = async (e: Environment, operator: '=' | 'in' | '!=' | 'not in', value: unknown) =>
      (
        await e.model('res.partner').search(
          [
            ['barcode', operator, value],
            ['id', 'in', [first, second]],
          ],
          { order: 'id' },
        )
      ).ids
    assert.deepEqual(await search(env, '=', 'INDEX-1'), [first])
    assert.deepEqual(await search(env, 'in', ['INDEX-2', 'INDEX-1', 'none']), [first, second])
    assert.deepEqual(await search(env, 'in', ['INDEX-2', false]), [second])
    assert.deepEqual(await search(env, '!=', 'INDEX-1'), [second])
    assert.deepEqual(await search(env, 'not in', ['INDEX-1', 'INDEX-2']), [])
    assert.deepEqual(await search(inCompany, '=', 'INDEX-1'), [])
    assert.deepEqual(await search(inCompany, '=', false), [first, second])
    const [sent] = (await statementsOf(() => partners.search([['barcode', '=', 'INDEX-2']]))).filter((text) =>
      text.includes('barcode'),
    )
    assert.match(sent ?? '', /"barcode" @> /)
    const indexes = await env.query(
      sql`SELECT indexdef FROM pg_indexes WHERE tablename = 'res_partner' AND indexdef LIKE '%(barcode jsonb_path_ops)%'`,
    )
    assert.equal(indexes.length, 1)
  })
})
