// API keys over time: how they are used, the warnings before they end, and the end of those that are long
// past.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Credential } from '../../src/services/request.ts'
import { sql } from '../../src/sql/index.ts'
import { ADDRESS, type Office, openOffice, status } from './office.ts'

interface Key {
  readonly id: number
  readonly name: string
  readonly user_id: readonly [number, string]
  readonly days_left: number
  readonly expiring: string | false
  readonly last_used: string | false
  readonly last_address: string | false
  readonly last_user_agent: string | false
  readonly uses: number
}

let office: Office
let admin: Credential
let clerk: Credential
before(async () => {
  office = await openOffice()
  admin = await office.keyOf('admin')
  await office.ask(admin, 'res.users', 'create', { vals_list: [{ name: 'Clerk', login: 'clerk' }] })
  clerk = await office.keyOf('clerk')
})
after(() => office?.db.close())

const overview = async (who: Credential, body = {}) =>
  (await office.ask(who, 'res.users.apikeys', 'overview', body)) as Key[]

test('API keys: a use is recorded with time, address and client, in batches and not within calls', async () => {
  await office.db.database.callers.settle()
  const [before] = (await overview(clerk)) as [Key]
  assert.deepEqual([before.uses, before.last_used, before.name], [0, false, 'clerk'])
  await office.ask(clerk, 'res.users', 'context_get')
  assert.equal(await status(office.ask(clerk, 'res.users', 'nothing')), 404)
  assert.equal(
    await status(office.ask({ kind: 'key', key: 'f'.repeat(40) }, 'res.users', 'context_get')),
    401,
  )
  assert.equal(((await overview(clerk)) as [Key])[0].uses, 0, 'not yet')
  await office.db.database.callers.settle()
  const [used] = (await overview(clerk)) as [Key]
  // The two looks at the overview count as well.
  assert.deepEqual([used.uses, used.last_address, used.last_user_agent], [4, ADDRESS, 'office test'])
  assert.match(String(used.last_used), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})

test('API keys: users see their own, administrators those of all users', async () => {
  assert.deepEqual(
    (await overview(clerk)).map(({ user_id }) => user_id[1]),
    ['Clerk'],
  )
  assert.equal(await status(overview(clerk, { everybody: true })), 403)
  assert.deepEqual(
    new Set((await overview(admin, { everybody: true })).map(({ user_id }) => user_id[1])),
    new Set(['Administrator', 'Clerk']),
  )
  const uses = (who: Credential) => office.ask(who, 'comptoir.key.use', 'search_count', { domain: [] })
  await office.ask(admin, 'res.users', 'context_get')
  await office.db.database.callers.settle()
  assert.deepEqual([await uses(clerk), await uses(admin)], [1, 2])
  assert.equal(
    await status(office.ask(admin, 'comptoir.key.use', 'write', { ids: [1], vals: { uses: 0 } })),
    403,
  )
})

test('API keys: each stage before their end is reported once; long expired ones are removed', async () => {
  const make = (name: string, age: number, left: number) =>
    office.db.run((env) =>
      env.query(sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, create_date, expiration_date) SELECT ${name}, id, ${Buffer.from(name)}::bytea,
        now() AT TIME ZONE 'UTC' - ${age} * interval '1 day', now() AT TIME ZONE 'UTC' + ${left} * interval '1 day' FROM res_users WHERE login = 'clerk'`),
    )
  await make('fortnight', 70, 13.5)
  await make('week', 70, 6.5)
  await make('day', 70, 0.5)
  await make('brief', 0.5, 0.5)
  await make('past', 70, -3)
  await make('long past', 70, -8)
  await make('made past', 0, -400)
  const stages = async () =>
    Object.fromEntries((await overview(clerk)).map(({ name, expiring }) => [name, expiring]))
  assert.deepEqual(await stages(), {
    clerk: false,
    fortnight: '14',
    week: '7',
    day: '1',
    brief: false,
    past: 'expired',
    'long past': 'expired',
    'made past': 'expired',
  })
  const tidy = () => office.ask(admin, 'ir.autovacuum', 'run_vacuum_cleaner')
  const entries = async () =>
    (
      (await office.ask(admin, 'comptoir.audit', 'search_read', {
        domain: [['event', 'in', ['key.expiring', 'key.expired']]],
        fields: ['event', 'name', 'detail'],
        order: 'id',
      })) as { event: string; name: string; detail: { days?: number } }[]
    ).map(({ event, name, detail }) => [event, name, detail.days ?? null])
  await tidy()
  const first = [
    ['key.expiring', 'fortnight', 14],
    ['key.expiring', 'week', 7],
    ['key.expiring', 'day', 1],
    ['key.expired', 'long past', null],
  ]
  assert.deepEqual(await entries(), first)
  await tidy()
  assert.deepEqual(await entries(), first, 'once a stage')
  await office.db.run((env) =>
    env.query(
      sql`UPDATE res_users_apikeys SET expiration_date = expiration_date - interval '7 days' WHERE name = 'fortnight'`,
    ),
  )
  await tidy()
  assert.deepEqual((await entries()).slice(4), [['key.expiring', 'fortnight', 7]])
  assert.deepEqual(Object.keys(await stages()).sort(), [
    'brief',
    'clerk',
    'day',
    'fortnight',
    'made past',
    'past',
    'week',
  ])
})

test('passwords: a minimum length and no common ones, for people and for administrators who set one', async () => {
  const [uid] = (await office.ask(admin, 'res.users', 'create', {
    vals_list: [{ name: 'Till', login: 'till', password: 'eight yes' }],
  })) as [number]
  await assert.rejects(
    office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { password: 'seven..' } }),
    {
      status: 422,
      message: 'Passwords must have at least 8 characters, got 7.',
    },
  )
  await office.ask(admin, 'ir.config_parameter', 'set_param', {
    key: 'auth_password_policy.minlength',
    value: '5',
  })
  const password = { kind: 'password', uid, password: 'eight yes' } as const
  const change = (new_passwd: string) =>
    office.ask(password, 'res.users', 'change_password', { old_passwd: 'eight yes', new_passwd })
  const short = { status: 422, message: 'Passwords must have at least 5 characters, got 4.' }
  await assert.rejects(change('🐈🐈🐈🐈'), short)
  await assert.rejects(
    office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { password: 'four' } }),
    short,
  )
  await assert.rejects(
    office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { new_password: 'four' } }),
    short,
  )
  await assert.rejects(
    office.ask(admin, 'res.users', 'create', { vals_list: [{ name: 'a', login: 'a', password: 'four' }] }),
    short,
  )
  // Those that attackers try first are no better for being long.
  const common = { status: 422, message: /password is too common\. Choose another one/ }
  await assert.rejects(change('Password123'), common)
  for (const vals of [{ password: 'administrator' }, { new_password: 'administrator' }])
    await assert.rejects(office.ask(admin, 'res.users', 'write', { ids: [uid], vals }), common)
  const allow = (value: unknown) =>
    office.ask(admin, 'ir.config_parameter', 'set_param', { key: 'auth_password_policy.allow_common', value })
  await allow(true)
  await office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { password: 'administrator' } })
  await allow(false)
  await office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { password: '' } })
  assert.equal(await status(office.ask(password, 'res.users', 'context_get')), 403)
  await office.ask(admin, 'res.users', 'write', { ids: [uid], vals: { new_password: 'fives' } })
  assert.equal(
    await status(office.ask({ ...password, password: 'fives' }, 'res.users', 'context_get')),
    'worked',
  )
})
