// Batches that run in one flush, from BEGIN to COMMIT, under faults: constraint violations in the
// middle, lost transactions and broken connections, rights and keys revoked by another node, optimistic
// assertions that fail, code that ignores failures, guessed ids. Answers and stored rows must be those
// of separate calls.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import {
  boolean,
  char,
  computed,
  defineModule,
  extend,
  implement,
  integer,
  model,
  type Of,
  ref,
  required,
  returns,
} from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { loseOddTurns, oddComesNext } from '../support/odd-turns.ts'
import { measured } from '../support/statements.ts'

const thing = model('batch.thing', {
  label: 'Thing',
  fields: {
    name: char({ required: true }),
    is_plain: boolean(),
    tint: integer({ computed: true, stored: true }),
  },
  rules: { one_name: { unique: ['name'], message: 'There is a thing of this name.' } },
})
const note = model('batch.note', { label: 'Note', changes: false, fields: { name: char() } })
const soft = extend('res.partner', {
  fields: {},
  methods: {
    write_softly: {
      doc: 'Writes, and goes on whatever is heard.',
      params: { vals: required<Record<string, unknown>>('object') },
      returns: returns<boolean>('boolean', 'bool', 'Always true'),
    },
    write_apart: {
      doc: 'Writes so that a failure leaves no trace.',
      params: { vals: required<Record<string, unknown>>('object') },
      returns: returns<boolean>('boolean', 'bool', 'Whether it was written'),
    },
    echo: {
      doc: 'Gives what it is given, and asks nobody.',
      level: 'model',
      params: { text: required<string>('string') },
      returns: returns<string>('string', 'str', 'The text'),
    },
  },
})

declare module '#models' {
  interface Models {
    'batch.thing': BatchThing
    'batch.note': BatchNote
  }
  interface BatchNote extends Of<typeof note> {}
  interface BatchThing extends Of<typeof thing> {}
  interface ResPartner extends Of<typeof soft> {}
}

const attacked = defineModule({
  name: 'batch_attacked',
  version: '1.0',
  summary: 'Things, for tests',
  depends: ['base'],
  data: [
    {
      model: 'ir.model.access',
      records: {
        things: {
          name: 'things',
          model_id: ref('batch_attacked.model_batch_thing'),
          group_id: ref('base.group_user'),
          perm_read: true,
          perm_write: true,
          perm_create: true,
        },
        notes: {
          name: 'notes',
          model_id: ref('batch_attacked.model_batch_note'),
          group_id: ref('base.group_user'),
          perm_create: true,
        },
      },
    },
  ],
  models: [
    implement(thing, {
      computed: { tint: computed(thing, ['is_plain'], (record) => (record.is_plain ? 0 : record.id % 12)) },
    }),
    implement(note),
    implement(soft, {
      methods: {
        async write_softly(records, { vals }) {
          await records.write(vals as never)
          await records.env.unit.query(sql`SELECT 1`).catch(() => undefined)
          return true
        },
        async write_apart(records, { vals }) {
          const { unit } = records.env
          const work = async () => {
            await records.write(vals as never)
            await unit.query(sql`SELECT 1`)
          }
          return unit.savepoint(work).then(
            () => true,
            () => false,
          )
        },
        async echo(_records, { text }) {
          return text
        },
      },
    }),
  ],
})

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: [...modules.filter(({ name }) => name === 'base'), attacked] })
  await loseOddTurns(query, 'batch_thing')
})
after(() => nodes?.close())

interface Item {
  readonly status: number
  readonly code?: string
  readonly body?: unknown
}
type Headers = Record<string, string>

const bearer = (key: string) => ({ authorization: `bearer ${key}` })
const repeated = (key: string) => ({ 'idempotency-key': `"${key}"` })
const query = (text: ReturnType<typeof sql>) => nodes.run(({ unit }) => unit.query(text))
const firstValue = async (text: ReturnType<typeof sql>) => (await query(text))[0]?.[0]

const make = (name: string, more: object = {}) => ({
  model: 'batch.thing',
  method: 'create',
  body: { vals_list: [{ name, is_plain: true, ...more }] },
})
const partner = (method: string, body: object, id?: string) => ({
  ...(id && { id }),
  model: 'res.partner',
  method,
  body,
})
const contact = (name: string, id?: string) => partner('create', { vals_list: [{ name, city: 'Huy' }] }, id)
const move = (ids: unknown, city: string) => partner('write', { ids, vals: { city } })

async function send(calls: readonly object[], headers: Headers = {}, more: object = {}) {
  const answer = await nodes.post('/x/1/batch', { calls, ...more }, headers)
  const { results = [], failed } = (answer.body ?? {}) as { results?: Item[]; failed?: number }
  return {
    ...answer,
    failed,
    codes: results.map(({ code, status }) => code ?? status),
    ids: results.map(({ body }) => (Array.isArray(body) ? (body[0] as number) : body)),
  }
}

let warmed = 0
/** Makes the forms known that are attacked, and gives contacts. */
async function warm(headers: Headers = {}): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < 3; n++) {
    ids.push(
      ...((await nodes.call('res.partner/create', contact('Warm').body, headers)).body as number[]),
      ...((await nodes.call('res.partner/create', contact('Warm').body, headers)).body as number[]),
    )
    await nodes.call('res.partner/write', { ids: [ids[0]], vals: { city: 'Spa' } }, headers)
    await nodes.call('batch.thing/create', make(`Warm ${warmed++}`).body, headers)
  }
  return ids
}

/** The feed's changes of records of a model, ordered by position. */
const toldOf = async (table: string, ids: readonly unknown[]) =>
  (
    await query(
      sql`SELECT string_agg(op || ids::text || fields::text, ' ' ORDER BY seq, n) FROM comptoir_change WHERE model = ${table} AND ids && ${`{${ids.join()}}`}::int[]`,
    )
  )[0]?.[0]

const things = async (name: string) =>
  (await query(sql`SELECT id FROM batch_thing WHERE name LIKE ${name} ORDER BY name`)).map(([id]) => id)

const uses = async () => {
  await nodes.database.callers.settle()
  return Number(await firstValue(sql`SELECT COALESCE(sum(uses), 0)::int FROM comptoir_key_use`))
}

test('batch: creates and writes with cached plans take one round trip, in any number and order', async () => {
  const [a = 0, b = 0, c = 0] = await warm()
  const ten = Array.from({ length: 10 }, (_, n) => contact(`Ten ${n}`))
  for (const headers of [{}, repeated('ten')]) {
    const { response, trips, statements } = await measured(() => send(ten, headers))
    assert.deepEqual([response.status, trips, statements], [200, 1, 5])
    const kept = await query(
      sql`SELECT id, commercial_partner_id FROM res_partner WHERE name LIKE 'Ten %' ORDER BY id DESC LIMIT 10`,
    )
    assert.deepEqual(
      response.ids,
      kept.map(([id]) => id).toReversed(),
      'ids rise with the calls, and each is told to its own',
    )
    for (const [id, first] of kept) assert.equal(first, id)
    assert.deepEqual(await toldOf('res.partner', response.ids), `c{${response.ids.join()}}{}`)
    for (const [n, id] of response.ids.entries())
      assert.equal(await firstValue(sql`SELECT name FROM res_partner WHERE id = ${id}::int`), `Ten ${n}`)
    if (Object.keys(headers).length === 0) continue
    const again = await send(ten, headers)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [response.text, 'true'])
  }
  const moves = await measured(() => send([move([a], 'Ath'), move([b], 'Mons'), move([c, a], 'Ans')]))
  assert.deepEqual([moves.response.codes, moves.trips, moves.statements], [[200, 200, 200], 1, 9])
  assert.deepEqual(
    await query(sql`SELECT city FROM res_partner WHERE id IN (${a}, ${b}, ${c}) ORDER BY id`),
    [['Ans'], ['Mons'], ['Ans']],
  )
  const mixed = await measured(() =>
    send([contact('Mixed 1'), move([a], 'Huy'), make('Mixed 2'), move([b], 'Huy'), contact('Mixed 3')]),
  )
  assert.deepEqual([mixed.response.codes, mixed.trips], [[200, 200, 200, 200, 200], 1])
  const [first, , second, , third] = mixed.response.ids
  assert.deepEqual(await query(sql`SELECT id FROM res_partner WHERE name LIKE 'Mixed %' ORDER BY name`), [
    [first],
    [third],
  ])
  assert.deepEqual(await things('Mixed 2'), [second])
  assert.deepEqual(
    await query(
      sql`SELECT n, model, op, ids FROM comptoir_change WHERE seq = (SELECT max(seq) FROM comptoir_change) ORDER BY n`,
    ),
    [
      [0, 'res.partner', 'c', [first, third]],
      [1, 'res.partner', 'u', [a, b]],
      [2, 'batch.thing', 'c', [second]],
    ],
    'one position for all',
  )
  const referred = await measured(() =>
    send([contact('Referred', 'made'), move({ $ref: '/made' }, 'Dinant'), contact('Beside')]),
  )
  // One for the id that the reference needs, as the row is inserted by the general path.
  assert.deepEqual([referred.response.codes, referred.trips], [[200, 200, 200], 3])
  assert.equal(await firstValue(sql`SELECT city FROM res_partner WHERE name = 'Referred'`), 'Dinant')
  const list = { vals_list: [2, 3].map((n) => ({ name: `List ${n}`, city: 'Huy' })) }
  const odd = { vals_list: [{ name: 'List 5', city: 'Huy', function: 'An unknown form' }] }
  const lists = [contact('List 1'), partner('create', list), contact('List 4')]
  for (const [calls, trips] of [
    [lists, 1],
    [[...lists, partner('create', odd), contact('List 6')], 2],
  ] as const) {
    const sent = await measured(() => send(calls))
    assert.equal(sent.trips, trips)
    const { results } = sent.response.body as { results: { body: number[] }[] }
    const rows = await query(
      sql`SELECT id, name FROM res_partner WHERE name LIKE 'List %' ORDER BY id DESC LIMIT ${calls.length + 1}`,
    )
    assert.deepEqual(
      results.flatMap(({ body }) => body).map((id, n) => [id, `List ${n + 1}`]),
      rows.toReversed(),
      'ids rise in the order of the calls, lists and unknown forms among them',
    )
  }
  const apart = await measured(() => send(ten.slice(0, 3), {}, { atomic: false }))
  assert.deepEqual([apart.response.codes, apart.trips, apart.statements], [[200, 200, 200], 3, 15])
})

test('batch: a constraint failure in the middle is reported for its call, and nothing of the others stays', async () => {
  await warm()
  await send([make('Taken')])
  const before = await uses()
  for (const headers of [{}, repeated('refused')]) {
    const changes = await firstValue(sql`SELECT count(*)::int FROM comptoir_change`)
    const response = await send([make('Early'), make('Between'), make('Taken'), make('Late')], headers)
    assert.deepEqual([response.status, response.failed], [422, 2])
    assert.deepEqual(response.codes, ['rolled_back', 'rolled_back', 'validation_error', 'not_run'])
    assert.match(response.text, /There is a thing of this name/)
    assert.deepEqual([await things('Early'), await things('Between'), await things('Late')], [[], [], []])
    assert.equal(await firstValue(sql`SELECT count(*)::int FROM comptoir_change`), changes)
  }
  assert.equal(await uses(), before + 2, 'each is a use of the key')
  const next = await send([make('Early'), make('Late')], repeated('refused'))
  assert.deepEqual(next.ids, [...(await things('Early')), ...(await things('Late'))])
})

test('batch: a conflict at COMMIT is retried once; a broken connection there leaves the outcome unknown', async () => {
  await warm()
  for (const [name, headers] of [
    ['Lost 1', {}],
    ['Dead 1', {}],
    ['Lost 2', repeated('lost')],
    ['Dead 2', repeated('dead')],
  ] as const) {
    await query(oddComesNext)
    const calls = [make(`A ${name}`), make(name), make(`Z ${name}`)]
    const response = await send(calls, headers)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await things(`%${name}`), response.ids)
    assert.equal(await toldOf('batch.thing', response.ids), `c{${response.ids.join()}}{}`)
    if ('idempotency-key' in headers) assert.equal((await send(calls, headers)).text, response.text)
  }
  await query(oddComesNext)
  const cut = await send([make('B Cut 1'), make('Cut 1')])
  assert.equal(cut.status, 503, cut.text)
  assert.match(cut.text, /may or may not have taken effect/)
  assert.deepEqual(await things('%Cut 1'), [])
  await query(oddComesNext)
  const response = await send([make('B Cut 2'), make('Cut 2')], repeated('cut'))
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(await things('%Cut 2'), response.ids)
})

test('batch: duplicates by idempotency key have one effect, and get the same answer or "in progress"', async () => {
  await warm()
  const calls = [make('Twin 1'), make('Twin 2'), contact('Twin')]
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(calls, repeated('twins'))))
  const texts = new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text))
  assert.deepEqual([...new Set(responses.map(({ status }) => status))].toSorted().at(0), 200)
  assert.equal(texts.size, 1)
  assert.ok(responses.every(({ status }) => status === 200 || status === 409))
  assert.equal((await things('Twin %')).length, 2)
  assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE name = 'Twin'`), 1)
})

test('batch: a keyed one stores the ids of new records whose model is not in the feed', async () => {
  const [id] = await warm()
  const write = { model: 'batch.note', method: 'create', body: { vals_list: [{ name: 'Note' }] } }
  for (let n = 0; n < 3; n++) await nodes.call('batch.note/create', write.body)
  const calls = [write, move([id], 'Kept')]
  const first = await measured(() => send(calls, repeated('notes')))
  assert.deepEqual([first.response.status, first.trips], [200, 1])
  const ids = [await firstValue(sql`SELECT max(id) FROM batch_note`), true]
  assert.deepEqual(first.response.ids, ids)
  assert.deepEqual((await send(calls, repeated('notes'))).ids, ids)
})

test('batch: very many new records draw further ids after the first ones', async () => {
  const notes = (count: number) => ({
    model: 'batch.note',
    method: 'create',
    body: { vals_list: Array.from({ length: count }, () => ({ name: 'Many' })) },
  })
  for (let n = 0; n < 3; n++) await nodes.call('batch.note/create', notes(1).body)
  const { response, trips } = await measured(() => send([notes(150), notes(150), notes(1)]))
  assert.deepEqual([response.status, trips], [200, 2])
  const { results } = response.body as { results: { body: number[] }[] }
  const first = Number(results[0]?.body[0])
  assert.deepEqual(
    results.flatMap(({ body }) => body),
    Array.from({ length: 301 }, (_, n) => first + n),
  )
})

test('batch: a revoked key, and rights that changed on another node, stop it', async () => {
  const clerk = await nodes.run(async (env) => {
    const groups = await Promise.all(
      ['group_user', 'group_partner_manager'].map((name) => env.ref(`base.${name}`)),
    )
    const vals = { name: 'Clerk', login: 'clerk', group_ids: [[6, 0, groups]] }
    return (await env.model('res.users').create([vals] as never)).ids[0] as number
  })
  const keyOf = (name: string) => createKey(nodes.databases, 'test', 'clerk', { scope: null, name, days: 1 })
  const [mine, gone] = [bearer(await keyOf('mine')), bearer(await keyOf('gone'))]
  const [id] = await warm(mine)
  await warm(gone)
  const calls = [contact('Without'), move([id], 'Without'), make('Without'), contact('Without')]
  const good = await measured(() => send([contact('With'), move([id], 'With'), make('With')], mine))
  assert.deepEqual([good.response.codes, good.trips], [[200, 200, 200], 1])
  await query(sql`DELETE FROM res_users_apikeys WHERE name = 'gone'`)
  const refused = await send(calls, gone)
  assert.equal(refused.status, 401, refused.text)
  const manager = await nodes.run((env) => env.ref('base.group_partner_manager'))
  const change = { ids: [clerk], vals: { group_ids: [[3, manager]] } }
  const taken = await nodes.call('res.users/write', change, {}, 1)
  assert.equal(taken.status, 200, taken.text)
  const response = await send([make('Without 2'), ...calls], mine)
  assert.deepEqual([response.status, response.failed], [403, 1], response.text)
  assert.deepEqual(response.codes.with(1, 403), ['rolled_back', 403, 'not_run', 'not_run', 'not_run'])
  assert.equal(
    await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE 'Without' IN (name, city)`),
    0,
  )
  assert.deepEqual(await things('Without%'), [])
})

test('batch: a revoked dry-run key gets 401 for any call', async () => {
  const [id] = await warm()
  const single = (headers: Headers) => nodes.call('res.partner/create', contact('Dry').body, headers)
  const batch = (headers: Headers) => send([contact('Dry'), contact('Dry')], headers)
  // Of no known form, and nothing in it is waited for.
  const words = { ids: [id], vals: { comment: 'Dry' } }
  const unknown = (headers: Headers) => nodes.call('res.partner/write', words, headers)
  const several = (headers: Headers) => send([partner('write', words), partner('write', words)], headers)
  let count = 0
  for (const ask of [single, batch, unknown, several])
    for (const isKeyed of [true, false]) {
      // Each its own: who was refused once is not believed in any more.
      const scope = 'rpc dry'
      const dry = bearer(await createKey(nodes.databases, 'test', 'admin', { scope, name: 'dry', days: 1 }))
      const status = async () =>
        (await ask({ ...dry, ...(isKeyed ? repeated(`dry-${count++}`) : {}) })).status
      for (let n = 0; n < 3; n++) assert.equal(await status(), 200)
      await query(sql`DELETE FROM res_users_apikeys WHERE name = 'dry'`)
      assert.equal(await status(), 401, `${ask} ${isKeyed}`)
    }
  assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE name = 'Dry'`), 0)
})

test('batch: a failed assertion in the middle repeats it on the general path', async () => {
  const [a = 0, b = 0] = await warm()
  const [below] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Below', parent_id: b }] }))
    .body as number[]
  const city = (id: unknown) => firstValue(sql`SELECT city FROM res_partner WHERE id = ${id}::int`)
  for (const headers of [{}, repeated('below')]) {
    const town = `Town ${Object.keys(headers).length}`
    const response = await send(
      [contact('Granted'), move([a], town), move([b], town), contact('Granted')],
      headers,
    )
    assert.deepEqual(response.codes, [200, 200, 200, 200], response.text)
    assert.deepEqual([await city(a), await city(b), await city(below)], [town, town, town])
    if (Object.keys(headers).length)
      assert.equal(
        (await send([contact('Granted'), move([a], town), move([b], town), contact('Granted')], headers))
          .text,
        response.text,
      )
  }
  assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE name = 'Granted'`), 4)
  const response = await send([
    contact('Gone'),
    move([a], 'Gone'),
    move([9_999_999], 'Gone'),
    contact('Gone'),
  ])
  assert.deepEqual([response.status, response.failed], [404, 2], response.text)
  assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE 'Gone' IN (name, city)`), 0)
  // Code that continues after a failure, and code that rolls it back to a savepoint.
  for (let n = 0; n < 3; n++)
    for (const method of ['write_softly', 'write_apart'])
      await nodes.call(`res.partner/${method}`, { ids: [a], vals: { city: 'Soft' } })
  for (const method of ['write_softly', 'write_apart']) {
    const softly = await send([
      contact(method),
      move([a], method),
      partner(method, { ids: [b], vals: { city: method } }),
      contact(method),
    ])
    assert.deepEqual(softly.codes, [200, 200, 200, 200], softly.text)
    assert.deepEqual([await city(a), await city(b), await city(below)], [method, method, method])
    assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE name = ${method}`), 2)
  }
})

test('batch: new records have defaults of properties that another node defined', async () => {
  await warm()
  const [definition] = (await query(sql`SELECT id FROM properties_base_definition`))[0] as [number]
  const nick = { name: 'nick', type: 'char', string: 'Nick', default: 'Nn' }
  const define = (list: object[]) =>
    nodes.call(
      'properties.base.definition/write',
      { ids: [definition], vals: { properties_definition: list } },
      {},
      1,
    )
  assert.equal((await define([nick])).status, 200)
  try {
    for (const headers of [{}, repeated('defined')]) {
      const response = await send([contact('Defined'), make('Defined'), contact('Defined')], headers)
      assert.equal(response.status, 200, response.text)
      assert.equal((await send([contact('Other')])).status, 200)
      await query(sql`DELETE FROM batch_thing WHERE name = 'Defined'`)
    }
    const kept = await query(sql`SELECT properties FROM res_partner WHERE name IN ('Defined', 'Other')`)
    assert.equal(kept.length, 6)
    for (const [properties] of kept) assert.deepEqual(JSON.parse(String(properties)), { nick: 'Nn' })
  } finally {
    await define([])
  }
})

test('batch: a call on a guessed id reports the record as created', async () => {
  const [a = 0] = await warm()
  const last = Number(await firstValue(sql`SELECT last_value FROM res_partner_id_seq`))
  // The first of these takes the id that is guessed, or the next attempt does.
  const response = await send([contact('Guessed'), move([last + 1], 'Guessed'), move([a], 'Guessed')])
  const [id] = response.ids
  if (response.status === 200) {
    assert.equal(id, last + 1)
    assert.equal(await firstValue(sql`SELECT city FROM res_partner WHERE id = ${id}::int`), 'Guessed')
    const changes = String(await toldOf('res.partner', [id]))
    assert.equal(changes, `c{${id}}{}`)
  } else {
    // The sequence has drawn its id, which stays a gap.
    assert.equal(response.status, 404, response.text)
    assert.equal(
      await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE 'Guessed' IN (name, city)`),
      0,
    )
  }
})

test('batch: functions that use the id get it, and unusual values are unchanged', async () => {
  await warm()
  const tinted = await send(Array.from({ length: 13 }, (_, n) => make(`Tinted ${n}`, { is_plain: false })))
  assert.equal(tinted.status, 200, tinted.text)
  for (const [id, tint] of await query(sql`SELECT id, tint FROM batch_thing WHERE name LIKE 'Tinted %'`))
    assert.equal(tint, Number(id) % 12)
  const odd = 2 ** 31 - 1
  const calls = [
    contact('Odd'),
    contact(`Odd ${odd}`),
    contact(`Odd ${odd - 2}`),
    contact('Odd %1$s % %%'),
    partner('echo', { text: `100 % of [${odd}], [${odd - 3}], %1$s` }),
    make('Odd %2$s'),
  ]
  for (let n = 0; n < 2; n++) {
    const headers = repeated(`odd ${n}`.replace(' ', '-'))
    if (n) calls[5] = make('Odd %3$s')
    const response = await send(calls, headers)
    assert.equal(response.status, 200, response.text)
    assert.equal(response.ids[4], `100 % of [${odd}], [${odd - 3}], %1$s`)
    const names = ['Odd', `Odd ${odd}`, `Odd ${odd - 2}`, 'Odd %1$s % %%']
    for (const [i, name] of names.entries())
      assert.equal(
        await firstValue(sql`SELECT max(id) FROM res_partner WHERE name = ${name}`),
        response.ids[i],
      )
    const again = await send(calls, headers)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [response.text, 'true'])
  }
})

test('batch: a dry run leaves nothing, and answers as the batch would', async () => {
  const [a = 0] = await warm()
  const calls = [contact('Rehearsed'), move([a], 'Rehearsed'), contact('Rehearsed')]
  const response = await send(calls, { prefer: 'tx=rollback' })
  assert.deepEqual(
    [response.codes, response.headers.get('preference-applied')],
    [[200, 200, 200], 'tx=rollback'],
  )
  assert.equal(
    await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE 'Rehearsed' IN (name, city)`),
    0,
  )
  const wrong = await send([make('Rehearsed'), make('Rehearsed')], { prefer: 'tx=rollback' })
  assert.deepEqual([wrong.status, wrong.failed], [422, 1], wrong.text)
})
