// Lookup caches: labels read in a transaction that rolls back are forgotten, and groups follow their
// current external ids.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
const keys = new Map<string, string>()

async function ask<T>(
  login: string,
  model: string,
  method: string,
  body: Readonly<Record<string, unknown>>,
): Promise<T> {
  const { ids, context, ...named } = body
  const credential = { kind: 'key', key: keys.get(login) as string } as const
  const request = { database: 'test', credential, model, method, remote: '::1', requestId: 'test' }
  const { json } = await call(db.databases, { ...request, body: () => ({ ids, context, named }) })
  return JSON.parse(json) as T
}

before(async () => {
  db = await openTestDatabase([base])
  await db.run(async (env) => {
    await (await env.model('res.lang').search([['code', '=', 'fr_FR']])).write({ active: true })
    const group_ids = [[6, 0, [await env.ref('base.group_user')]]]
    await env.model('res.users').create([{ name: 'Mate', login: 'mate', group_ids }] as never)
  })
  for (const login of ['admin', 'mate'])
    keys.set(login, await createKey(db.databases, 'test', login, { scope: null, name: 'test', days: 1 }))
})
after(() => db?.close())

test('lookup caches: a label written in a transaction that rolls back is forgotten', async () => {
  const context = { lang: 'fr_FR' }
  const options = { allfields: ['color'], attributes: ['string'] }
  const domain = [
    ['model', '=', 'res.partner'],
    ['name', '=', 'color'],
  ]
  const [field] = await ask<number[]>('admin', 'ir.model.fields', 'search', { domain })
  await ask('admin', 'ir.model.fields', 'write', {
    ids: [field],
    vals: { field_description: 'Couleur' },
    context,
  })
  // Rights are read anew, and no label is remembered with them yet.
  await ask('admin', 'ir.model.fields', 'search', { domain })
  const { profile, rights } = await db.database.callers.byKey(keys.get('admin') as string)
  const unit = new UnitOfWork(db.database.pool, rights.registry, rights, { readonly: false })
  try {
    const env = environmentOf(unit, profile, context)
    await env
      .model('ir.model.fields')
      .browse([field as number])
      .write({ field_description: 'Jamais' } as never)
    const method = env.def('res.partner').methods.get('fields_get')
    const inside = await method?.run(env.model('res.partner') as never, options)
    assert.deepEqual(inside, { color: { string: 'Jamais' } })
  } finally {
    await unit.rollback()
  }
  assert.deepEqual(await ask('admin', 'res.partner', 'fields_get', { ...options, context }), {
    color: { string: 'Couleur' },
  })
})

test('the external id of a group changes: whose fields are theirs keep them', async () => {
  const [group] = await ask<number[]>('admin', 'res.groups', 'create', { vals_list: [{ name: 'Readers' }] })
  const [user] = await ask<number[]>('admin', 'res.users', 'search', { domain: [['login', '=', 'mate']] })
  await ask('admin', 'res.users', 'write', { ids: [user], vals: { group_ids: [[4, group]] } })
  const [name] = await ask<number[]>('admin', 'ir.model.data', 'create', {
    vals_list: [{ module: 'x_own', name: 'readers', model: 'res.groups', res_id: group }],
  })
  const [model_id] = await ask<number[]>('admin', 'ir.model', 'search', {
    domain: [['model', '=', 'res.partner']],
  })
  const secret = {
    model_id,
    name: 'x_secret',
    ttype: 'char',
    field_description: 'Secret',
    groups: [[6, 0, [group]]],
  }
  await ask('admin', 'ir.model.fields', 'create', { vals_list: [secret] })
  const [partner] = await ask<number[]>('admin', 'res.partner', 'search', {
    domain: [['user_ids', 'in', [user]]],
  })
  const read = () => ask('mate', 'res.partner', 'read', { ids: [partner], fields: ['x_secret'] })
  const seen = [{ id: partner, x_secret: false }]
  assert.deepEqual(await read(), seen)
  await ask('admin', 'ir.model.data', 'write', { ids: [name], vals: { name: 'others' } })
  // Their own row changed: who they are is read anew, the models are not.
  await ask('admin', 'res.partner', 'write', { ids: [partner], vals: { city: 'Namur' } })
  assert.deepEqual(await read(), seen)
  await ask('admin', 'ir.model.data', 'unlink', { ids: [name] })
  await ask('admin', 'res.partner', 'write', { ids: [partner], vals: { city: 'Gent' } })
  assert.deepEqual(await read(), seen)
})
