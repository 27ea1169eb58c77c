// Callers: which are remembered, when they are read again, and which are refused. A table of answers stands
// in for the database.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { AccessDenied, ConcurrencyError, InvalidApiKey } from '../errors.ts'
import { hashPassword } from '../kit/secrets.ts'
import type { Registry } from '../models/language/definitions.ts'
import type { Pool } from '../postgres/index.ts'
import { Callers } from './callers.ts'
import { StaleCredential } from './credential.ts'

const ADDRESS = '10.0.0.9'
const KEY = '0123456789abcdef0123456789abcdef01234567'
const stored = await hashPassword('right')
const registry = { get: () => undefined } as unknown as Registry

/** State of the database, and the queries that it received. */
let version = '1'
let stamp = '5.5'
let active = true
let keyWorks = true
let queries: string[] = []

beforeEach(() => {
  version = '1'
  stamp = '5.5'
  active = true
  keyWorks = true
  queries = []
})

function answer(text: string, values: readonly unknown[]): unknown[][] {
  // Every attempt gets a place.
  if (text.startsWith('WITH made')) return [['rpc here'], ['rpc address'], ['rpc user']]
  // There are no failures, and nothing is counted: failures.test.ts and database.test.ts cover that.
  if (/^(?!SELECT u.id).*(failed_login|comptoir_audit)/s.test(text)) return []
  const facts = active ? [[7, version, stamp]] : []
  if (/^(BEGIN|ROLLBACK)/.test(text)) return []
  if (text.includes('to_regclass')) return [[false]]
  const [what, rows] = text.includes('FROM (SELECT u.id')
    ? ['key owner', keyWorks && values.includes('ann') ? [[7]] : []]
    : text.includes('key_hash')
      ? ['key', keyWorks ? facts : []]
      : text.includes('password')
        ? ['password', active && (values.includes('ann') || values.includes(7)) ? [[7, stored, 'none']] : []]
        : text.includes('WITH RECURSIVE')
          ? ['profile', [[profile()]]]
          : text.includes("'access'")
            ? ['rights', [[JSON.stringify({ version, languages: [], access: [], rules: [], defaults: [] })]]]
            : ['user', values.includes(7) ? facts : []]
  queries.push(what as string)
  return rows as unknown[][]
}

function profile(): string {
  return JSON.stringify({
    id: 7,
    login: 'ann',
    partner: 70,
    company: 1,
    companies: [2, 1],
    places: [[2], [1]],
    direct: [],
    groups: [],
    names: [],
    columns: {},
    stamp,
  })
}

const connection = { query: async (text: string, values: readonly unknown[] = []) => answer(text, values) }
const use = (work: (c: typeof connection) => Promise<unknown>) => work(connection)
const pool = { use, useAside: use } as unknown as Pool
const newCallers = () => new Callers({ pool, registry })
const check = async ({ credentialQuery }: Awaited<ReturnType<Callers['byKey']>>) =>
  credentialQuery.verify(answer(credentialQuery.statement.text, credentialQuery.statement.values))

test('a key is looked up once; its credential check is a part of each call', async () => {
  const callers = newCallers()
  const caller = await callers.byKey(KEY)
  assert.deepEqual([caller.profile.id, caller.profile.companyIds], [7, [1, 2]])
  assert.deepEqual(queries, ['key', 'rights', 'profile'])
  assert.equal(await callers.byKey(KEY), caller)
  assert.equal(queries.length, 3)
  await check(caller)
  assert.ok(
    Buffer.isBuffer(caller.credentialQuery.statement.values[0]) &&
      !caller.credentialQuery.statement.text.includes(KEY),
  )
})

test('a key that opens nothing, at first or later', async () => {
  const callers = newCallers()
  const caller = await callers.byKey(KEY)
  keyWorks = false
  await assert.rejects(check(caller), InvalidApiKey)
  await assert.rejects(async () => newCallers().byKey(KEY), InvalidApiKey)
})

test('a change of rights or of the user is noticed, and the caller read anew', async () => {
  for (const change of [() => (version = '2'), () => (stamp = '6.5')]) {
    const callers = newCallers()
    await callers.byKey(KEY)
    change()
    let runs = 0
    const result = await callers.run(
      () => callers.byKey(KEY),
      async (caller) => {
        runs++
        await check(caller)
        return [caller.rights.version, caller.expected.stamp]
      },
    )
    assert.equal(runs, 2)
    assert.deepEqual(result, [version, stamp])
  }
})

test('other errors pass, and endless changes end', async () => {
  const callers = newCallers()
  const failing = (error: Error) =>
    callers.run(
      () => callers.byKey(KEY),
      () => Promise.reject(error),
    )
  await assert.rejects(failing(new AccessDenied('mine')), /mine/)
  await assert.rejects(failing(new StaleCredential()), ConcurrencyError)
})

test('rights are read once per version, for all callers', async () => {
  const callers = newCallers()
  const { rights } = await callers.byKey(KEY)
  assert.equal((await callers.byKey(KEY.replace('0', 'f'))).rights, rights)
  assert.equal(await callers.byPassword(7, 'right', ADDRESS).then((c) => c.rights), rights)
  assert.equal(queries.filter((what) => what === 'rights').length, 1)
})

test('a user id with the password, or with a key of that very user', async () => {
  const callers = newCallers()
  const caller = await callers.byPassword(7, 'right', ADDRESS)
  assert.equal(caller.profile.id, 7)
  assert.equal(await callers.byPassword(7, 'right', ADDRESS), caller)
  await check(caller)
  const byKey = await callers.byPassword(7, KEY, ADDRESS)
  keyWorks = false
  await assert.rejects(check(byKey), AccessDenied)
  active = false
  await assert.rejects(check(caller), AccessDenied)
})

test('a login or key without a user is refused', async () => {
  const callers = newCallers()
  const pairs: [unknown, unknown][] = [
    [7, 'wrong'],
    [7, ''],
    [7, null],
    [7, false],
    [1, 'right'],
    [0, 'right'],
    [-1, 'right'],
    [2e9, 'right'],
    [3e9, 'right'],
    ['7', 'right'],
    [7.5, 'right'],
    [8, KEY],
  ]
  for (const [uid, password] of pairs)
    await assert.rejects(callers.byPassword(uid, password, ADDRESS), AccessDenied, `${uid} ${password}`)
  active = false
  await assert.rejects(callers.byPassword(7, 'right', ADDRESS), AccessDenied)
})

test('a changed password is noticed: the stamp is older than the judgement', async () => {
  const callers = newCallers()
  const caller = await callers.byPassword(7, 'right', ADDRESS)
  stamp = '9.9'
  await assert.rejects(check(caller), StaleCredential)
})

test('a login by password or by API key gives the user', async () => {
  const callers = newCallers()
  assert.equal(await callers.login('ann', 'right'), 7)
  assert.equal(await callers.login('ann', KEY), 7)
  for (const [login, password] of [
    ['ann', 'wrong'],
    ['bob', 'right'],
    ['bob', KEY],
    ['ann', ''],
    [null, 'right'],
    ['a\0', 'right'],
    ['ann', 5],
  ]) {
    assert.equal(await callers.login(login, password), null, `${login} ${password}`)
  }
  assert.equal(await callers.check({ login: 'ann' }, KEY), null)
})
