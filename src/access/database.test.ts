// The room's SQL against a real server, over tables as the base module makes them.

import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessDenied, InvalidApiKey } from '../errors.ts'
import { patience } from '../kit/patience.ts'
import { hashKey, hashPassword, newKey } from '../kit/secrets.ts'
import { fieldTypes } from '../models/kinds/index.ts'
import type { ModelDef, Registry } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { AuditRow } from '../models/language/outside.ts'
import { rightsTables } from '../models/rights/tables.ts'
import { type Embedded, startTemporary } from '../postgres/embedded/index.ts'
import { Pool } from '../postgres/index.ts'
import type { Statement } from '../sql/index.ts'
import { askPool } from './ask.ts'
import { AttemptQueue } from './attempt-queue.ts'
import { Attempt, loginAttempt } from './attempts.ts'
import { Callers } from './callers.ts'
import { AddressGuard } from './cooldown.ts'
import { StaleCredential } from './credential.ts'
import { countQuery, forgetQuery, releaseQuery, reserveQuery, type Subject } from './failures.ts'
import { loadProfile } from './profile.ts'

const tables = `
CREATE TABLE res_partner (id int PRIMARY KEY, name text, lang text, tz text, color int, commercial_partner_id int);
CREATE TABLE res_users (id int PRIMARY KEY, login text, active boolean, password text, company_id int, partner_id int, signature text);
CREATE TABLE res_groups_users_rel (gid int, uid int);
CREATE TABLE res_groups_implied_rel (gid int, hid int);
CREATE TABLE res_company (id int, parent_path text);
CREATE TABLE res_company_users_rel (cid int, user_id int);
CREATE TABLE ir_model (id int, model text);
CREATE TABLE ir_model_fields (id int, model text, name text);
CREATE TABLE ir_model_data (module text, name text, model text, res_id int);
CREATE TABLE ir_model_access (model_id int, group_id int, active boolean, perm_read boolean, perm_write boolean, perm_create boolean, perm_unlink boolean);
CREATE TABLE ir_rule (id int, name text, model_id int, domain_force text, active boolean,
  perm_read boolean, perm_write boolean, perm_create boolean, perm_unlink boolean);
CREATE TABLE rule_group_rel (rule_group_id int, group_id int);
CREATE TABLE ir_default (id int, field_id int, user_id int, company_id int, condition text, json_value text);
CREATE TABLE ir_config_parameter (key text, value text);
CREATE TABLE res_lang (code text, active boolean);
CREATE TABLE res_users_apikeys (user_id int, scope text, expiration_date timestamp, key_hash bytea UNIQUE, id serial);
CREATE TABLE comptoir_key_use (key_id int UNIQUE, user_id int, last_used timestamp, last_address text, last_user_agent text, uses int);
CREATE TABLE comptoir_audit (time timestamp, event text, uid int, login text, address text, res_model text, res_id int, name text, detail jsonb);
INSERT INTO res_partner VALUES (1, 'Ann', 'fr_FR', NULL, 4, 2), (2, 'Firm', NULL, NULL, 0, 2);
INSERT INTO res_users VALUES (1, '__system__', true, NULL, 1, 2), (7, 'ann', true, NULL, 3, 1);
INSERT INTO res_groups_users_rel VALUES (10, 7);
INSERT INTO res_groups_implied_rel VALUES (10, 11), (11, 12), (12, 10), (20, 21);
INSERT INTO res_company VALUES (1, '1/'), (2, '2/'), (3, '1/3/'), (4, NULL);
INSERT INTO res_company_users_rel VALUES (1, 7), (3, 7), (2, 1);
INSERT INTO ir_model VALUES (1, 'res.partner');
INSERT INTO ir_model_fields VALUES (1, 'res.partner', 'color');
INSERT INTO ir_model_data VALUES ('base', 'group_user', 'res.groups', 12), ('base', 'other', 'res.groups', 20), ('base', 'ann', 'res.users', 12);
INSERT INTO ir_model_access VALUES (1, 12, true, true, NULL, true, false), (1, NULL, false, true, true, true, true);
INSERT INTO ir_rule VALUES (1, 'own', 1, '[(''color'', ''='', user.color)]', true, true, false, NULL, true), (2, 'off', 1, '[]', false, true, true, true, true);
INSERT INTO rule_group_rel VALUES (1, 11), (1, 10);
INSERT INTO ir_default VALUES (1, 1, NULL, NULL, NULL, '5'), (2, 1, NULL, NULL, 'a=b', '6');
INSERT INTO res_lang VALUES ('en_US', true), ('fr_FR', true), ('de_DE', false);
`

const color = {
  name: 'color',
  kind: 'integer',
  type: fieldTypes.integer,
  column: true,
  groups: [],
  options: {},
}
const delegated = { ...color, column: false, inherited: true }
const partner = {
  name: 'res.partner',
  label: 'Contact',
  options: {},
  fields: new Map([['color', color]]),
  inherits: new Map(),
} as unknown as ModelDef
const users = {
  name: 'res.users',
  options: {},
  fields: new Map([['color', delegated]]),
  inherits: new Map(),
} as unknown as ModelDef
const registry = {
  get: (name: string) => ({ 'res.partner': partner, 'res.users': users })[name],
} as unknown as Registry

let server: Embedded
let pool: Pool
let callers: Callers

before(async () => {
  patience.factor = 20
  server = await startTemporary()
  pool = new Pool({ ...server, database: 'test', max: 3 })
  await run(tables + rightsTables.join(';'))
  await run(rightsTables.join(';'))
  callers = new Callers({ pool, registry })
})

after(async () => {
  await pool?.end()
  await server?.stop()
})

const run = (script: string) => pool.use((connection) => connection.simple(script))

async function addKey(scope: string | null = null, expires: string | null = null): Promise<string> {
  const key = newKey()
  const values = [scope, expires, hashKey(key)]
  await pool.use((c) =>
    c.query(
      'INSERT INTO res_users_apikeys VALUES (7, $1, now() AT TIME ZONE $$UTC$$ + $2::interval, $3::bytea)',
      values,
    ),
  )
  return key
}

/** Sends the queries of a call's first flush. */
async function judge({
  credentialQuery,
}: {
  credentialQuery: Awaited<ReturnType<Callers['byKey']>>['credentialQuery']
}): Promise<void> {
  credentialQuery.verify(await askPool(pool)(credentialQuery.statement))
}

test('a profile has everything rights ask about', async () => {
  const { profile } = await callers.byKey(await addKey())
  const { stamp, groups, columns, ...rest } = profile
  assert.match(stamp, /^\d+\.\d+$/)
  assert.deepEqual([...groups], ['base.group_user'])
  assert.deepEqual([...columns], [['res.partner.color', 4]])
  assert.deepEqual(rest, {
    id: 7,
    login: 'ann',
    name: 'Ann',
    partnerId: 1,
    commercialPartnerId: 2,
    active: true,
    lang: 'fr_FR',
    tz: null,
    companyId: 3,
    companyIds: [3, 1],
    companiesAbove: new Map([
      [1, [1]],
      [3, [1, 3]],
    ]),
    directGroupIds: [10],
    groupIds: [10, 11, 12],
  })
  assert.equal(await loadProfile(askPool(pool), 99), null)
})

test('rights are read as of their version', async () => {
  const { rights, profile } = await callers.byKey(await addKey())
  assert.match(rights.version, /^1\.\d+$/)
  assert.deepEqual([...rights.languages], ['en_US', 'fr_FR'])
  const may = (['read', 'write', 'create', 'unlink'] as const).map((operation) =>
    rights.mayModel(profile, partner, operation),
  )
  assert.deepEqual(may, [true, false, true, false])
  const ruled = (['read', 'write', 'create', 'unlink'] as const).map((operation) => {
    const env = { user: profile, su: false, unit: { registry } } as unknown as Parameters<
      typeof rights.rules
    >[0]
    return rights.rules(env, partner, operation) !== null
  })
  assert.deepEqual(ruled, [true, false, false, true])
  assert.deepEqual(rights.defaults(profile, 3, partner), { color: 5 })
  assert.equal(await callers.rights(), rights)
})

test('only a valid key of an active user opens a database', async () => {
  for (const [scope, expires] of [
    [null, null],
    ['rpc', '1 hour'],
  ] as const) {
    await judge(await callers.byKey(await addKey(scope, expires)))
  }
  for (const [scope, expires] of [
    [null, '-1 second'],
    ['RPC', null],
    [' rpc', null],
    ['other', null],
    ['', null],
  ] as const) {
    const dead = await addKey(scope, expires)
    await assert.rejects(async () => callers.byKey(dead), InvalidApiKey)
  }
  const key = await addKey()
  const caller = await callers.byKey(key)
  await run('UPDATE res_users SET active = false WHERE id = 7')
  await assert.rejects(judge(caller), InvalidApiKey)
  await run('UPDATE res_users SET active = true WHERE id = 7')
  await pool.use((c) => c.query('DELETE FROM res_users_apikeys WHERE key_hash = $1::bytea', [hashKey(key)]))
  await assert.rejects(judge(caller), InvalidApiKey)
})

test('a change of the version, the user or the partner is noticed with the next call', async () => {
  const key = await addKey()
  for (const change of [
    'UPDATE rights_version SET version = version + 1',
    'UPDATE res_users SET signature = $$x$$',
    "UPDATE res_partner SET lang = 'en_US'",
  ]) {
    const caller = await callers.byKey(key)
    await judge(caller)
    await run(change)
    await assert.rejects(judge(caller), StaleCredential, change)
    await callers.run(() => callers.byKey(key), judge)
    assert.notEqual(await callers.byKey(key), caller)
  }
  assert.equal((await callers.byKey(key)).profile.lang, 'en_US')
})

test('passwords, keys as passwords, and logins', async () => {
  const set = async (password: string) => {
    const stored = await hashPassword(password)
    await pool.use((c) => c.query('UPDATE res_users SET password = $1', [stored]))
  }
  await set('first')
  const key = await addKey('rpc')
  const first = await callers.byPassword(7, 'first', '10.0.0.1')
  await judge(first)
  await judge(await callers.byPassword(7, key, '10.0.0.1'))
  assert.deepEqual(
    [
      await callers.login('ann', 'first'),
      await callers.login('ann', key),
      await callers.login('Ann', 'first'),
    ],
    [7, 7, null],
  )
  assert.deepEqual(
    [await callers.login('__system__', 'first'), await callers.login('__system__', key)],
    [null, null],
  )
  await assert.rejects(callers.byPassword(1, 'first', '10.0.0.1'), AccessDenied)
  await set('second')
  await assert.rejects(judge(first), StaleCredential)
  await assert.rejects(
    callers.run(() => callers.byPassword(7, 'first', '10.0.0.1'), judge),
    AccessDenied,
  )
  await callers.run(() => callers.byPassword(7, 'second', '10.0.0.1'), judge)
})

test('failures of an address are counted, and a success clears them', async () => {
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '2')")
  const unit = { credential: { verify: async () => undefined } }
  const env = { unit, user: { login: 'ann' } } as unknown as Environment
  const call = async (outcome: 'failed' | 'succeeded' | null, address = '10.0.0.1') => {
    const guard = new AddressGuard(AttemptQueue.of(pool), { address })
    await guard.assertNoCooldown(env, 'key')
    if (outcome) await guard[outcome](env)
    await guard.settle()
  }
  await call('failed')
  await call('succeeded')
  await call('failed')
  await call('failed')
  await assert.rejects(call('succeeded'), AccessDenied)
  await call(null, '10.0.0.2')
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  await call(null)
  await run("UPDATE failed_login SET last = last - interval '2 days'")
  await call('failed', '10.0.0.2')
  assert.deepEqual(await failures(), [['address', '10.0.0.2', 1]])
})

const failures = () =>
  pool.use((c) => c.query('SELECT kind, subject, failures FROM failed_login ORDER BY 1, 2'))
const attempt = (login: string, address: string) =>
  new Attempt(AttemptQueue.of(pool), loginAttempt(login, address, 'test'))
/** One attempt from its beginning to its end. */
async function attempted(
  login: string,
  address: string,
  outcome: 'failed' | 'right' | 'giveBack' = 'giveBack',
): Promise<void> {
  const newAttempt = attempt(login, address)
  await newAttempt.begin()
  await newAttempt[outcome]()
}
const waits = (login: string, address: string) => assert.rejects(attempted(login, address), AccessDenied)
const events = async (event: string) =>
  (await pool.use((c) =>
    c.query(`SELECT login, address FROM comptoir_audit WHERE event = '${event}' ORDER BY time`),
  )) as unknown[][]

test('a login that failed from many addresses waits everywhere but where it was used with success', async () => {
  await run(
    "DELETE FROM failed_login; DELETE FROM comptoir_audit; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'",
  )
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_lockout_after', '3')")
  await attempt('ann', '10.1.0.1').signedIn(7)
  for (const last of [1, 2, 3]) await attempted('ann', `10.2.0.${last}`, 'failed')
  await waits('ann', '10.2.0.9')
  await attempted('bob', '10.2.0.9')
  await attempted('ann', '10.1.0.1')
  assert.deepEqual(await events('login'), [['ann', '10.1.0.1']])
  assert.deepEqual(
    (await events('login.failed')).map((row) => row[1]),
    ['10.2.0.1', '10.2.0.2', '10.2.0.3'],
  )
  // Every further failure doubles the time.
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  await attempted('ann', '10.2.0.9', 'failed')
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  await waits('ann', '10.2.0.9')
  await run("UPDATE failed_login SET last = last - interval '60 seconds'")
  await attempted('ann', '10.2.0.9')
})

test('of any number of attempts at once no more are judged than may fail, and the right one among them is refused like the others', async () => {
  for (const after of [3, 10]) {
    await run("DELETE FROM failed_login; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'")
    await run(`INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '${after}')`)
    // Four nodes, each with its own instance.
    const queues = Array.from({ length: 4 }, () => AttemptQueue.of(pool))
    let judged = 0
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const newAttempt = new Attempt(
          queues[i % 4] as AttemptQueue,
          loginAttempt(`login ${i}`, '10.3.0.1', 'test'),
        )
        const work = async () => {
          judged++
          await sleep(5)
          return i === 55 ? 7 : null
        }
        return newAttempt
          .judge(work)
          .then(String, (error: unknown) => (error instanceof AccessDenied ? error.message : error))
      }),
    )
    assert.equal(judged, after)
    assert.equal(answers.filter((answer) => answer === 'null').length, after)
    assert.equal(answers.filter((answer) => /wait a bit/.test(String(answer))).length, 60 - after)
    assert.deepEqual(await failures(), [
      ['address', '10.3.0.1', after],
      ...(await failures()).filter(([kind]) => kind === 'login'),
    ])
  }
})

test('right ones at once wait for each other and are all right, whatever failed before', async () => {
  await run("DELETE FROM failed_login; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'")
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '3')")
  for (let i = 0; i < 2; i++) await attempted('eve', '10.3.0.2', 'failed')
  const queues = [AttemptQueue.of(pool), AttemptQueue.of(pool)]
  const right = Array.from({ length: 20 }, (_, i) =>
    new Attempt(queues[i % 2] as AttemptQueue, loginAttempt('eve', '10.3.0.2', 'test')).judge(async () => 7),
  )
  assert.deepEqual(await Promise.all(right), Array(20).fill(7))
  assert.deepEqual(await failures(), [])
})

test('after the wait one is judged at a time', async () => {
  await run('DELETE FROM failed_login')
  for (let i = 0; i < 3; i++) await attempted('eve', '10.3.0.3', 'failed')
  await waits('eve', '10.3.0.3')
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  let judged = 0
  const wrong = () =>
    attempt('eve', '10.3.0.3').judge(async () => {
      judged++
      await sleep(5)
      return null
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, wrong))
  assert.deepEqual([judged, outcomes.filter(({ status }) => status === 'rejected').length], [1, 7])
})

test('places of a process that died count as failures after a minute', async () => {
  await run('DELETE FROM failed_login')
  for (let i = 0; i < 3; i++) await attempt('eve', '10.3.0.4').begin()
  await run("UPDATE failed_login SET reserved = reserved - interval '61 seconds'")
  await attempted('eve', '10.3.0.4', 'failed')
  assert.deepEqual((await failures())[0], ['address', '10.3.0.4', 4])
  await waits('eve', '10.3.0.4')
})

test('a flood of failures is a few entries in the log and one that counts the others; long texts are cut', async () => {
  await run(
    "DELETE FROM failed_login; DELETE FROM comptoir_audit; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'",
  )
  const queue = AttemptQueue.of(pool)
  const entries: AuditRow[] = []
  queue.tell = (row) => entries.push(row)
  const row = {
    event: 'login.failed',
    uid: null,
    login: 'x'.repeat(100_000),
    address: '10.3.0.5',
    detail: { by: 'y'.repeat(100_000) },
  }
  // However long they take to be written: all of it is within a second.
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await Promise.all(Array.from({ length: 50 }, () => queue.write(row)))
    mock.timers.tick(1000)
  } finally {
    mock.timers.reset()
  }
  while (entries.length < 11) await sleep(5)
  const rows = await pool.use((c) =>
    c.query(
      "SELECT length(login), length(detail::text), detail->'entries' FROM comptoir_audit ORDER BY time",
    ),
  )
  assert.deepEqual([rows.length, entries.length], [11, 11])
  assert.equal(Number(rows.at(-1)?.[2]), 40)
  for (const [login, detail] of rows) assert.ok(Number(login) <= 200 && Number(detail) <= 5000)
})

test('wrong passwords over RPC make their address and the user wait in the end; what was right before goes on', async () => {
  await run('DELETE FROM failed_login')
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '1')")
  const stored = await hashPassword('right')
  await pool.use((c) => c.query('UPDATE res_users SET password = $1', [stored]))
  const callers = new Callers({ pool, registry })
  await callers.byPassword(7, 'right', '10.4.0.1')
  const wrong = () => assert.rejects(callers.byPassword(7, 'wrong', '10.4.0.1'), AccessDenied)
  for (let i = 0; i < 2; i++) await wrong()
  assert.deepEqual(await failures(), [
    ['rpc address', '10.4.0.1', 2],
    ['rpc here', '7 10.4.0.1', 2],
    ['rpc user', '7', 2],
  ])
  await wrong()
  assert.deepEqual((await failures())[2], ['rpc user', '7', 2], 'who has to wait is not counted')
  const elsewhere = new Callers({ pool, registry })
  await assert.rejects(elsewhere.byPassword(7, 'right', '10.4.0.2'), /wait a bit/)
  await assert.rejects(callers.byPassword(7, 'right', '10.4.0.1').then(judge), /wait a bit|out of date/)
  await assert.rejects(
    callers.run(() => callers.byPassword(7, 'right', '10.4.0.1'), judge),
    /wait a bit/,
    'nobody learns which one is right, not even where it is remembered',
  )
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  await elsewhere.byPassword(7, 'right', '10.4.0.1')
  assert.deepEqual(
    await failures(),
    [['rpc here', '7 10.4.0.2', 1]],
    'a right one clears the count of its address',
  )
})

test('what was right over RPC goes on while others at its address, or elsewhere in its name, have to wait', async () => {
  await run("DELETE FROM failed_login; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'")
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '1')")
  const callers = new Callers({ pool, registry })
  await callers.byPassword(7, 'right', '10.4.0.1')
  await run(
    "INSERT INTO failed_login VALUES ('rpc user', '7', 99, now() AT TIME ZONE 'UTC'), ('rpc address', '10.4.0.1', 99, now() AT TIME ZONE 'UTC')",
  )
  const goesOn = () =>
    callers.run(
      () => callers.byPassword(7, 'right', '10.4.0.1'),
      async (caller) => {
        await judge(caller)
        return caller.profile.id
      },
    )
  assert.equal(await goesOn(), 7)
  await run('UPDATE rights_version SET version = version + 1')
  assert.equal(await goesOn(), 7, 'after a change of rights too')
  // Somebody else's tries at this user, from here: the right one waits with them, and goes on when they gave
  // up.
  for (let i = 0; i < 1; i++)
    await assert.rejects(callers.byPassword(7, `guess ${i}`, '10.4.0.1'), /wait a bit/)
  assert.equal(await goesOn(), 7)
  await assert.rejects(callers.byPassword(7, 'guess', '10.4.0.1'), /wait a bit/)
  await assert.rejects(goesOn(), /wait a bit/)
  await run("UPDATE failed_login SET last = last - interval '61 seconds'")
  assert.equal(await goesOn(), 7)
})

test('of very many passwords over RPC at once no more are judged than may fail, though one of them is remembered', async () => {
  await run("DELETE FROM failed_login; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'")
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '1')")
  const callers = new Callers({ pool, registry })
  await callers.byPassword(7, 'right', '10.4.0.4')
  const tried = Array.from({ length: 40 }, (_, i) => (i === 30 ? 'right' : `wrong ${i}`))
  const answers = await Promise.all(
    tried.map((password) =>
      callers
        .byPassword(7, password, '10.4.0.4')
        .then(judge)
        .then(
          () => 'in',
          (error: Error) => error.message,
        ),
    ),
  )
  assert.equal(answers[30], answers.at(-1))
  assert.match(String(answers[30]), /wait a bit/)
  assert.equal(answers.filter((answer) => answer === 'Access Denied').length, 2)
})

test('strangers who fail over RPC in the name of a user do not keep them from where they sign in', async () => {
  await run(
    "DELETE FROM failed_login; DELETE FROM comptoir_audit; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'",
  )
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '1')")
  await attempt('ann', '10.6.0.1').signedIn(7)
  await run("INSERT INTO failed_login VALUES ('rpc user', '7', 9, now() AT TIME ZONE 'UTC')")
  const fresh = new Callers({ pool, registry })
  await assert.rejects(fresh.byPassword(7, 'right', '10.6.0.2'), /wait a bit/)
  assert.equal((await fresh.byPassword(7, 'right', '10.6.0.1')).profile.id, 7)
})

test('addresses of one IPv6 network are counted as one', async () => {
  await run("DELETE FROM failed_login; DELETE FROM ir_config_parameter WHERE key LIKE 'base.login%'")
  await run("INSERT INTO ir_config_parameter VALUES ('base.login_cooldown_after', '2')")
  for (const last of [1, 2]) await attempted(`guess ${last}`, `2001:db8::${last}`, 'failed')
  await waits('guess', '2001:db8::3')
  await attempted('guess', '2001:db8:0:1::3')
})

test('counting and clearing the same subjects at once ends without a deadlock or a lost count', async () => {
  await run('DELETE FROM failed_login')
  const subjects = [
    { kind: 'address', name: '10.7.0.1' },
    { kind: 'login', name: 'x' },
  ] as const
  const ask = askPool(pool)
  const taking = (of: readonly Subject[]) =>
    reserveQuery(of.map((subject, i) => ({ ...subject, limit: 1000, seen: i ? 1 : null })))
  const work = Array.from({ length: 120 }, (_, i) =>
    ask(
      [countQuery, (of: readonly Subject[]) => releaseQuery(of, i % 8 > 3), forgetQuery, taking]
        [i % 4]?.(i % 3 ? subjects : subjects.toReversed())
        .compile() as Statement,
    ),
  )
  assert.deepEqual(
    (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected'),
    [],
  )
})

test('uses of keys are written together, once, and keys that are gone are left out', async () => {
  const [key, gone] = [await addKey(), await addKey()]
  const callers = new Callers({ pool, registry })
  for (const [secret, agent] of [
    [key, 'first'],
    [key, 'se\0cond'],
    [gone, 'gone'],
  ] as const)
    callers.noteUse(await callers.byKey(secret), '10.5.0.1', agent)
  const used = () =>
    pool.use((c) => c.query('SELECT uses, last_address, last_user_agent FROM comptoir_key_use'))
  assert.deepEqual(await used(), [])
  await pool.use((c) => c.query('DELETE FROM res_users_apikeys WHERE key_hash = $1', [hashKey(gone)]))
  await callers.settle()
  await callers.settle()
  assert.deepEqual(await used(), [[2, '10.5.0.1', 'second']])
  callers.noteUse(await callers.byKey(key), '10.5.0.2', undefined)
  await callers.settle()
  assert.deepEqual(await used(), [[3, '10.5.0.2', '']])
  assert.equal(
    callers.byHash(hashKey(key), undefined),
    await callers.byKey(key),
    'remembered by key and by hash',
  )
  const change = (text: string) => pool.use((c) => c.query(`ALTER TABLE comptoir_key_use ${text}`))
  await change('ADD CONSTRAINT three CHECK (uses <= 3)')
  for (const agent of ['third', 'fourth']) {
    callers.noteUse(await callers.byKey(key), '10.5.0.3', agent)
    await callers.settle()
    assert.deepEqual(await used(), [[3, '10.5.0.2', '']], 'what cannot be written waits')
  }
  await change('DROP CONSTRAINT three')
  callers.noteUse(await callers.byKey(key), '10.5.0.4', 'fifth')
  await callers.settle()
  assert.deepEqual(await used(), [[6, '10.5.0.4', 'fifth']])
})
