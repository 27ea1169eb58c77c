// Caches of loads, dependencies and stores: two calls of the same shape, between which models, rights,
// company, language or context change. The second must see the change.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { isRetryable } from '../../src/postgres/index.ts'
import { createKey, installModules, uninstallModules } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { readingAs } from '../support/demo-shop.ts'
import { composed } from './composed.ts'
import { assertFresh } from './fresh.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(
    [...modules.filter((module) => module.name === 'base'), works, worksExtra, trials],
    { installed: ['base', 'works', 'trials'] },
  )
})
after(() => db?.close())

/** Work over the models that the database has by then; repeated where PostgreSQL prepared it for others. */
async function run<T>(work: (env: Environment) => Promise<T>): Promise<T> {
  const database = await db.databases.database('test')
  return database.system(work).catch((error: unknown) => {
    if (!isRetryable(error)) throw error
    return database.system(work)
  })
}

/** Records that are made; their ids. */
const some = async (env: Environment, name: string, list: readonly object[]): Promise<readonly number[]> =>
  (await env.model(name as never).create(list as never)).ids

const group = { name: 'Kept', factor: 2, item_ids: [1, 2, 3].map((price) => [0, 0, { price }]) }

test('caches: the second write of a shape composes no statement', async () => {
  const [id] = await run((env) => some(env, 'works.group', [group]))
  const write = (factor: number) => () =>
    run((env) =>
      env
        .model('works.group')
        .browse([id as number])
        .write({ factor }),
    )
  assert.ok((await composed(write(3))) > 0, 'what counts statements counts none')
  await write(4)()
  assert.equal(await composed(write(5)), 0)
})

test('caches: a module that is installed adds dependencies, and removes them when it is uninstalled', async () => {
  const [id] = await run((env) => some(env, 'works.group', [group]))
  const write = (factor: number, vals: object = {}) =>
    run((env) =>
      env
        .model('works.group')
        .browse([id as number])
        .write({ factor, ...vals } as never),
    )
  const netOf = () =>
    run(
      async (env) =>
        (
          await env
            .model('works.group')
            .browse([id as number])
            .one(['net_total'])
        ).net_total,
    )
  await write(3)
  await write(4)
  await installModules(db.databases, 'test', ['works_extra'])
  await write(5)
  assert.equal(await netOf(), 30)
  await write(6, { rebate: 1 })
  assert.equal(await netOf(), 33)
  await run((env) => assertFresh(env, 'with the module'))
  await uninstallModules(db.databases, 'test', ['works_extra'])
  await write(7)
  await assert.rejects(netOf(), /net_total/)
  const { total } = await run((env) =>
    env
      .model('works.group')
      .browse([id as number])
      .one(['total']),
  )
  assert.equal(total, 42)
})

test('caches: a custom model is loaded with its current fields', async () => {
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  const ask = async (model: string, method: string, named: object, ids?: readonly number[]) => {
    const credential = { kind: 'key', key } as const
    const body = () => ({ ids, context: undefined, named: { ...named } })
    const from = { remote: '::1', requestId: 'test' }
    const { json } = await call(db.databases, { database: 'test', credential, model, method, body, ...from })
    return JSON.parse(json)
  }
  const shelf = await ask('ir.model', 'create', { vals_list: [{ name: 'Shelf', model: 'x_shelf' }] })
  await ask('ir.model.access', 'create', {
    vals_list: [{ name: 'Shelves', model_id: shelf[0], perm_read: true, perm_create: true }],
  })
  const addSize = (ttype: string) =>
    ask('ir.model.fields', 'create', {
      vals_list: [{ model_id: shelf[0], name: 'x_size', field_description: 'Size', ttype, state: 'manual' }],
    })
  const size = await addSize('integer')
  // A call finds the models as they are by now, and others then do.
  const [id] = await ask('x_shelf', 'create', { vals_list: [{ x_name: 'One', x_size: 3 }] })
  const shelves = (env: Environment) => env.model('x_shelf' as never).browse([id])
  const load = () => run(async (env) => (await shelves(env).load(['x_name', 'x_size'] as never))[0])
  assert.deepEqual(await load(), { id, x_name: 'One', x_size: 3 })
  assert.deepEqual(await load(), { id, x_name: 'One', x_size: 3 })
  // The same name again, of another kind.
  await ask('ir.model.fields', 'unlink', {}, size)
  await ask('x_shelf', 'search_count', { domain: [] })
  await assert.rejects(load(), /x_size/)
  await addSize('char')
  await ask('x_shelf', 'search_count', { domain: [] })
  assert.deepEqual(await load(), { id, x_name: 'One', x_size: null })
  await run((env) => shelves(env).write({ x_size: 'XL' } as never))
  assert.deepEqual(await load(), { id, x_name: 'One', x_size: 'XL' })
})

test('caches: lists show the records that the current rules and groups allow', async () => {
  const [parent] = await run((env) =>
    some(env, 'res.partner', [
      { name: 'Parent', child_ids: ['Ann', 'Bob'].map((name) => [0, 0, { name, ref: name }]) },
    ]),
  )
  const groupOf = (env: Environment, xmlid: string) => env.ref(xmlid)
  await run(async (env) => {
    const group_ids = [[6, 0, [await groupOf(env, 'base.group_user')]]]
    await some(
      env,
      'res.users',
      ['one', 'two'].map((login) => ({ name: login, login, group_ids })),
    )
  })
  const seenBy = (login: string) =>
    readingAs(db.database, login, {}, async (env) => {
      const read = async (who: Environment) =>
        (
          await who
            .model('res.partner')
            .browse([parent as number])
            .one(['child_ids.ref'])
        ).child_ids.map(({ ref }) => ref)
      return [await read(env), await read(env.sudo())]
    })
  const both = ['Ann', 'Bob']
  for (let n = 0; n < 3; n++) assert.deepEqual(await seenBy('one'), [both, both])
  const model_id = await run(async (env) =>
    (await env.model('ir.model').search([['model', '=', 'res.partner']])).ensureOne(),
  )
  const [rule] = await run(async (env) =>
    some(env, 'ir.rule', [
      {
        name: 'No Bobs',
        model_id,
        domain_force: "[('ref', '!=', 'Bob')]",
        groups: [[6, 0, [await groupOf(env, 'base.group_partner_manager')]]],
      },
    ]),
  )
  for (let n = 0; n < 3; n++) assert.deepEqual(await seenBy('one'), [both, both])
  await run(async (env) => {
    const { ids } = await env.model('res.users').search([['login', '=', 'one']])
    const group_ids = [[4, await groupOf(env, 'base.group_partner_manager')]]
    await env
      .model('res.users')
      .browse(ids)
      .write({ group_ids } as never)
  })
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await seenBy('one'), [['Ann'], both])
    assert.deepEqual(await seenBy('two'), [both, both])
  }
  await run((env) =>
    env
      .model('ir.rule')
      .browse([rule as number])
      .write({ domain_force: "[('ref', '!=', 'Ann')]" }),
  )
  assert.deepEqual(await seenBy('one'), [['Bob'], both])
  await run((env) =>
    env
      .model('ir.rule')
      .browse([rule as number])
      .unlink(),
  )
  assert.deepEqual(await seenBy('one'), [both, both])
})

test("caches: values are those of the caller's language, company and context", async () => {
  const [id] = await run((env) => some(env, 'trials.note', [{ name: 'a', code: 'one', rate: 2 }]))
  const codeIn = (env: Environment) =>
    env
      .model('trials.note')
      .browse([id as number])
      .one(['code', 'rate'])
      .then(({ code, rate }) => [code, rate])
  const [company] = await run((env) => some(env, 'res.company', [{ name: 'Other company' }]))
  for (let n = 0; n < 2; n++)
    await run(async (env) => {
      assert.deepEqual(await codeIn(env), ['one', 2])
      assert.deepEqual(await codeIn(env.withCompany(company as number)), [null, 0])
    })
  await run((env) =>
    env
      .withCompany(company as number)
      .model('trials.note')
      .browse([id as number])
      .write({ code: 'two', rate: 7 }),
  )
  await run(async (env) => {
    assert.deepEqual(await codeIn(env.withCompany(company as number)), ['two', 7])
    assert.deepEqual(await codeIn(env), ['one', 2])
  })
  const [parent] = await run((env) =>
    some(env, 'res.partner', [
      { name: 'P', bank_ids: [true, false].map((active) => [0, 0, { acc_number: `${active}`, active }]) },
    ]),
  )
  const children = (env: Environment) =>
    env
      .model('res.partner')
      .browse([parent as number])
      .one(['bank_ids.acc_number'])
      .then(({ bank_ids }) => bank_ids.map(({ acc_number }) => acc_number))
  for (let n = 0; n < 2; n++)
    await run(async (env) => {
      assert.deepEqual(await children(env.withContext({ active_test: true })), ['true'])
      assert.deepEqual((await children(env.withContext({ active_test: false }))).sort(), ['false', 'true'])
    })
})

test('cached plans: reads of one turn are one statement per user with the same rights', async () => {
  const [company] = await run((env) => some(env, 'res.company', [{ name: 'Third company' }]))
  const [id] = await run((env) => some(env, 'trials.note', [{ name: 'turn', code: 'here', rate: 1 }]))
  for (let n = 0; n < 2; n++)
    await run(async (env) => {
      const inCompany = env.withCompany(company as number)
      const readNote = (who: Environment, ...fields: ('code' | 'rate' | 'name')[]) =>
        who
          .model('trials.note')
          .browse([id as number])
          .one(fields)
      const answers = await Promise.all([
        readNote(env, 'code', 'name'),
        readNote(env, 'name', 'rate'),
        readNote(inCompany, 'rate', 'code'),
        readNote(inCompany, 'name'),
      ])
      assert.deepEqual(answers, [
        { id, code: 'here', name: 'turn' },
        { id, name: 'turn', rate: 1 },
        { id, rate: 0, code: null },
        { id, name: 'turn' },
      ])
    })
})
