// Sessions in a database: what ends them, and what they may do.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { SessionExpired } from '../errors.ts'
import { loginMark } from '../kit/secrets.ts'
import { modules } from '../modules/index.ts'
import { type Sql, sql } from '../sql/index.ts'
import { call } from './call.ts'
import { session } from './session.ts'

let fixture: TestDatabase
before(async () => {
  fixture = await openTestDatabase(modules)
  // Here logins are passwords, short and common.
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'auth_password_policy.minlength'`)
  await run(
    sql`INSERT INTO ir_config_parameter (key, value) VALUES ('auth_password_policy.allow_common', 'True')`,
  )
})
after(() => fixture.close())

const run = (statement: Sql) => fixture.run((env) => env.query(statement))
const signIn = (login = 'admin', password = login) =>
  session.signIn(fixture.databases, 'test', login, password, '127.0.0.1')

async function kw(token: string, model: string, method: string, positional: unknown[] = [], context = {}) {
  const body = () => ({ positional, context, named: {}, rpc: true })
  const credential = { kind: 'session', token } as const
  const answer = await call(fixture.databases, {
    database: 'test',
    credential,
    model,
    method,
    body,
    remote: '127.0.0.1',
    requestId: 'r',
  })
  return JSON.parse(answer.json)
}
const uidOf = async (token: string) => (await kw(token, 'res.users', 'context_get')).uid
const expired = (token: string) => assert.rejects(uidOf(token), SessionExpired)

/** A user with rights of their own; gives a session of theirs. */
async function userWithSession(login: string): Promise<{ token: string; uid: number }> {
  const admin = await signIn()
  const uid = await kw(admin, 'res.users', 'create', [{ name: login, login, password: login }])
  return { token: await signIn(login), uid }
}

test('a session acts as its user until it is signed out', async () => {
  const token = await signIn()
  assert.equal(await uidOf(token), 2)
  await session.signOut(fixture.databases, 'test', token)
  await expired(token)
  await expired('0'.repeat(40))
})

test('wrong passwords and API keys open no session', async () => {
  await assert.rejects(signIn('admin', 'wrong'), { name: 'AccessDenied' })
  await assert.rejects(signIn('nobody'), { name: 'AccessDenied' })
})

test('a changed password ends all sessions of the user, an archived user has none any more, also when they come back', async () => {
  const { token, uid } = await userWithSession('ann')
  const other = await signIn('ann')
  await kw(token, 'res.users', 'change_password', ['ann', 'new'])
  await expired(token)
  await expired(other)
  const fresh = await signIn('ann', 'new')
  assert.equal(await uidOf(fresh), uid)
  await kw(await signIn(), 'res.users', 'write', [[uid], { active: false }])
  await expired(fresh)
  await kw(await signIn(), 'res.users', 'write', [[uid], { active: true }])
  await expired(fresh)
})

test('sessions end after a week without use, and after thirty days in any case', async () => {
  const idle = await signIn()
  await run(sql`UPDATE browser_session SET used = used - interval '8 days'`)
  await expired(idle)
  const old = await signIn()
  await run(sql`UPDATE browser_session SET made = made - interval '31 days'`)
  await expired(old)
  await signIn()
  const [row] = await run(sql`SELECT count(*)::int FROM browser_session`)
  assert.equal(row?.[0], 1, 'signing in sweeps what has run out')
})

test('using a session keeps it alive, written down now and then', async () => {
  const token = await signIn()
  await run(sql`UPDATE browser_session SET used = used - interval '6 days'`)
  assert.equal(await session.keep(fixture.databases, 'test', token), true)
  assert.equal(await session.keep(fixture.databases, 'test', token), false)
  const [row] = await run(
    sql`SELECT count(*)::int FROM browser_session WHERE used > now() AT TIME ZONE 'UTC' - interval '1 day'`,
  )
  assert.equal(row?.[0], 1)
})

test('an administrator may become the system user, others may not; the password still holds it', async () => {
  const { token: simple } = await userWithSession('bob')
  assert.equal(await session.become(fixture.databases, 'test', simple, '127.0.0.1'), null)
  assert.notEqual(await uidOf(simple), 1)
  const token = await signIn()
  const system = (await session.become(fixture.databases, 'test', token, '127.0.0.1')) as string
  await expired(token)
  assert.equal(await uidOf(system), 1)
  assert.ok((await kw(system, 'res.users', 'search', [[]])).length > 0)
  await run(sql`UPDATE res_users SET password = 'changed' || password WHERE id = 2`)
  await expired(system)
  await run(sql`UPDATE res_users SET password = substr(password, 8) WHERE id = 2`)
})

test('a session that has ended is refused, even though this process has it in its cache', async () => {
  const token = await signIn()
  assert.equal(await uidOf(token), 2)
  await run(sql`DELETE FROM browser_session`)
  await assert.rejects(session.become(fixture.databases, 'test', token, '127.0.0.1'), SessionExpired)
})

test('who is no longer an administrator is not the system user any more', async () => {
  const { uid } = await userWithSession('fay')
  const groups = (command: 3 | 4) =>
    sql`SELECT ${command}::int, res_id FROM ir_model_data WHERE module = 'base' AND name = 'group_system'`
  const admin = await signIn()
  const change = async (command: 3 | 4) =>
    kw(admin, 'res.users', 'write', [[uid], { group_ids: [[command, (await run(groups(command)))[0]?.[1]]] }])
  await change(4)
  const system = (await session.become(fixture.databases, 'test', await signIn('fay'), '127.0.0.1')) as string
  assert.equal(await uidOf(system), 1)
  await change(3)
  await expired(system)
})

test('a new password lets people in at once, whatever was guessed before', async () => {
  const { uid } = await userWithSession('gil')
  await run(sql`INSERT INTO failed_login VALUES ('login', ${loginMark('gil')}, 99, now() AT TIME ZONE 'UTC')`)
  const elsewhere = (password: string) =>
    session.signIn(fixture.databases, 'test', 'gil', password, '10.0.0.9')
  await assert.rejects(elsewhere('gil'), /wait a bit/)
  await kw(await signIn(), 'res.users', 'write', [[uid], { password: 'fresh one' }])
  assert.ok(await elsewhere('fresh one'))
})

test('people see where they are signed in, and end their other sessions', async () => {
  const { token, uid } = await userWithSession('dot')
  const other = await session.signIn(fixture.databases, 'test', 'dot', 'dot', '10.0.0.5', 'Phone\0')
  const listed = await kw(token, 'res.users', 'sessions')
  assert.deepEqual(
    listed.map((listedSession: Record<string, unknown>) => [
      listedSession.address,
      listedSession.user_agent,
      listedSession.current,
    ]),
    [
      ['10.0.0.5', 'Phone', false],
      ['127.0.0.1', false, true],
    ],
  )
  assert.doesNotMatch(JSON.stringify(listed), new RegExp(`${token}|${other}`))
  const admin = await signIn()
  assert.equal(await kw(admin, 'res.users', 'end_sessions', [[listed[0].id]]), 0, 'only their own')
  await assert.rejects(kw(token, 'res.users', 'end_sessions', ['all']), { status: 422 })
  assert.equal(await kw(token, 'res.users', 'end_sessions'), 1)
  await expired(other)
  assert.equal(await uidOf(token), uid)
  assert.equal(await kw(token, 'res.users', 'end_sessions', [[listed[1].id]]), 1)
  await expired(token)
})

test('who signs out everywhere is signed in nowhere, others stay', async () => {
  const { token } = await userWithSession('eli')
  const [other, admin] = [await signIn('eli'), await signIn()]
  await kw(token, 'res.users', 'logout_everywhere')
  await expired(token)
  await expired(other)
  assert.equal(await uidOf(admin), 2)
})

test('a session of the system user lists those of the person that it is', async () => {
  const system = (await session.become(fixture.databases, 'test', await signIn(), '10.0.0.6')) as string
  const listed = await kw(system, 'res.users', 'sessions')
  assert.deepEqual(
    listed
      .filter(({ current }: { current: boolean }) => current)
      .map(({ address }: { address: string }) => address),
    ['10.0.0.6'],
  )
  assert.ok(listed.length > 1)
})

test('the key wizard gives a key for the password', async () => {
  const token = await signIn()
  const wizard = await kw(token, 'res.users.apikeys.description', 'create', [{ name: 'mine' }])
  const ask = await kw(token, 'res.users.apikeys.description', 'make_key', [[wizard]])
  assert.equal(ask.res_model, 'res.users.identitycheck')
  await assert.rejects(kw(token, ask.res_model, 'run_check', [[ask.res_id]], { password: 'wrong' }), {
    name: 'UserError',
  })
  const guesses = () =>
    run(sql`SELECT failures FROM failed_login WHERE kind = 'login' AND subject = ${loginMark('admin')}`)
  assert.deepEqual(await guesses(), [[1]], 'counted for the login, as at the door')
  const shown = await kw(token, ask.res_model, 'run_check', [[ask.res_id]], { password: 'admin' })
  assert.match(shown.context.default_key, /^[0-9a-f]{40}$/)
  assert.deepEqual(await guesses(), [])

  // The password was given just now: this session is not asked again, another one is, and this one too after
  // some minutes.
  const next = async (session: string) => {
    const id = await kw(session, 'res.users.apikeys.description', 'create', [{ name: 'another' }])
    return (await kw(session, 'res.users.apikeys.description', 'make_key', [[id]])).res_model
  }
  assert.equal(await next(token), 'res.users.apikeys.show')
  assert.equal(await next(await signIn()), 'res.users.identitycheck')
  await run(sql`UPDATE browser_session SET confirmed = confirmed - interval '11 minutes'`)
  assert.equal(await next(token), 'res.users.identitycheck')
})

test('where the setting asks for it, people, rights and lock dates want the password of some minutes ago', async () => {
  const token = await signIn()
  const { uid } = await userWithSession('eve')
  const admin = await signIn()
  const open = [[uid], { active: false }]
  const older = () =>
    run(sql`UPDATE browser_session SET made = made - interval '11 minutes', confirmed = NULL`)
  const passwordNeeded = {
    name: 'AccessError',
    code: 'step_up_required',
    message: /call prove_identity of res\.users/,
  }
  await older()
  await kw(token, 'res.users', 'write', [[uid], { login: 'eve2' }])
  await kw(token, 'ir.config_parameter', 'set_param', ['comptoir.step_up_minutes', '10'])
  await older()
  const [group] = await kw(token, 'res.groups', 'search', [[['name', '=', 'Technical Features']]])
  for (const [model, method, args] of [
    ['res.users', 'write', open],
    ['res.users', 'write', [[uid], { password: 'otter cellar' }]],
    ['res.users', 'create', [{ name: 'Hal', login: 'hal' }]],
    ['res.groups', 'write', [[group], { user_ids: [[4, uid]] }]],
    ['res.company', 'write', [[1], { sale_lock_date: '2020-01-01' }]],
    ['ir.config_parameter', 'set_param', ['comptoir.step_up_minutes', false]],
    ['ir.config_parameter', 'set_param', ['comptoir.step_up_minutes', '0']],
  ] as const)
    await assert.rejects(kw(token, model, method, [...args]), passwordNeeded, `${model} ${method}`)
  // Changes of the caller's own record, and those that touch no rights, go on.
  await kw(token, 'res.users', 'write', [[2], { signature: '<p>A</p>' }])
  await kw(token, 'res.company', 'write', [[1], { phone: '+32 2 000' }])
  await assert.rejects(kw(token, 'res.users', 'prove_identity', ['wrong']), /Access Denied/)
  await kw(token, 'res.users', 'prove_identity', ['admin'])
  await kw(token, 'res.company', 'write', [[1], { sale_lock_date: '2020-01-01' }])
  await kw(token, 'res.users', 'write', open)
  await assert.rejects(
    kw(admin, 'res.users', 'write', [[uid], { active: true }]),
    passwordNeeded,
    'of its own session',
  )
  await kw(token, 'ir.config_parameter', 'set_param', ['comptoir.step_up_minutes', false])
  await kw(admin, 'res.users', 'write', [[uid], { active: true }])
})
