// Creations that come at the same time are made as one, and nobody notices: each hears of its own records, a
// failure of one is no other's, nothing is done twice, and who may what is asked as ever.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { carrying } from '../../src/kit/watch/index.ts'
import { modules } from '../../src/main.ts'
import {
  boolean,
  char,
  defineModule,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  ref,
} from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import type { CallBody } from '../../src/services/request.ts'
import type { Sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { loseOddTurns } from '../support/odd-turns.ts'
import { type Measured, measured } from '../support/statements.ts'

const thing = model('together.thing', {
  label: 'Thing',
  joinsCreates: true,
  fields: {
    name: char({ required: true }),
    size: integer(),
    trouble: boolean(),
    lines: one2many('together.line', 'thing_id'),
  },
  rules: {
    one_name: { unique: ['name'], message: 'There is a thing of this name.' },
    small: { check: 'size < 1000', message: 'This thing is too large.' },
  },
})
const line = model('together.line', {
  label: 'Line',
  joinsCreates: true,
  fields: { name: char(), thing_id: many2one('together.thing', { ondelete: 'cascade' }) },
})

declare module '#models' {
  interface Models {
    'together.thing': TogetherThing
    'together.line': TogetherLine
  }
  interface TogetherThing extends Of<typeof thing> {}
  interface TogetherLine extends Of<typeof line> {}
}

const access = (name: string) => ({
  name,
  model_id: ref(`creations_together.model_together_${name}`),
  group_id: ref('base.group_user'),
  perm_read: true,
  perm_write: true,
  perm_create: true,
})

const ours = defineModule({
  name: 'creations_together',
  version: '1.0',
  summary: 'Things, for tests',
  depends: ['base'],
  data: [{ model: 'ir.model.access', records: { things: access('thing'), lines: access('line') } }],
  models: [
    implement(thing, {
      concerns: { create: (names) => names.has('trouble') },
      wrapCreate: (next) => async (things, list) => {
        if (list.some(({ trouble }) => trouble)) throw new TypeError('A fault of this module')
        return next(things, list)
      },
    }),
    implement(line, {}),
  ],
})

let held: TestDatabase
let key = ''
before(async () => {
  held = await openTestDatabase([...modules.filter(({ name }) => name !== 'pos_sale'), ours])
  key = await newKey()
  await loseOddTurns((statement: Sql) => held.run(({ unit }) => unit.query(statement)), 'together_thing')
})
after(() => held?.close())

let keys = 0
const newKey = () =>
  createKey(held.databases, 'test', 'admin', { scope: 'rpc', name: `test ${++keys}`, days: 1 })
const query = async (text: string, ...params: unknown[]): Promise<readonly (readonly unknown[])[]> =>
  held.database.pool.use((connection) => connection.query(text, params as never))

interface Heard {
  readonly status: number
  readonly body: unknown
  readonly message: string
}

interface Asked {
  readonly at?: TestDatabase
  readonly model?: string
  readonly key?: string
  readonly remote?: string
}

/** A creation as a wire would ask for it. */
async function ask(body: CallBody, asked: Asked = {}): Promise<Heard> {
  const { at = held, model: name = 'together.thing', remote = '127.0.0.1' } = asked
  try {
    const { json } = await call(at.databases, {
      database: 'test',
      credential: { kind: 'key', key: asked.key ?? key },
      model: name,
      method: 'create',
      body: () => body,
      remote,
      requestId: 'test',
    })
    return { status: 200, body: JSON.parse(json), message: '' }
  } catch (error) {
    const { status = 500, message } = error as Error & { status?: number }
    return { status, body: null, message }
  }
}

const make = (vals: object | readonly object[], asked?: Asked) =>
  ask({ named: { vals_list: Array.isArray(vals) ? vals : [vals] } }, asked)

/** How many transactions there were that changed something. */
const commits = ({ texts }: Measured<unknown>) => texts.filter((text) => text === 'COMMIT').length

/** Runs them all at once, once it is known who calls: two go ahead, all others wait for one of these. */
const allOf = (works: readonly (() => Promise<Heard>)[]) =>
  measured(() => Promise.all(works.map((run) => run())))

const namesOf = (ids: unknown) =>
  query('SELECT name FROM together_thing WHERE id = ANY($1) ORDER BY id', ids).then((rows) => rows.flat())

let called = 0
/** A key by which nothing has failed so far, and whose owner is known. */
async function freshKey(): Promise<string> {
  const own = await newKey()
  await make({ name: `First ${++called}` }, { key: own })
  return own
}

test('twenty orders at a time are few transactions, and each is answered its own', async () => {
  const [partners, product] = await held.run(async (env) => {
    const names = Array.from({ length: 20 }, (_, n) => ({ name: `Customer ${n}` }))
    const made = await env.model('res.partner').create(names)
    const one = await env.model('product.product').create([{ name: 'Boots', list_price: 10 } as never])
    return [made.ids, one.ensureOne()] as const
  })
  const order = (n: number) =>
    make(
      {
        partner_id: partners[n],
        client_order_ref: `Ours ${n}`,
        order_line: [1, 2].map((m) => [0, 0, { product_id: product, product_uom_qty: n + m }]),
      },
      { model: 'sale.order' },
    )
  for (let n = 0; n < 2; n++) assert.equal((await order(n)).status, 200)
  const alone = await measured(() => order(2))
  const all = await allOf(partners.map((_, n) => () => order(n)))
  // Sixteen go with each other at most.
  assert.equal(commits(all), 4, all.texts.join('\n'))
  assert.ok(all.statements < 5 * alone.statements, `${all.statements} of ${alone.statements} each`)
  for (const [n, { status, body, message }] of all.heard.entries()) {
    assert.equal(status, 200, message)
    const rows = await query(
      `SELECT o.partner_id, o.client_order_ref, o.amount_untaxed::float8, o.name,
        (SELECT array_agg(l.product_uom_qty::int ORDER BY l.id) FROM sale_order_line l WHERE l.order_id = o.id)
        FROM sale_order o WHERE o.id = ANY($1)`,
      body,
    )
    assert.equal(rows.length, 1)
    const [partner, reference, amount, name, quantities] = rows[0] as unknown[]
    assert.deepEqual([partner, reference, quantities], [partners[n], `Ours ${n}`, [n + 1, n + 2]])
    assert.equal(amount, 10 * (2 * n + 3))
    assert.match(String(name), /^S\d{5}$/)
  }
  const names = await query('SELECT count(*)::int, count(DISTINCT name)::int FROM sale_order')
  assert.deepEqual(names[0]?.[0], names[0]?.[1], 'no number is given twice')
})

test('records of a known form: a list in one trip, with its own ids in answer, row and feed', async () => {
  const many = (name: string) => Array.from({ length: 10 }, (_, n) => ({ name: `${name} ${n}`, size: n }))
  for (let n = 0; n < 3; n++) assert.equal((await make({ name: `Known ${n}`, size: n })).status, 200)
  const { heard, trips, statements, texts } = await measured(() => make(many('Listed')))
  assert.deepEqual({ trips, statements }, { trips: 1, statements: 5 }, texts.join('\n'))
  const ids = heard.body as number[]
  assert.deepEqual(
    await namesOf(ids),
    many('Listed').map(({ name }) => name),
  )
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  const told = await query(
    `SELECT f.ids FROM comptoir_change f WHERE f.model = 'together.thing' AND f.op = 'c' AND f.ids && $1::int[]`,
    ids,
  )
  assert.deepEqual(told.flat(2), ids)
  const refused = await make([...many('Refused'), { name: 'Listed 3', size: 3 }])
  assert.equal(refused.status, 422)
  assert.match(refused.message, /There is a thing of this name/)
  assert.deepEqual(await query(`SELECT 1 FROM together_thing WHERE name LIKE 'Refused%'`), [])
})

test('a list with a key of repetition is made once, and its answer is the same', async () => {
  const repeated = async () => {
    const asks = { key: 'a list', onlyKey: true, tell: () => undefined }
    const { json } = await call(held.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'together.thing',
      method: 'create',
      body: () => ({ named: { vals_list: [1, 2, 3].map((n) => ({ name: `Once ${n} %s %1$s`, size: n })) } }),
      remote: '127.0.0.1',
      requestId: 'test',
      asks,
    })
    return JSON.parse(json) as number[]
  }
  for (let n = 0; n < 3; n++) await make({ name: `Before once ${n}`, size: n })
  const ids = await repeated()
  assert.deepEqual(await namesOf(ids), ['Once 1 %s %1$s', 'Once 2 %s %1$s', 'Once 3 %s %1$s'])
  assert.deepEqual(await repeated(), ids)
  assert.equal((await query(`SELECT 1 FROM together_thing WHERE name LIKE 'Once %'`)).length, 3)
})

test('what one is refused for is told to that one, and the others are made once', async () => {
  await make({ name: 'Taken' })
  const wrong: Record<number, [object, RegExp, number]> = {
    3: [{ name: 'Taken' }, /There is a thing of this name/, 422],
    5: [{ name: 'Large', size: 5000 }, /too large/, 422],
    6: [{ size: 1 }, /[Nn]ame/, 422],
    7: [{ name: 'Odd', colour: 1 }, /colour/, 422],
    8: [{ name: 'Fault', trouble: true }, /fault of this module/, 500],
    9: [{ name: 'Text', size: 'many' }, /./, 422],
  }
  for (const known of [false, true]) {
    const own = await freshKey()
    if (known) for (let n = 0; n < 3; n++) await make({ name: `Fine and known ${n}` }, { key: own })
    const works = Array.from(
      { length: 12 },
      (_, n) => () => make(wrong[n]?.[0] ?? { name: `Fine ${known} ${n}` }, { key: own }),
    )
    const { heard } = await allOf(works)
    for (const [n, { status, body, message }] of heard.entries()) {
      const expected = wrong[n]
      assert.equal(status, expected?.[2] ?? 200, `${n}: ${message}`)
      if (expected) assert.match(message, expected[1])
      else assert.deepEqual(await namesOf(body), [`Fine ${known} ${n}`])
    }
  }
  const twice = await query(`SELECT name FROM together_thing GROUP BY name HAVING count(*) > 1`)
  assert.deepEqual(twice, [])
  assert.equal(
    (await query(`SELECT 1 FROM together_thing WHERE name LIKE 'Fine true %' OR name LIKE 'Fine false %'`))
      .length,
    12,
  )
})

test('a number of records, lines and contexts by chance is what it is one by one', async () => {
  const own = await freshKey()
  const [transactions, calls] = [[] as number[], [] as number[]]
  let state = 20_261_128
  const chance = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const contexts = [undefined, {}, { lang: 'en_US' }, { default_size: 7 }]
  for (let round = 0; round < 8; round++) {
    const bodies = Array.from({ length: 4 + chance(16) }, (_, n) => {
      const vals = Array.from({ length: 1 + chance(3) }, (_, m) => ({
        name: `Chance ${round} ${n} ${m}`,
        ...(chance(2) ? { size: chance(100) } : {}),
        ...(chance(3)
          ? {}
          : { lines: Array.from({ length: chance(4) }, (_, l) => [0, 0, { name: `${l}` }]) }),
      }))
      return { vals, context: contexts[chance(contexts.length)] }
    })
    const all = await allOf(
      bodies.map(
        ({ vals, context }) =>
          () =>
            ask({ named: { vals_list: vals }, context }, { key: own }),
      ),
    )
    const { heard } = all
    transactions.push(commits(all))
    calls.push(bodies.length)
    for (const [n, { vals, context }] of bodies.entries()) {
      const rows = await query(
        `SELECT t.name, t.size, (SELECT count(*)::int FROM together_line l WHERE l.thing_id = t.id)
          FROM together_thing t JOIN unnest($1::int[]) WITH ORDINALITY x(id, n) USING (id) ORDER BY x.n`,
        heard[n]?.body,
      )
      const given = (context as { default_size?: number } | undefined)?.default_size ?? null
      assert.deepEqual(
        rows,
        vals.map(({ name, size, lines }) => [name, size ?? given, lines?.length ?? 0]),
        `${round} ${n}: ${heard[n]?.message}`,
      )
    }
  }
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  assert.ok(2 * sum(transactions) < sum(calls), `${transactions} transactions for ${calls} calls`)
})

test("RPC's forms: an object gives an id, a list gives ids", async () => {
  const own = await freshKey()
  const forms = [
    { name: 'R 0' },
    { name: 'R 1' },
    [{ name: 'R 2' }],
    { name: 'R 3' },
    [{ name: 'R 4' }, { name: 'R 5' }],
  ]
  const { heard } = await allOf(
    forms.map((given) => () => ask({ positional: [given], rpc: true }, { key: own })),
  )
  for (const [n, given] of forms.entries()) {
    const { body } = heard[n] as Heard
    assert.equal(Array.isArray(body), Array.isArray(given))
    assert.deepEqual(
      await namesOf([body].flat()),
      [given].flat().map(({ name }) => name),
    )
  }
})

test('each is made by its own caller: keys, users and addresses are not mixed', async () => {
  const login = 'together@example.com'
  const user = await held.run(async (env) => {
    const made = await env.model('res.users').create([{ name: 'Other', login } as never])
    return made.ensureOne()
  })
  const other = await createKey(held.databases, 'test', login, { scope: 'rpc', name: 'other', days: 1 })
  const second = await newKey()
  const asked = [{ key }, { key: other }, { key: second }, { key, remote: '127.0.0.2' }]
  for (const one of asked) await make({ name: `Before ${++called}` }, one)
  const { heard } = await allOf(
    Array.from({ length: 24 }, (_, n) => () => make({ name: `Whose ${n}` }, asked[n % asked.length])),
  )
  const uses = () => held.database.callers.settle()
  await uses()
  for (const [n, { body, message }] of heard.entries()) {
    const rows = await query('SELECT name, create_uid FROM together_thing WHERE id = ANY($1)', body)
    assert.equal(rows[0]?.[0], `Whose ${n}`, message)
    assert.equal(rows[0]?.[1] === user, n % asked.length === 1)
  }
})

test('a key that was taken away makes nothing more, whoever waits with it', async () => {
  const gone = await newKey()
  for (let n = 0; n < 3; n++) await make({ name: `Going ${n}` }, { key: gone })
  await query(`DELETE FROM res_users_apikeys WHERE name = $1`, `test ${keys}`)
  const { heard } = await allOf(
    Array.from({ length: 8 }, (_, n) => () => make({ name: `Gone ${n}` }, { key: gone })),
  )
  for (const { status, message } of heard) assert.equal(status, 401, message)
  assert.deepEqual(await query(`SELECT 1 FROM together_thing WHERE name LIKE 'Gone %'`), [])
})

test('each counts as a use of its key, also where they fail together', async () => {
  const own = await newKey()
  const uses = async () => {
    await held.database.callers.settle()
    return Number((await query('SELECT COALESCE(sum(uses), 0)::int FROM comptoir_key_use'))[0]?.[0])
  }
  for (let n = 0; n < 2; n++) await make({ name: `Used ${n}` }, { key: own })
  for (const round of ['good', 'bad']) {
    const before = await uses()
    const name = (n: number) => (round === 'bad' && n > 4 ? 'Taken' : `Used ${round} ${n}`)
    const { heard } = await allOf(
      Array.from({ length: 10 }, (_, n) => () => make({ name: name(n) }, { key: own })),
    )
    assert.deepEqual(
      heard.map(({ status }) => status),
      heard.map((_, n) => (name(n) === 'Taken' ? 422 : 200)),
    )
    assert.equal(await uses(), before + 10)
  }
})

test('losing at COMMIT, each is done again; where the connection breaks there, nobody is told that it was made', async () => {
  const own = await newKey()
  for (let n = 0; n < 3; n++) await make({ name: `Losing ${n}` }, { key: own })
  const lost = await allOf(
    Array.from(
      { length: 6 },
      (_, n) => () => make({ name: n === 4 ? 'Lost 4' : `Beside ${n}` }, { key: own }),
    ),
  )
  for (const [n, { status, body, message }] of lost.heard.entries()) {
    assert.equal(status, 200, message)
    assert.deepEqual(await namesOf(body), [n === 4 ? 'Lost 4' : `Beside ${n}`])
  }
  const cutting = await newKey()
  for (let n = 0; n < 3; n++) await make({ name: `Cutting ${n}` }, { key: cutting })
  await query(`SELECT setval('odd_turns', 100, true)`)
  const { heard } = await allOf(
    Array.from(
      { length: 8 },
      (_, n) => () => make({ name: n === 5 ? 'Cut 5' : `Near ${n}` }, { key: cutting }),
    ),
  )
  assert.deepEqual(
    heard.map(({ status }) => status),
    [200, 200, 503, 503, 503, 503, 503, 503],
  )
  for (const { message } of heard.slice(2)) assert.match(message, /may have been made, or not/)
  const there = await query(
    `SELECT name FROM together_thing WHERE name LIKE 'Near %' OR name LIKE 'Cut %' ORDER BY name`,
  )
  assert.deepEqual(there.flat(), ['Near 0', 'Near 1'])
})

test('what one of them waits for holds up nobody else for long', async () => {
  const own = await freshKey()
  const ids = (await make([{ name: 'Held' }, { name: 'Free' }])).body as [number, number]
  const on = (thing_id: number) => make({ thing_id }, { key: own, model: 'together.line' })
  for (let n = 0; n < 2; n++) await on(ids[1])
  await held.database.pool.use(async (connection) => {
    await connection.query('BEGIN', [])
    await connection.query('SELECT 1 FROM together_thing WHERE id = $1 FOR UPDATE', [ids[0]])
    let isOver = false
    const ahead = Promise.all([on(ids[0]), on(ids[0])])
    void ahead.then(() => {
      isOver = true
    })
    const others = [ids[1], ids[1], ids[1], ids[0], ids[1], ids[1]].map(on)
    const free = await Promise.all(others.filter((_, n) => n !== 3))
    assert.deepEqual([...new Set(free.map(({ status }) => status))], [200])
    assert.equal(isOver, false, 'those who wait for the row wait for it still')
    await connection.query('COMMIT', [])
    for (const { status, message } of [...(await ahead), await (others[3] as Promise<Heard>)])
      assert.equal(status, 200, message)
  })
})

test('what is large, or belongs to a trace, is made by itself', async () => {
  const own = await freshKey()
  const context = { note: 'x'.repeat(2000) }
  const large = await allOf(
    Array.from(
      { length: 6 },
      (_, n) => () => ask({ named: { vals_list: [{ name: `Large context ${n}` }] }, context }, { key: own }),
    ),
  )
  assert.equal(commits(large), 6)
  const long = await allOf(
    Array.from(
      { length: 6 },
      (_, n) => () =>
        make(
          Array.from({ length: 200 }, (_, m) => ({ name: `Long ${n} ${m}` })),
          { key: own },
        ),
    ),
  )
  assert.equal(commits(long), 6)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const traced = await allOf(
    Array.from(
      { length: 6 },
      (_, n) => () => carrying({ traceparent }, () => make({ name: `Traced ${n}` }, { key: own })),
    ),
  )
  assert.equal(commits(traced), 6)
  for (const { status, message } of [...large.heard, ...long.heard, ...traced.heard])
    assert.equal(status, 200, message)
})

test('where the administrator wants that, each has a transaction of its own', async () => {
  const at = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), ours], {
    joinCreates: false,
  })
  try {
    const own = await createKey(at.databases, 'test', 'admin', { scope: 'rpc', name: 'apart', days: 1 })
    const named = (n: number) => make({ name: `Apart ${n}` }, { at, key: own })
    await named(0)
    const all = await allOf(Array.from({ length: 8 }, (_, n) => () => named(n + 1)))
    assert.deepEqual([...new Set(all.heard.map(({ status }) => status))], [200])
    assert.equal(commits(all), 8)
  } finally {
    await at.close()
  }
})
