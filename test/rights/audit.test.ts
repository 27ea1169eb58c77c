// The audit log: which events are recorded, with which user, and that no user can change them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyAudit } from '../../src/models/rights/audit-seal.ts'
import { login } from '../../src/services/common.ts'
import type { Credential } from '../../src/services/request.ts'
import { session } from '../../src/services/session.ts'
import { sql } from '../../src/sql/index.ts'
import { ADDRESS, type Office, openOffice, status } from './office.ts'

interface Entry {
  readonly event: string
  readonly uid: number
  readonly login: string | false
  readonly address: string | false
  readonly res_model: string | false
  readonly res_id: number
  readonly name: string | false
  readonly detail: Record<string, unknown> | false
}

let office: Office
let db: Office['db']
let admin: Credential & { readonly key: string }
let clerk: Credential
let clerkId: number
const logged: string[] = []
before(async () => {
  office = await openOffice()
  db = office.db
  db.database.tell = db.database.callers.attemptQueue.tell = (row) => logged.push(row.event)
  admin = await office.keyOf('admin')
  ;[clerkId] = (await ask(admin, 'res.users', 'create', {
    vals_list: [{ name: 'Clerk', login: 'clerk', password: 'clerks own' }],
  })) as [number]
  clerk = await office.keyOf('clerk')
})
after(() => db?.close())

const ask = (...of: Parameters<Office['ask']>) => office.ask(...of)

async function last(count: number, domain: unknown[] = []): Promise<Entry[]> {
  const fields = ['event', 'uid', 'login', 'address', 'res_model', 'res_id', 'name', 'detail']
  return (await ask(admin, 'comptoir.audit', 'search_read', { domain, fields, limit: count })) as Entry[]
}

test('audit log: logins and failures, over every endpoint', async () => {
  const remote = '10.0.0.8'
  await session.signIn(db.databases, 'test', 'clerk', 'clerks own', remote)
  await assert.rejects(session.signIn(db.databases, 'test', 'clerk', 'secret guess', remote), {
    name: 'AccessDenied',
  })
  assert.equal(await login(db.databases, 'test', 'nobody', 'secret guess', remote), false)
  assert.equal(await login(db.databases, 'test', 'clerk', 'clerks own', remote), clerkId)
  const byPassword = { kind: 'password', uid: clerkId, password: 'secret guess' } as const
  assert.equal(await status(ask(byPassword, 'res.users', 'context_get', {})), 403)
  const entries = await last(5)
  assert.deepEqual(
    entries.map(({ event, uid, login, address, detail }) => [
      event,
      uid,
      login,
      address,
      (detail as { by: string }).by,
    ]),
    [
      ['login.failed', 0, false, ADDRESS, `rpc user ${clerkId}`],
      ['login', clerkId, 'clerk', remote, 'rpc'],
      ['login.failed', 0, 'nobody', remote, 'rpc'],
      ['login.failed', 0, 'clerk', remote, 'session'],
      ['login', clerkId, 'clerk', remote, 'session'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(await last(1000)), /secret guess/)
  assert.deepEqual(
    logged.slice(-5),
    ['login', 'login.failed', 'login.failed', 'login', 'login.failed'],
    'the log hears of them',
  )
})

test('keys: made, refused, revoked; never their values', async () => {
  const adminKey = admin.key
  const body = {
    key: adminKey,
    scope: 'rpc',
    name: 'sync',
    expiration_date: new Date(Date.now() + 864e5).toISOString().slice(0, 10),
  }
  const generatedKey = (await ask(admin, 'res.users.apikeys', 'generate', body)) as string
  assert.equal(await status(ask(admin, 'res.users.apikeys', 'revoke', { key: 'f'.repeat(40) })), 403)
  await ask(admin, 'res.users.apikeys', 'revoke', { key: generatedKey })
  const [revoked, failed, created] = (await last(3)) as [Entry, Entry, Entry]
  assert.equal(created.event, 'key.create')
  assert.equal(created.name, 'sync')
  assert.deepEqual(
    [created.login, created.address, (created.detail as { scope: string }).scope],
    ['admin', ADDRESS, 'rpc'],
  )
  assert.deepEqual(
    [failed.event, failed.login],
    ['login.failed', 'admin'],
    'although the call was rolled back',
  )
  assert.deepEqual([revoked.event, revoked.res_id], ['key.revoke', created.res_id])
  assert.doesNotMatch(JSON.stringify(await last(1000)), new RegExp(`${generatedKey}|${adminKey}`))
  const [line] = (await last(1, [
    ['event', '=', 'key.create'],
    ['name', '=', 'clerk'],
  ])) as [Entry]
  assert.deepEqual([line.uid, line.login, (line.detail as { by: string }).by], [0, false, 'command line'])
})

test('audit log: changes of rights, with the values', async () => {
  const [group] = (await ask(admin, 'res.groups', 'create', { vals_list: [{ name: 'Till' }] })) as [number]
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { group_ids: [[4, group]] } })
  await ask(admin, 'res.groups', 'write', {
    ids: [group],
    vals: { user_ids: [[3, clerkId]], api_key_duration: 5 },
  })
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { password: 'clerks own' } })
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { active: false } })
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { active: true } })
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { phone: '1' } })
  assert.deepEqual(
    (await last(6)).map(({ event, name, res_id, detail }) => [event, name, res_id, detail]),
    [
      ['user.unarchive', 'clerk', clerkId, { active: [false, true] }],
      ['user.archive', 'clerk', clerkId, { active: [true, false] }],
      ['user.password', 'clerk', clerkId, { own: false }],
      ['group.write', 'Till', group, { users_removed: ['clerk'], api_key_duration: [0, 5] }],
      ['user.write', 'clerk', clerkId, { groups_added: ['Till'] }],
      ['group.create', 'Till', group, (await last(1, [['event', '=', 'group.create']]))[0]?.detail],
    ],
  )

  const [model] = (await ask(admin, 'ir.model', 'search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const line = { name: 'till', model_id: model, group_id: group, perm_read: true }
  const [access] = (await ask(admin, 'ir.model.access', 'create', { vals_list: [line] })) as [number]
  const [rule] = (await ask(admin, 'ir.rule', 'create', {
    vals_list: [{ name: 'own', model_id: model, groups: [[6, 0, [group]]] }],
  })) as [number]
  await ask(admin, 'ir.rule', 'write', { ids: [rule], vals: { domain_force: "[('id', '=', 1)]" } })
  await ask(admin, 'res.groups', 'write', {
    ids: [group],
    vals: { rule_groups: [[3, rule]], model_access: [[1, access, { perm_create: true }]] },
  })
  assert.deepEqual(
    (await last(2)).map(({ event, detail }) => [event, detail]),
    [
      ['group.write', { rules_removed: ['own'] }],
      ['access.write', { create: [false, true] }],
    ],
  )
  await ask(admin, 'ir.rule', 'unlink', { ids: [rule] })
  await ask(admin, 'ir.model.access', 'write', { ids: [access], vals: { perm_write: true } })
  await ask(admin, 'ir.model.access', 'unlink', { ids: [access] })
  assert.deepEqual(
    (await last(3)).map(({ event, name }) => [event, name]),
    [
      ['access.unlink', 'till'],
      ['access.write', 'till'],
      ['rule.unlink', 'own'],
    ],
  )
  assert.deepEqual((await last(1, [['event', '=', 'rule.write']]))[0]?.detail, {
    domain: [null, "[('id', '=', 1)]"],
  })
})

test('audit log: a granted role is logged once, as its groups', async () => {
  const [before] = (await last(1)) as [Entry & { id: number }]
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { role: 'group_system', login: 'chief' } })
  const entries = await last(10, [['id', '>', before.id]])
  const [first, other] = entries.map(({ event, detail }) => JSON.stringify([event, detail])).sort()
  assert.equal(entries.length, 2)
  assert.equal(
    first,
    JSON.stringify([
      'user.write',
      { groups_added: ['Role / Administrator'], groups_removed: ['Role / User'] },
    ]),
  )
  assert.equal(other, JSON.stringify(['user.write', { login: ['clerk', 'chief'] }]))
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { role: 'group_user', login: 'clerk' } })
})

test('audit log: parameters of the server with values; others, possibly secrets, without', async () => {
  const set = (key: string, value: unknown) => ask(admin, 'ir.config_parameter', 'set_param', { key, value })
  await set('base.login_lockout_after', '30')
  await set('base.login_lockout_after', '40')
  await set('payment.secret', 'hush')
  await set('payment.secret', 'hush now')
  await set('base.login_lockout_after', false)
  assert.deepEqual(
    (await last(5)).map(({ event, name, detail }) => [event, name, detail]),
    [
      ['parameter.unlink', 'base.login_lockout_after', { key: 'base.login_lockout_after', value: '40' }],
      ['parameter.write', 'payment.secret', { value: 'changed' }],
      ['parameter.create', 'payment.secret', { key: 'payment.secret', value: 'changed' }],
      ['parameter.write', 'base.login_lockout_after', { value: ['30', '40'] }],
      ['parameter.create', 'base.login_lockout_after', { key: 'base.login_lockout_after', value: '30' }],
    ],
  )
})

test('audit log: a parameter that becomes a guard, or ceases to be one, is logged', async () => {
  const [id] = (await ask(admin, 'ir.config_parameter', 'create', {
    vals_list: [{ key: 'x.y', value: '0' }],
  })) as [number]
  await ask(admin, 'ir.config_parameter', 'write', { ids: [id], vals: { key: 'base.login_odd' } })
  await ask(admin, 'ir.config_parameter', 'write', { ids: [id], vals: { key: 'x.y' } })
  assert.deepEqual(
    (await last(2)).map(({ event, name, detail }) => [event, name, detail]),
    [
      ['parameter.write', 'x.y', { key: ['base.login_odd', 'x.y'], value: ['0', null] }],
      ['parameter.write', 'base.login_odd', { key: ['x.y', 'base.login_odd'], value: [null, '0'] }],
    ],
  )
  await ask(admin, 'ir.config_parameter', 'unlink', { ids: [id] })
})

test('audit log: users of a company are logged when the company is written, too', async () => {
  const [id] = (await ask(admin, 'res.company', 'create', { vals_list: [{ name: 'Branch' }] })) as [number]
  await ask(admin, 'res.company', 'write', { ids: [id], vals: { user_ids: [[4, clerkId]] } })
  assert.deepEqual(
    (await last(1)).map(({ event, name, detail }) => [event, name, detail]),
    [['company.write', 'Branch', { users_added: ['clerk'] }]],
  )
  await ask(admin, 'res.company', 'write', { ids: [id], vals: { user_ids: [[3, clerkId]] } })
  assert.deepEqual((await last(1))[0]?.detail, { users_removed: ['clerk'] })
})

test('audit log: groups that share a name are distinguished, and so are long rules', async () => {
  const [first, other] = (await ask(admin, 'res.groups.privilege', 'create', {
    vals_list: [{ name: 'Till' }, { name: 'Stock' }],
  })) as number[]
  const [till, stock] = (await ask(admin, 'res.groups', 'create', {
    vals_list: [first, other].map((privilege_id) => ({ name: 'Worker', privilege_id })),
  })) as number[]
  await ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { group_ids: [[4, till]] } })
  await ask(admin, 'res.users', 'write', {
    ids: [clerkId],
    vals: {
      group_ids: [
        [3, till],
        [4, stock],
      ],
    },
  })
  assert.deepEqual((await last(1))[0]?.detail, {
    groups_added: ['Stock / Worker'],
    groups_removed: ['Till / Worker'],
  })

  const [model] = (await ask(admin, 'ir.model', 'search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const long = (end: number) =>
    `[('id', 'in', [${Array.from({ length: 700 }, () => '1000').join()}, ${end}])]`
  const row = { name: 'long', model_id: model, groups: [[6, 0, [till]]], domain_force: long(1) }
  const [rule] = (await ask(admin, 'ir.rule', 'create', { vals_list: [row] })) as [number]
  await ask(admin, 'ir.rule', 'write', { ids: [rule], vals: { domain_force: long(2) } })
  const [entry] = (await last(1)) as [Entry]
  assert.equal(entry.event, 'rule.write')
  assert.ok(JSON.stringify(entry.detail).length < 5000)
  await ask(admin, 'ir.rule', 'unlink', { ids: [rule] })
})

test('audit log: entries keep the order of events', async () => {
  const [before] = (await last(1)) as [Entry & { id: number }]
  const vals_list = Array.from({ length: 5 }, (_, i) => ({ name: `many ${i}`, login: `many${i}` }))
  await ask(admin, 'res.users', 'create', { vals_list })
  const entries = await last(100, [
    ['id', '>', before.id],
    ['event', '=', 'user.create'],
  ])
  assert.deepEqual(
    entries.map(({ name }) => name),
    vals_list.map(({ login }) => login).toReversed(),
  )
})

test('audit log: refused changes are not logged', async () => {
  const [before] = await last(1)
  assert.equal(
    await status(ask(clerk, 'res.users', 'write', { ids: [clerkId], vals: { group_ids: [[6, 0, []]] } })),
    403,
  )
  assert.equal(
    (await status(
      ask(admin, 'res.users', 'write', { ids: [clerkId], vals: { group_ids: [[6, 0, [-1]]] } }),
    )) === 'worked',
    false,
  )
  assert.deepEqual((await last(1))[0], before)
})

test('audit log: administrators read it, and it cannot be changed, not in the database either', async () => {
  const [entry] = (await ask(admin, 'comptoir.audit', 'search', { domain: [], limit: 1 })) as [number]
  assert.equal(await status(ask(clerk, 'comptoir.audit', 'search', { domain: [] })), 403)
  assert.equal(await status(ask(admin, 'comptoir.audit', 'create', { vals_list: [{ event: 'x' }] })), 403)
  assert.equal(
    await status(ask(admin, 'comptoir.audit', 'write', { ids: [entry], vals: { event: 'x' } })),
    403,
  )
  assert.equal(await status(ask(admin, 'comptoir.audit', 'unlink', { ids: [entry] })), 403)
  for (const statement of [
    sql`UPDATE comptoir_audit SET event = 'x'`,
    sql`DELETE FROM comptoir_audit`,
    sql`TRUNCATE comptoir_audit`,
  ]) {
    await assert.rejects(
      db.run((env) => env.query(statement)),
      /only be appended to/,
    )
  }
})

test('audit log: a parameter removes old entries, never those of the last month, and the removal is logged', async () => {
  const age = (days: number, event: string) =>
    sql`INSERT INTO comptoir_audit (time, event) VALUES (now() AT TIME ZONE 'UTC' - ${days}::int * interval '1 day', ${event})`
  const trim = async (value: string) => {
    await ask(admin, 'ir.config_parameter', 'set_param', { key: 'comptoir.audit_retention_days', value })
    await ask(admin, 'ir.autovacuum', 'run_vacuum_cleaner', {})
    const entries = await ask(admin, 'comptoir.audit', 'search_read', {
      domain: [['event', '=like', 'old.%']],
      fields: ['event'],
      order: 'id',
    })
    return (entries as { event: string }[]).map(({ event }) => event)
  }
  for (const [days, event] of [
    [400, 'old.a'],
    [200, 'old.b'],
    [29, 'old.c'],
  ] as const)
    await db.run((env) => env.query(age(days, event)))
  for (const value of ['0', 'many', '-5'])
    assert.deepEqual(await trim(value), ['old.a', 'old.b', 'old.c'], value)
  assert.deepEqual(await trim('365'), ['old.b', 'old.c'])
  assert.deepEqual(await trim('1'), ['old.c'], 'a month stays')
  const entries = await last(9, [['event', '=', 'audit.trim']])
  assert.deepEqual(
    entries.map(({ detail }) => {
      const { positions, ...facts } = detail as { positions: unknown[] }
      return [facts, positions.length]
    }),
    [
      [{ days: 30, removed: 1 }, 1],
      [{ days: 365, removed: 1 }, 1],
    ],
  )
  const set = await last(1, [['name', '=', 'comptoir.audit_retention_days']])
  assert.equal(set.length, 1, 'who changes how long is told too')
  const result = await db.run((env) => verifyAudit(env))
  assert.deepEqual([result.broken, result.trimmed], [null, 2], 'the chain can still be followed')
  const chained = await ask(admin, 'comptoir.audit.line', 'search_count', { domain: [] })
  assert.equal(chained, result.entries)
  await assert.rejects(
    db.run((env) => env.query(sql`DELETE FROM comptoir_audit`)),
    /only be appended to/,
  )
})

test('audit log: no field can be added to it', async () => {
  for (const name of ['comptoir.audit', 'comptoir.key.use', 'res.users.apikeys']) {
    const [model_id] = (await ask(admin, 'ir.model', 'search', { domain: [['model', '=', name]] })) as [
      number,
    ]
    const vals = { model_id, name: 'x_extra', ttype: 'char', field_description: 'Extra', required: true }
    assert.equal(await status(ask(admin, 'ir.model.fields', 'create', { vals_list: [vals] })), 422, name)
    const over = ask(admin, 'ir.model', 'write', {
      ids: [model_id],
      vals: { field_id: [[0, 0, { ...vals, model_id: undefined }]] },
    })
    assert.equal(await status(over), 422, `${name}, from the side of the model`)
  }
})

test('audit log: the system user of a session keeps its person', async () => {
  const token = await session.signIn(db.databases, 'test', 'admin', 'admin', '10.0.0.8')
  const system = (await session.become(db.databases, 'test', token, '10.0.0.8')) as string
  const [entry] = await last(1)
  for (const [method, body] of [
    ['create', { vals_list: [{ event: 'x' }] }],
    ['write', { ids: [1], vals: { event: 'x' } }],
    ['unlink', { ids: [1] }],
    ['copy', { ids: [1] }],
  ] as const)
    for (const model of ['comptoir.audit', 'comptoir.audit.line'])
      assert.equal(
        await status(ask({ kind: 'session', token: system }, model, method, body)),
        403,
        `${model}/${method}`,
      )
  const longer = ask({ kind: 'session', token: system }, 'res.users.apikeys', 'write', {
    ids: [1],
    vals: { expiration_date: '2099-01-01' },
  })
  assert.equal(await status(longer), 403)
  assert.deepEqual(
    [entry?.event, entry?.uid, entry?.login, entry?.address],
    ['session.become', 2, 'admin', '10.0.0.8'],
  )
  const bySystem = { kind: 'session', token: system } as const
  await ask(bySystem, 'res.company', 'write', { ids: [1], vals: { name: 'Renamed by system' } })
  const fields = ['uid', 'person_id', 'session', 'key_id']
  const [row] = (await ask(admin, 'comptoir.audit', 'search_read', { domain: [], fields, limit: 1 })) as [
    Record<string, unknown>,
  ]
  assert.deepEqual([row.uid, row.person_id, row.key_id], [1, 2, 0], 'who is behind it')
  assert.match(String(row.session), /^[0-9a-f]{12}$/)
})
