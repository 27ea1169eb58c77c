// Guessing at once, on every wire: no more are judged than may fail, and the right one among those that wait
// is answered as the others are.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { createServer, type Server } from '../../src/main.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import '../support/patience.ts'
import { type TakenDataDir, takeDataDir } from '../support/shared-server.ts'

const RIGHT = 'the right password'
const MASTER = 'the master password'
/** Failures in a row that make an address wait; calls over RPC may fail twice as often. */
const LIMIT = 3
const MANY = 60
let temp: TakenDataDir
let databases: Databases
let server: Server
let key: string
before(async () => {
  temp = await takeDataDir('guessing')
  databases = await Databases.open({
    dataDir: temp.path,
    modules: [base],
    durable: false,
    masterPassword: MASTER,
  })
  await databases.create('shop', { login: 'admin', password: RIGHT })
  key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'test', days: 1 })
  await query(
    sql`UPDATE ir_config_parameter SET value = ${String(LIMIT)} WHERE key = 'base.login_cooldown_after'`,
  )
  server = await createServer({ databases })
})
after(async () => {
  await server?.close()
  if (databases) await temp.release(databases)
  await databases?.close()
  temp?.remove()
})
beforeEach(() => query(sql`DELETE FROM failed_login`))

const query = async (statement: ReturnType<typeof sql>) =>
  (await databases.database('shop')).system((env) => env.query(statement))

interface Outcome {
  readonly status: number
  readonly text: string
  readonly retryAfter: unknown
}

async function post(url: string, payload: unknown, headers: Record<string, string> = {}): Promise<Outcome> {
  const answer = await server.app.inject({
    method: 'POST',
    url,
    headers: {
      host: 'localhost',
      ...(typeof payload === 'string' ? { 'content-type': 'text/xml' } : {}),
      ...headers,
    },
    payload: payload as object,
  })
  return { status: answer.statusCode, text: answer.body, retryAfter: answer.headers['retry-after'] }
}
const xml = (method: string, values: readonly (string | number)[]) =>
  `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${values
    .map(
      (value) =>
        `<param><value>${typeof value === 'number' ? `<int>${value}</int>` : `<string>${value}</string>`}</value></param>`,
    )
    .join('')}</params></methodCall>`
const jsonrpc = (service: string, method: string, args: unknown[]) =>
  post('/jsonrpc', { params: { service, method, args } })
const json2 = (path: string, body: object) =>
  post(`/json/2/${path}`, body, { authorization: `bearer ${key}` })

/** A try with a password, or something like it, and how many of them may fail in a row. */
type Wire = readonly [
  name: string,
  most: number,
  attempt: (password: string) => Promise<Outcome>,
  right: () => string,
]
const password = () => RIGHT
const wires: readonly Wire[] = [
  [
    'a session',
    LIMIT,
    (guess) => post('/web/session/authenticate', { params: { db: 'shop', login: 'admin', password: guess } }),
    password,
  ],
  [
    'common.authenticate',
    LIMIT,
    (guess) => jsonrpc('common', 'authenticate', ['shop', 'admin', guess, {}]),
    password,
  ],
  [
    'common.login over XML-RPC',
    LIMIT,
    (guess) => post('/xmlrpc/2/common', xml('login', ['shop', 'admin', guess])),
    password,
  ],
  ['a key for a login', LIMIT, (guess) => jsonrpc('common', 'login', ['shop', 'admin', guess]), () => key],
  [
    'object calls',
    LIMIT * 2,
    (guess) => jsonrpc('object', 'execute', ['shop', 2, guess, 'res.users', 'context_get']),
    password,
  ],
  [
    'object calls over XML-RPC',
    LIMIT * 2,
    (guess) => post('/xmlrpc/2/object', xml('execute', ['shop', 2, guess, 'res.users', 'context_get'])),
    password,
  ],
  // The new password is rejected, so that the current one stays valid.
  [
    'change_password',
    LIMIT,
    (guess) => json2('res.users/change_password', { old_passwd: guess, new_passwd: ' ' }),
    password,
  ],
  // No such date: a right key is right, and makes nothing.
  [
    'generate',
    LIMIT,
    (guess) =>
      json2('res.users.apikeys/generate', {
        key: guess,
        scope: null,
        name: 'x',
        expiration_date: '2999-01-01',
      }),
    () => key,
  ],
]

for (const [name, most, attempt, right] of wires) {
  test(`${name}: of many at once no more are judged than may fail`, async () => {
    const place = MANY - 5
    const outcomes = await Promise.all(
      Array.from({ length: MANY }, (_, i) => attempt(i === place ? right() : `wrong ${i}`)),
    )
    const counted = Map.groupBy(
      outcomes,
      ({ status, text }) => `${status} ${/wait a bit/.test(text) ? 'waits' : 'judged'}`,
    )
    const judged = [...counted].filter(([kind]) => kind.endsWith('judged')).flatMap(([, all]) => all)
    assert.equal(judged.length, most, [...counted.keys()].join())
    const waiting = [...counted].filter(([kind]) => kind.endsWith('waits')).flatMap(([, all]) => all)
    const words = ({ status, text }: Outcome) =>
      `${status} ${text.replaceAll(/"request_id":\s*"[^"]*"/g, '')}`
    assert.deepEqual(new Set(waiting.map(words)).size, 1, 'all are answered alike')
    assert.ok(outcomes[place] && waiting.includes(outcomes[place]), 'the right one is one of them')
    // Later on too, one at a time.
    assert.equal(words(await attempt(right())), words(await attempt('wrong')))
  })
}

test('the master password: forms and RPC', async () => {
  const form = (guess: string) =>
    server.app.inject({
      method: 'POST',
      url: '/web/database/drop',
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' },
      payload: new URLSearchParams({ master_pwd: guess, name: 'none' }).toString(),
    })
  const [forms, calls] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, (_, i) => form(i === 17 ? MASTER : `wrong ${i}`))),
    Promise.all(
      Array.from({ length: 20 }, (_, i) => jsonrpc('db', 'drop', [i === 17 ? MASTER : `wrong ${i}`, 'none'])),
    ),
  ])
  const refused = [...forms.map(({ body }) => body), ...calls.map(({ text }) => text)].filter((text) =>
    /Too many attempts/.test(text),
  )
  assert.ok(refused.length >= 30, `${refused.length} of 40 were not judged`)
  assert.match(forms[17]?.body ?? '', /Too many attempts/)
  assert.match(calls[17]?.text ?? '', /Too many attempts/)
})

test('guessing: overlong passwords and logins belong to no user', async () => {
  await query(sql`UPDATE ir_config_parameter SET value = '0' WHERE key = 'base.login_cooldown_after'`)
  const long = 'x'.repeat(500_000)
  assert.match((await jsonrpc('common', 'login', ['shop', 'admin', long])).text, /"result":\s*false/)
  assert.match(
    (await jsonrpc('object', 'execute', ['shop', 2, long, 'res.users', 'context_get'])).text,
    /AccessDenied/,
  )
  assert.match((await jsonrpc('common', 'login', ['shop', long, RIGHT])).text, /"result":\s*false/)
  const refused = await json2('res.users/write', { ids: [2], vals: { password: long } })
  assert.deepEqual([refused.status, /at most 4096/.test(refused.text)], [422, true])
  const [[length] = []] = await query(sql`SELECT max(length(login)) FROM comptoir_audit`)
  assert.ok(Number(length) <= 200)
})
