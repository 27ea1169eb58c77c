// The second factor of logins in a database: enrolment, codes, recovery codes, what passwords alone open, and
// who switches it off.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { SessionExpired } from '../errors.ts'
import { stepOf, totpCode } from '../kit/totp.ts'
import { modules } from '../modules/index.ts'
import { type Sql, sql } from '../sql/index.ts'
import { createKey } from './admin.ts'
import { call } from './call.ts'
import { login } from './common.ts'
import type { Credential } from './request.ts'
import { secondFactor } from './second-factor.ts'
import { session } from './session.ts'

let fixture: TestDatabase
before(async () => {
  fixture = await openTestDatabase(modules, { installed: ['base'] })
  await run(
    sql`INSERT INTO ir_config_parameter (key, value) VALUES ('auth_password_policy.allow_common', 'True')`,
  )
  await run(sql`UPDATE ir_config_parameter SET value = '1' WHERE key = 'auth_password_policy.minlength'`)
})
after(() => fixture.close())

const run = (statement: Sql) => fixture.run((env) => env.query(statement))
const [HOME, AWAY] = ['127.0.0.1', '10.9.0.1']

async function ask(
  credential: Credential,
  model: string,
  method: string,
  positional: unknown[] = [],
  context = {},
) {
  const answer = await call(fixture.databases, {
    database: 'test',
    credential,
    model,
    method,
    body: () => ({ positional, context, named: {}, rpc: true }),
    remote: HOME,
    requestId: 'r',
  })
  return JSON.parse(answer.json)
}
const kw = (token: string, method: string, positional: unknown[] = []) =>
  ask({ kind: 'session', token }, 'res.users', method, positional)
const begin = (name: string, password = name, remote = HOME) =>
  session.begin(fixture.databases, 'test', { login: name, password, remote })
const complete = (token: string, code: string, remote = HOME) =>
  secondFactor.complete(fixture.databases, 'test', token, code, { remote })
const expired = (token: string) => assert.rejects(kw(token, 'context_get'), SessionExpired)

/** Makes the codes of the current steps usable again: a code works once. */
const passed = () => run(sql`UPDATE comptoir_second_factor SET last_step = 0`)
const codeOf = (secret: string, away = 0) => totpCode(secret, stepOf(new Date()) + away)

/** A user with a session. */
async function person(name: string, groups = ['base.group_user']): Promise<{ token: string; uid: number }> {
  const uid = await fixture.run(async (env) => {
    const ids = await Promise.all(groups.map((group) => env.ref(group)))
    const values = { name, login: name, password: name, group_ids: [[6, 0, ids]] }
    return (await env.model('res.users').create([values] as never)).ids[0] as number
  })
  return { token: await session.signIn(fixture.databases, 'test', name, name, HOME), uid }
}

/** The same with a second factor. */
async function enrolled(name: string, groups?: string[]) {
  const user = await person(name, groups)
  const { secret } = await kw(user.token, 'begin_second_factor', [name])
  const { recovery_codes: recovery } = await kw(user.token, 'confirm_second_factor', [codeOf(secret)])
  await passed()
  return { ...user, secret: secret as string, recovery: recovery as string[] }
}

const entries = async (uid: number) =>
  (
    await run(
      sql`SELECT event FROM comptoir_audit WHERE uid = ${uid}::int OR res_id = ${uid}::int AND res_model = 'res.users' ORDER BY id`,
    )
  ).map(([event]) => event)

test('enrolment: wants the password, counts from the first code on, and ends other sessions', async () => {
  const { token, uid } = await person('ann')
  const other = await session.signIn(fixture.databases, 'test', 'ann', 'ann', HOME)
  await assert.rejects(kw(token, 'begin_second_factor', ['wrong']), { name: 'AccessDenied' })
  const { secret, uri } = await kw(token, 'begin_second_factor', ['ann'])
  assert.match(uri, new RegExp(`^otpauth://totp/.*:ann\\?secret=${secret}&`))
  assert.equal((await begin('ann')).kind, 'session', 'a secret that waits asks for nothing')
  await assert.rejects(kw(token, 'confirm_second_factor', ['000000']), /Wrong code/)
  const { recovery_codes } = await kw(token, 'confirm_second_factor', [codeOf(secret)])
  assert.equal(new Set(recovery_codes).size, 10)
  const { since, ...status } = await kw(token, 'second_factor')
  assert.match(since, /^\d{4}-/)
  assert.deepEqual(status, { enabled: true, recovery_codes: 10, required: false })
  await expired(other)
  assert.ok((await entries(uid)).includes('second_factor.enable'))
  const [kept] = await run(sql`SELECT f::text FROM comptoir_second_factor f WHERE user_id = ${uid}::int`)
  for (const code of recovery_codes) assert.ok(!String(kept?.[0]).includes(code))
})

test('sign-in: a right password waits for a code, which opens one session and works once', async () => {
  const { secret, uid } = await enrolled('bob')
  const first = await begin('bob')
  assert.equal(first.kind, 'code')
  await expired(first.token)
  await assert.rejects(complete(first.token, 'bob'), { name: 'AccessDenied' })
  const code = codeOf(secret)
  const { token, recoveryCodes } = await complete(first.token, code)
  assert.equal(recoveryCodes, null)
  assert.equal((await kw(token, 'context_get')).uid, uid)
  await assert.rejects(complete(first.token, codeOf(secret, 1)), SessionExpired, 'it is over')
  const again = await begin('bob')
  await assert.rejects(complete(again.token, code), /Wrong code/, 'used before')
  await complete(again.token, codeOf(secret, 1))
  assert.ok((await entries(uid)).includes('second_factor.refused'))
})

test('sign-in: of many tries with one code at once, over any number of logins, one gets in', async () => {
  const { secret } = await enrolled('cat')
  const waiting = await Promise.all([1, 2, 3, 4].map(() => begin('cat')))
  const results = await Promise.allSettled(waiting.map(({ token }) => complete(token, codeOf(secret))))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('sign-in: a waiting login ends with its time, a new password, the archiving of its user and on request', async () => {
  const { secret, uid } = await enrolled('dot')
  const late = await begin('dot')
  await run(sql`UPDATE comptoir_pending_login SET made = made - interval '11 minutes'`)
  const ended = await begin('dot')
  await session.cancelPendingLogin(fixture.databases, 'test', ended.token)
  const old = await begin('dot')
  await run(sql`UPDATE res_users SET password = 'x' || password WHERE id = ${uid}::int`)
  for (const { token } of [late, ended, old])
    await assert.rejects(complete(token, codeOf(secret)), SessionExpired)
  await run(sql`UPDATE res_users SET password = substr(password, 2) WHERE id = ${uid}::int`)
  await run(sql`UPDATE res_users SET active = FALSE WHERE id = ${uid}::int`)
  await assert.rejects(complete(old.token, codeOf(secret)), SessionExpired)
})

test('recovery codes: each opens one session without the app, and the audit log has an entry', async () => {
  const { recovery, uid } = await enrolled('eva')
  const [code = ''] = recovery
  const { token } = await complete((await begin('eva')).token, code.toLowerCase())
  assert.equal((await kw(token, 'second_factor')).recovery_codes, 9)
  await assert.rejects(complete((await begin('eva')).token, code), /Wrong code/)
  const { recovery_codes: fresh } = await kw(token, 'renew_recovery_codes', [recovery[1]])
  await assert.rejects(complete((await begin('eva')).token, recovery[2] ?? ''), /Wrong code/, 'replaced')
  await complete((await begin('eva')).token, fresh[0])
  const audited = await entries(uid)
  assert.ok(audited.includes('second_factor.recovery') && audited.includes('second_factor.codes'))
})

test('programs: a password alone opens nothing, in words after a right one; API keys go on', async () => {
  const { token, uid } = await person('fay')
  const byPassword = (password: string) =>
    ask({ kind: 'password', uid, password }, 'res.users', 'context_get')
  assert.equal((await byPassword('fay')).uid, uid)
  const key = await createKey(fixture.databases, 'test', 'fay', { scope: 'rpc', name: 'till', days: 1 })
  const { secret } = await kw(token, 'begin_second_factor', ['fay'])
  await kw(token, 'confirm_second_factor', [codeOf(secret)])
  const inWords = { name: 'AccessDenied', message: /sign in with an API key/ }
  await assert.rejects(byPassword('fay'), inWords, 'remembered before')
  await assert.rejects(byPassword('wrong'), { message: 'Access Denied' })
  await assert.rejects(login(fixture.databases, 'test', 'fay', 'fay', AWAY), inWords)
  assert.equal(await login(fixture.databases, 'test', 'fay', 'wrong', AWAY), false)
  assert.equal(await login(fixture.databases, 'test', 'fay', key, AWAY), uid)
  assert.equal((await byPassword(key)).uid, uid)
  assert.equal((await ask({ kind: 'key', key }, 'res.users', 'context_get')).uid, uid)
  const byKey = ask({ kind: 'key', key }, 'res.users', 'disable_second_factor', ['123456'])
  await assert.rejects(byKey, /browser session/)
})

test('guesses: codes are counted by user over all addresses, and a right password forgives none', async () => {
  const { secret } = await enrolled('gil')
  await run(sql`INSERT INTO ir_config_parameter (key, value) VALUES ('base.login_lockout_after', '3')`)
  for (let guess = 1; guess <= 3; guess++) {
    const remote = `10.8.${guess}.1`
    const { token } = await begin('gil', 'gil', remote)
    await assert.rejects(complete(token, '000000', remote), /Wrong code/)
  }
  // From where the user signed in before, too: the password is no secret any more.
  const { token } = await begin('gil')
  await assert.rejects(complete(token, codeOf(secret)), /wait a bit/)
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'base.login_lockout_after'`)
  await complete(token, codeOf(secret))
})

test('step-up: where there is a second factor its codes prove who calls, and passwords do not', async () => {
  const { secret, recovery } = await enrolled('hal', ['base.group_system'])
  const parameter = (token: string, value: string | false) =>
    ask({ kind: 'session', token }, 'ir.config_parameter', 'set_param', ['comptoir.step_up_minutes', value])
  const older = () =>
    run(sql`UPDATE browser_session SET made = made - interval '11 minutes', confirmed = NULL`)
  const first = await complete((await begin('hal')).token, codeOf(secret))
  await parameter(first.token, '10')
  await older()
  const refusal = { code: 'step_up_required', message: /code of your authenticator app/ }
  await assert.rejects(parameter(first.token, false), refusal)
  await assert.rejects(kw(first.token, 'prove_identity', ['hal']), /pass a code/)
  // A password that is changed proves nothing more than that somebody knew it.
  await kw(first.token, 'change_password', ['hal', 'new'])
  await expired(first.token)
  const { token } = await complete((await begin('hal', 'new')).token, codeOf(secret, 1))
  await older()
  await assert.rejects(kw(token, 'prove_identity', [null, '000000']), /Wrong code/)
  await kw(token, 'prove_identity', [null, recovery[0]])
  await parameter(token, false)
})

test('API keys: the wizard asks for a code where there is a second factor', async () => {
  const { secret, token } = await enrolled('ian')
  // Enrolling was a proof of some minutes.
  await run(sql`UPDATE browser_session SET confirmed = NULL`)
  const session = { kind: 'session', token } as const
  const wizard = await ask(session, 'res.users.apikeys.description', 'create', [{ name: 'mine' }])
  const next = await ask(session, 'res.users.apikeys.description', 'make_key', [[wizard]])
  const check = (context: object) => ask(session, next.res_model, 'run_check', [[next.res_id]], context)
  await assert.rejects(check({ password: 'ian' }), /pass a code/)
  await assert.rejects(check({ code: '000000' }), { name: 'UserError', message: /Wrong code/ })
  const shown = await check({ code: codeOf(secret) })
  assert.match(shown.context.default_key, /^[0-9a-f]{40}$/)
})

test('switching off: by a code of one’s own, not by the password; replacing keeps the old app until then', async () => {
  const { secret, token, uid } = await enrolled('jan')
  await assert.rejects(kw(token, 'disable_second_factor', ['jan']), /Wrong code/)
  await assert.rejects(kw(token, 'begin_second_factor', ['jan']), /pass a code/)
  const { secret: next } = await kw(token, 'begin_second_factor', [null, codeOf(secret)])
  await complete((await begin('jan')).token, codeOf(secret, 1))
  await kw(token, 'confirm_second_factor', [codeOf(next)])
  await assert.rejects(complete((await begin('jan')).token, codeOf(secret, 1)), /Wrong code/)
  await kw(token, 'disable_second_factor', [codeOf(next, 1)])
  assert.equal((await begin('jan')).kind, 'session')
  await assert.rejects(kw(token, 'disable_second_factor', ['123456']), /no second factor/)
  assert.ok((await entries(uid)).includes('second_factor.disable'))
})

test('required: an administrator without a second factor may only enrol, and not switch it off', async () => {
  const { uid } = await person('kim', ['base.group_system'])
  await person('lea')
  const parameter = sql`INSERT INTO ir_config_parameter (key, value) VALUES ('comptoir.second_factor_required', 'administrators')`
  await run(parameter)
  assert.equal((await begin('lea')).kind, 'session')
  await assert.rejects(login(fixture.databases, 'test', 'kim', 'kim', AWAY), /API key/)
  const waiting = await begin('kim')
  assert.ok(waiting.kind === 'enrol')
  await expired(waiting.token)
  const { enrolment } = await secondFactor.awaited(fixture.databases, 'test', waiting.token)
  assert.deepEqual(enrolment, waiting.enrolment, 'a page that is loaded anew shows the same')
  const { token, recoveryCodes } = await complete(waiting.token, codeOf(waiting.enrolment.secret))
  assert.equal(recoveryCodes?.length, 10)
  assert.equal((await kw(token, 'second_factor')).required, true)
  await assert.rejects(kw(token, 'disable_second_factor', [recoveryCodes[0]]), /must have a second factor/)
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'comptoir.second_factor_required'`)
  assert.ok((await entries(uid)).includes('second_factor.enable'))
})

test('reset: by user administrators, for others who hold no more than they do; sessions end', async () => {
  const clerk = await enrolled('max')
  const chief = await enrolled('ned', ['base.group_system'])
  const manager = await person('oda', ['base.group_user', 'base.group_erp_manager'])
  const other = await person('pia')
  const reset = (token: string, uid: number) => kw(token, 'reset_second_factor', [[uid]])
  await assert.rejects(reset(other.token, clerk.uid), { name: 'AccessError' })
  await assert.rejects(reset(manager.token, chief.uid), { name: 'AccessError' })
  await assert.rejects(reset(chief.token, chief.uid), /with a code/)
  await run(sql`INSERT INTO ir_config_parameter (key, value) VALUES ('comptoir.step_up_minutes', '10')`)
  await run(sql`UPDATE browser_session SET made = made - interval '11 minutes', confirmed = NULL`)
  await assert.rejects(reset(manager.token, clerk.uid), { code: 'step_up_required' })
  await kw(manager.token, 'prove_identity', ['oda'])
  await reset(manager.token, clerk.uid)
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'comptoir.step_up_minutes'`)
  await expired(clerk.token)
  assert.equal((await begin('max')).kind, 'session')
  assert.ok((await entries(clerk.uid)).includes('second_factor.reset'))
})

test('who is archived and comes back begins anew: sessions, waiting logins and codes of then are over', async () => {
  const { secret, uid, token } = await enrolled('sam')
  const waiting = await begin('sam')
  const users = (active: boolean) =>
    fixture.run((env) => env.model('res.users').browse([uid]).write({ active }))
  await users(false)
  await users(true)
  await expired(token)
  await assert.rejects(complete(waiting.token, codeOf(secret)), SessionExpired)
  const again = await begin('sam')
  assert.equal(again.kind, 'code', 'the second factor stays')
  assert.equal((await kw((await complete(again.token, codeOf(secret))).token, 'context_get')).uid, uid)
})

test('a session that somebody else opened by the password alone does not enrol a phone past a second factor', async () => {
  const { secret } = await enrolled('tim')
  const waiting = await begin('tim')
  for (const method of ['begin_second_factor', 'confirm_second_factor', 'second_factor', 'context_get'])
    await assert.rejects(kw(waiting.token, method, ['tim']), SessionExpired, method)
  const key = await createKey(fixture.databases, 'test', 'tim', { scope: 'rpc', name: 'till', days: 1 })
  for (const method of ['begin_second_factor', 'disable_second_factor'])
    await assert.rejects(
      ask({ kind: 'key', key }, 'res.users', method, ['tim']),
      /browser session/,
      `${method} by a key`,
    )
  assert.equal((await complete(waiting.token, codeOf(secret))).recoveryCodes, null)
})

test('a code that was given once proves nothing more, whatever it was given for', async () => {
  const { secret, recovery, uid } = await enrolled('ray', ['base.group_system'])
  await run(sql`INSERT INTO ir_config_parameter (key, value) VALUES ('base.login_lockout_after', '1000')`)
  const code = codeOf(secret)
  const { token } = await complete((await begin('ray')).token, code)
  await run(sql`UPDATE browser_session SET confirmed = NULL`)
  for (const [method, ...args] of [
    ['prove_identity', null, code],
    ['renew_recovery_codes', code],
    ['disable_second_factor', code],
    ['begin_second_factor', null, code],
    ['prove_identity', null, codeOf(secret, -1)],
    ['prove_identity', null, codeOf(secret, 9)],
  ] as const)
    await assert.rejects(kw(token, method, [...args]), /Wrong code/, method)
  await kw(token, 'renew_recovery_codes', [recovery[0]])
  for (const old of recovery)
    await assert.rejects(kw(token, 'prove_identity', [null, old]), /Wrong code/, 'replaced')
  await run(sql`DELETE FROM ir_config_parameter WHERE key = 'base.login_lockout_after'`)
  assert.ok((await entries(uid)).includes('second_factor.refused'))
})
