// Users and keys as an administrator at the machine manages them: who lost a password comes in again, who is
// shut out stays out.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { InvalidApiKey, UserError } from '../errors.ts'
import { base } from '../modules/base/index.ts'
import { sql } from '../sql/index.ts'
import { createKey } from './admin.ts'
import { listKeys, revokeKeys } from './keys.ts'
import { createUser, listUsers, resetSecondFactor, setActive, setPassword } from './people.ts'
import { session } from './session.ts'

let shop: TestDatabase
before(async () => {
  shop = await openTestDatabase([base])
})
after(() => shop.close())

const ann = { login: 'ann', name: 'Ann', password: 'a long one', roles: ['user'] } as const
const entries = async (login: string) =>
  (
    await shop.run((env) =>
      env.query(sql`SELECT event, detail->>'by' FROM comptoir_audit WHERE name = ${login} ORDER BY id`),
    )
  ).map(([event, by]) => `${event} ${by}`)

test('a user is made, listed, and comes in; what the model refuses is refused', async () => {
  const id = await createUser(shop.databases, 'test', ann)
  const users = await listUsers(shop.databases, 'test', false)
  assert.deepEqual(
    users.map(({ login, role }) => `${login} ${role}`),
    ['admin administrator', 'ann user'],
  )
  assert.deepEqual(users[1], {
    ...users[1],
    id,
    name: 'Ann',
    active: true,
    password: true,
    keys: 0,
    last_login: null,
  })
  assert.equal(users[1]?.companies.length, 1)
  assert.equal(await shop.database.callers.login('ann', 'a long one'), id)
  await assert.rejects(createUser(shop.databases, 'test', ann), /already/)
  await assert.rejects(createUser(shop.databases, 'test', { ...ann, login: ' ' }), UserError)
  await assert.rejects(
    createUser(shop.databases, 'test', { ...ann, login: 'bob', password: 'short' }),
    /at least 8/,
  )
  await assert.rejects(
    createUser(shop.databases, 'test', { ...ann, login: 'till', roles: ['user', 'cashier'] }),
    /cashier requires the module point_of_sale.*comptoir module install --database test point_of_sale/,
  )
  await createUser(shop.databases, 'test', { ...ann, login: 'paul', roles: ['portal'] })
  assert.ok(
    (await listUsers(shop.databases, 'test', true)).some(
      ({ login, role }) => login === 'paul' && role === 'portal',
    ),
  )
})

test('a lost password is replaced, what was guessed is forgotten, keys stay unless they are to go', async () => {
  const key = await createKey(shop.databases, 'test', 'ann', { scope: 'rpc', name: 'till', days: 1 })
  const id = await shop.database.callers.login('ann', 'a long one')
  await shop.run((env) =>
    env.query(
      sql`INSERT INTO failed_login (kind, subject, failures, last) VALUES ('rpc user', ${String(id)}, 99, now() AT TIME ZONE 'UTC')`,
    ),
  )
  assert.deepEqual(
    await setPassword(shop.databases, 'test', 'ann', { password: 'another one', revokeKeys: false }),
    { keys: 0 },
  )
  assert.equal(await shop.database.callers.login('ann', 'a long one'), null)
  assert.equal(await shop.database.callers.login('ann', 'another one'), id)
  assert.equal((await shop.database.callers.byPassword(id, 'another one', '127.0.0.1')).profile.login, 'ann')
  assert.equal((await shop.database.callers.byKey(key)).profile.login, 'ann')
  assert.deepEqual(
    await setPassword(shop.databases, 'test', 'ann', { password: 'a third one', revokeKeys: true }),
    { keys: 1 },
  )
  assert.deepEqual(await listKeys(shop.databases, 'test', 'ann'), [])
  await assert.rejects(
    setPassword(shop.databases, 'test', 'nobody', { password: 'another one', revokeKeys: false }),
    /o(?: active)? user has the login/,
  )
  await assert.rejects(
    setPassword(shop.databases, 'test', '__system__', { password: 'another one', revokeKeys: false }),
    UserError,
  )
})

test('a lost second factor is taken away: the password alone signs in again, and sessions end', async () => {
  await createUser(shop.databases, 'test', { ...ann, login: 'zoe' })
  const begin = () =>
    session.begin(shop.databases, 'test', { login: 'zoe', password: ann.password, remote: '127.0.0.1' })
  const { token } = await begin()
  const ofZoe = sql`(SELECT id FROM res_users WHERE login = 'zoe')`
  await shop.run((env) =>
    env.query(sql`INSERT INTO comptoir_second_factor (user_id, secret) VALUES (${ofZoe}, 'sealed')`),
  )
  const isOn = async () =>
    (await listUsers(shop.databases, 'test', false)).find(({ login }) => login === 'zoe')?.second_factor
  assert.deepEqual([(await begin()).kind, await isOn()], ['code', true])
  assert.equal(await resetSecondFactor(shop.databases, 'test', 'zoe'), true)
  assert.deepEqual([(await begin()).kind, await isOn()], ['session', false])
  await assert.rejects(shop.database.callers.bySession(token), { name: 'SessionExpired' })
  assert.equal(await resetSecondFactor(shop.databases, 'test', 'zoe'), false)
  await assert.rejects(
    resetSecondFactor(shop.databases, 'test', 'nobody'),
    /o(?: active)? user has the login/,
  )
  assert.ok((await entries('zoe')).includes('second_factor.reset command line'))
})

test('who is shut out has no way in, and comes back as before; the last administrator stays', async () => {
  await createKey(shop.databases, 'test', 'ann', { scope: null, name: 'feed', days: 1 })
  assert.equal(await setActive(shop.databases, 'test', 'ann', false), true)
  assert.equal(await setActive(shop.databases, 'test', 'ann', false), false)
  assert.equal(await shop.database.callers.login('ann', 'a third one'), null)
  assert.deepEqual((await listKeys(shop.databases, 'test', 'ann'))[0]?.valid, false)
  assert.ok(!(await listUsers(shop.databases, 'test', false)).some(({ login }) => login === 'ann'))
  await assert.rejects(
    setPassword(shop.databases, 'test', 'ann', { password: 'a fourth one', revokeKeys: false }),
    /user enable/,
  )
  assert.equal(await setActive(shop.databases, 'test', 'ann', true), true)
  assert.notEqual(await shop.database.callers.login('ann', 'a third one'), null)
  await assert.rejects(setActive(shop.databases, 'test', 'admin', false), /last administrator/)
  await createUser(shop.databases, 'test', { ...ann, login: 'boss', roles: ['administrator'] })
  assert.equal(await setActive(shop.databases, 'test', 'admin', false), true)
  await assert.rejects(setActive(shop.databases, 'test', 'boss', false), /last administrator/)
  assert.deepEqual(
    (await entries('ann')).filter((entry) => !entry.startsWith('key')),
    ['user.create', 'user.password', 'user.password', 'user.archive', 'user.unarchive'].map(
      (event) => `${event} command line`,
    ),
  )
})

test('keys are revoked by id or by user, and open nothing from the next call on', async () => {
  const make = (name: string) => createKey(shop.databases, 'test', 'boss', { scope: 'rpc', name, days: 1 })
  const [firstKey] = [await make('one'), await make('two'), await make('three')]
  const keys = await listKeys(shop.databases, 'test', 'boss')
  assert.deepEqual(
    keys.map(({ name, login, scope, uses, last_used, valid }) => ({
      name,
      login,
      scope,
      uses,
      last_used,
      valid,
    })),
    ['one', 'two', 'three'].map((name) => ({
      name,
      login: 'boss',
      scope: 'rpc',
      uses: 0,
      last_used: null,
      valid: true,
    })),
  )
  const [first] = keys
  assert.ok(first)
  await assert.rejects(revokeKeys(shop.databases, 'test', { ids: [first.id, 987_654] }), /not found: 987654/)
  assert.equal(
    (await listKeys(shop.databases, 'test', 'boss')).length,
    3,
    'a wrong id among them revokes none',
  )
  assert.deepEqual(await revokeKeys(shop.databases, 'test', { ids: [first.id] }), [first.id])
  await assert.rejects(async () => shop.database.callers.byKey(firstKey), InvalidApiKey)
  assert.equal((await revokeKeys(shop.databases, 'test', { login: 'boss' })).length, 2)
  assert.deepEqual(await revokeKeys(shop.databases, 'test', { login: 'boss' }), [])
  await assert.rejects(revokeKeys(shop.databases, 'test', { login: 'nobody' }), UserError)
  await assert.rejects(listKeys(shop.databases, 'test', 'nobody'), UserError)
})

test('keys: a scope that grants no access because it does not begin with rpc is refused with that reason', async () => {
  const withScope = (scope: string | null) =>
    createKey(shop.databases, 'test', 'boss', { scope, name: 'scoped', days: 1 })
  for (const scope of ['read', 'model:res.partner:r mcp', 'dry'])
    await assert.rejects(withScope(scope), new RegExp(`without rpc before it: use "rpc ${scope}"`))
  await assert.rejects(withScope('rpc read nonsense'), /grants no access/)
  for (const scope of ['rpc', 'rpc read', 'of another door', null]) await withScope(scope)
})
