// Batches: several calls that are one, with references among them; one after the other where that is wanted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { things } from '../fixtures/modules/things/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { recordStatements } from '../support/statements.ts'

/** Random batches; a long run: COMPTOIR_TEST_BATCHES=1000 node --test test/extensions/batch.test.ts. */
const BATCHES = Number(process.env.COMPTOIR_TEST_BATCHES ?? 8)

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: [...modules, trials, things] })
})
after(() => nodes?.close())

interface Item {
  readonly id?: string
  readonly status: number
  readonly code?: string
  readonly replayed?: boolean
  readonly body?: unknown
}
type Batch = { results: Item[]; failed?: number }

const resultOf = (batch: Batch, place: number) => batch.results[place]?.body
const partner = (method: string, body: object, id?: string) => ({
  ...(id ? { id } : {}),
  model: 'res.partner',
  method,
  body,
})
const create = (name: string, id?: string) => partner('create', { vals_list: [{ name }] }, id)
const send = async (calls: object[], more: object = {}, headers: Record<string, string> = {}) => {
  const answer = await nodes.post('/x/1/batch', { calls, ...more }, headers)
  return {
    ...answer,
    batch: answer.body as Batch,
    codes: ((answer.body ?? {}) as Partial<Batch>).results?.map(({ code, status }) => code ?? status),
  }
}
const named = async (name: string) =>
  (await nodes.run(({ unit }) => unit.query(sql`SELECT id FROM res_partner WHERE name = ${name}`))).length
const count = async () =>
  Number((await nodes.run(({ unit }) => unit.query(sql`SELECT count(*) FROM res_partner`)))[0]?.[0])

test('batch: an order through references equals three calls', async () => {
  const [product] = (
    await nodes.call('product.product/create', { vals_list: [{ name: 'Mug', list_price: 7.5 }] })
  ).body as number[]
  const line = [[0, 0, { product_id: product, product_uom_qty: 3 }]]
  const { status, batch } = await send([
    { ...create('Corner Shop', 'customer') },
    {
      id: 'order',
      model: 'sale.order',
      method: 'create',
      body: { vals_list: [{ partner_id: { $ref: '/customer/0' }, order_line: line }] },
    },
    { model: 'sale.order', method: 'action_confirm', body: { ids: { $ref: '/order' } } },
    {
      model: 'sale.order',
      method: 'read',
      body: { ids: { $ref: '/order' }, fields: ['state', 'amount_total', 'partner_id'] },
    },
  ])
  assert.equal(status, 200)
  assert.deepEqual(
    batch.results.map((result) => [result.id, result.status]),
    [
      ['customer', 200],
      ['order', 200],
      [undefined, 200],
      [undefined, 200],
    ],
  )
  const [order] = resultOf(batch, 1) as number[]
  const [customer] = resultOf(batch, 0) as number[]
  const byHand = (
    await nodes.call('sale.order/create', { vals_list: [{ partner_id: customer, order_line: line }] })
  ).body as number[]
  await nodes.call('sale.order/action_confirm', { ids: byHand })
  const read = async (ids: unknown[]) =>
    (await nodes.call('sale.order/read', { ids, fields: ['state', 'amount_total', 'partner_id'] })).body as {
      id: number
    }[]
  const facts = ({ id: _, ...row }: { id: number }) => row
  assert.deepEqual((await read([order])).map(facts), (await read(byHand)).map(facts))
  assert.deepEqual(batch.results[3]?.body, await read([order]))
})

test('batch: if the third call fails, its status is returned and the first two are rolled back', async () => {
  const before = await count()
  const { status, headers, batch, codes } = await send([
    create('One'),
    create('Two'),
    partner('write', { ids: [1], vals: { parent_id: 99999999 } }),
    create('Four'),
  ])
  assert.deepEqual(
    [status, batch.failed, codes],
    [422, 2, ['rolled_back', 'rolled_back', 'validation_error', 'not_run']],
  )
  assert.equal(headers.get('error-code'), 'validation_error')
  assert.equal((resultOf(batch, 2) as { name: string }).name, 'odoo.exceptions.ValidationError')
  assert.equal(await count(), before)
})

test('batch: a failed last call leaves no number of a gapless sequence, no change, no entry', async () => {
  const code = 'batch.no.gap'
  await nodes.call('ir.sequence/create', { vals_list: [{ name: code, code, implementation: 'no_gap' }] })
  const next = { model: 'ir.sequence', method: 'next_by_code', body: { sequence_code: code } }
  const user = {
    model: 'res.users',
    method: 'create',
    body: { vals_list: [{ name: 'Batch', login: 'batch' }] },
  }
  const kept = () =>
    nodes.run(({ unit }) =>
      unit.query(sql`SELECT (SELECT count(*) FROM comptoir_change), (SELECT count(*) FROM comptoir_change_before),
        (SELECT count(*) FROM comptoir_audit), (SELECT count(*) FROM comptoir_idempotency)`),
    )
  const before = await kept()
  const wrong = partner('write', { ids: [1], vals: { parent_id: 99999999 } })
  const { batch } = await send([next, user, next, wrong], {}, { 'idempotency-key': 'batch-no-gap' })
  assert.equal(batch.failed, 3)
  assert.deepEqual(await kept(), before)
  const { batch: done } = await send([next, next])
  assert.deepEqual([resultOf(done, 0), resultOf(done, 1)].map(Number), [1, 2])
})

test('batch: all calls are checked before the first runs', async () => {
  for (const [wrong, status] of [
    [{ model: 'res.partner', method: 'nothing', body: {} }, 404],
    [{ model: 'no.such', method: 'read', body: {} }, 404],
    [partner('create', { vals: [] }), 422],
    [partner('create', { vals_list: { $ref: '/a' }, surplus: 1 }), 422],
    [partner('_private', {}), 403],
  ] as const) {
    const { status: typed, codes } = await send([create('Typing', 'a'), wrong])
    assert.deepEqual([typed, codes?.[0]], [status, 'not_run'])
  }
  assert.equal(await named('Typing'), 0)
})

test('batch: references to later, unknown and missing values are rejected before anything runs', async () => {
  const first = create('Referred', 'one')
  for (const reference of ['/two/0', '/zero', 'one', '', 7, '/one/~2'])
    assert.equal(
      (await send([first, partner('read', { ids: { $ref: reference } }), create('X', 'two')])).headers.get(
        'error-code',
      ),
      'bad_reference',
      String(reference),
    )
  for (const reference of [
    '/one/1',
    '/one/0/name',
    '/one/__proto__',
    '/one/-',
    '/one/00',
    '/one/length',
    '/one/constructor',
  ])
    assert.equal(
      (await send([first, partner('read', { ids: { $ref: reference } })])).headers.get('error-code'),
      'bad_reference',
      String(reference),
    )
  assert.equal(await named('Referred'), 0)
})

test('batch: a literal escapes what looks like a reference, and batches do not nest', async () => {
  const { status, batch } = await send([
    {
      id: 'c',
      model: 'ir.config_parameter',
      method: 'create',
      body: { vals_list: [{ key: 'x.literal', value: { $literal: '{"$ref": "x"}' } }] },
    },
    partner('search_read', { domain: { $literal: [['name', '=', 'none']] }, fields: ['name'] }),
  ])
  assert.deepEqual([status, batch.results[1]?.body], [200, []])
  // A json field stores the object unchanged. Other references in the body are resolved.
  for (const json of [{ $ref: 'x' }, { $ref: '/made/0' }, { $literal: { $ref: '/made' } }, [{ $ref: '' }]]) {
    const make = { model: 'x.thing', method: 'create', body: { vals_list: [{ json: { $literal: json } }] } }
    const read = { model: 'x.thing', method: 'read', body: { ids: { $ref: '/made' }, fields: ['json'] } }
    const kept = await send([{ id: 'made', ...make }, read])
    assert.deepEqual((resultOf(kept.batch, 1) as { json: unknown }[])[0]?.json, json, kept.text)
  }
  assert.equal((await send([{ calls: [] }])).status, 422)
  assert.equal(
    (await send([{ model: 'ir.module.module', method: 'update_list', body: {} }])).codes?.[0],
    'not_in_batch',
  )
})

test('batch: calls, rows and members are limited', async () => {
  assert.equal(
    (await send(Array.from({ length: 101 }, () => create('Many')))).headers.get('error-code'),
    'too_many',
  )
  assert.equal((await send([])).status, 422)
  const refers = (...refs: string[]) =>
    send([create('First', 'a'), partner('read', { ids: refs.map(($ref) => ({ $ref })) })])
  assert.equal((await refers(`/a${'/0'.repeat(1000)}`)).headers.get('error-code'), 'bad_reference')
  assert.equal((await refers(...Array(10_001).fill('/a/0'))).headers.get('error-code'), 'too_many')
  setLimits({ 'batch-seconds': 0 })
  try {
    assert.equal((await send([create('Late')])).status, 413)
    const { codes } = await send([create('Late')], { atomic: false })
    assert.deepEqual([codes, await named('Late')], [['payload_too_large'], 0])
  } finally {
    setLimits()
  }
  assert.equal((await send([create('A', 'same'), create('B', 'same')])).status, 422)
  assert.equal((await send([{ ...create('Key'), 'idempotency-key': 'x' }])).status, 422)
  assert.equal((await send([create('Id', 'no blank')])).status, 422)
  const many = [
    {
      id: 'm',
      ...partner('create', { vals_list: Array.from({ length: 2001 }, (_, n) => ({ name: `row ${n}` })) }),
    },
  ]
  assert.equal((await send(many)).headers.get('error-code'), 'too_many')
  assert.equal(await named('row 1'), 0)
})

test('batch: calls that are not atomic run on their own, without those that need a failed one', async () => {
  const { status, codes } = await send(
    [
      create('Stays'),
      partner('write', { ids: [1], vals: { parent_id: 99999999 } }, 'bad'),
      partner('read', { ids: { $ref: '/bad' } }),
      create('Stays too'),
    ],
    { atomic: false },
  )
  assert.deepEqual([status, codes], [200, [200, 'validation_error', 'not_run', 200]])
  assert.deepEqual([await named('Stays'), await named('Stays too')], [1, 1])
})

test('batch: a replay by key returns all results; failed calls of one that is not atomic run again', async () => {
  const key = { 'idempotency-key': '"batch-1"' }
  const first = await send(
    [create('Keyed', 'k'), partner('read', { ids: { $ref: '/k' }, fields: ['name'] })],
    {},
    key,
  )
  const again = await send(
    [create('Keyed', 'k'), partner('read', { ids: { $ref: '/k' }, fields: ['name'] })],
    {},
    key,
  )
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
  assert.equal(await named('Keyed'), 1)
  assert.equal(
    (await send([create('Keyed otherwise')], {}, key)).headers.get('error-code'),
    'idempotency_key_reused',
  )
  const loose = () =>
    send(
      [create('Loose'), partner('write', { ids: [1], vals: { parent_id: 99999999 } })],
      { atomic: false },
      { 'idempotency-key': 'loose' },
    )
  await loose()
  const second = await loose()
  assert.deepEqual(
    second.batch.results.map(({ status, replayed }) => [status, replayed]),
    [
      [200, true],
      [422, undefined],
    ],
  )
  assert.equal(await named('Loose'), 1)
})

test('batch: a replay of calls that are not atomic keeps results though an earlier read has changed', async () => {
  const [a] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'To find' }] })).body as [number]
  const calls = (name = 'To find') => [
    partner('search_read', { domain: [['name', '=', name]], fields: ['color'] }, 'found'),
    partner('search', { domain: [['name', '=', name]] }, 'ids'),
    partner('write', { ids: [{ $ref: '/found/0/id' }], vals: { comment: 'x' } }),
    partner('write', { ids: { $ref: '/ids' }, vals: { name: 'Found' } }),
    create('Then made', 'after'),
    partner('read', { ids: { $ref: '/after' }, fields: ['name'] }),
  ]
  const attempt = (list = calls()) => send(list, { atomic: false }, { 'idempotency-key': 'by-what-was-read' })
  assert.deepEqual((await attempt()).codes, [200, 200, 200, 200, 200, 200])
  const again = await attempt()
  assert.deepEqual(
    again.batch.results.map(({ status, replayed }) => [status, replayed]),
    [
      [200, undefined],
      [200, undefined],
      [200, true],
      [200, true],
      [200, true],
      [200, undefined],
    ],
  )
  assert.deepEqual(resultOf(again.batch, 1), [])
  assert.equal(await named('Then made'), 1)
  const [b] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Goes' }] })).body as [number]
  const removal = [
    { ...partner('read', { ids: [b], fields: ['name'] }, 'row'), ifMatch: '*' },
    partner('unlink', { ids: [{ $ref: '/row/0/id' }] }, 'gone'),
    partner('write', { ids: [{ $ref: '/row/1/id' }], vals: {} }),
  ]
  const remove = () => send(removal, { atomic: false }, { 'idempotency-key': 'removal' })
  assert.deepEqual((await remove()).codes?.slice(0, 2), [200, 200])
  const removed = (await remove()).batch.results
  assert.deepEqual(
    removed.map(({ status, code, replayed }) => [code ?? status, replayed]),
    [
      ['version_mismatch', undefined],
      [200, true],
      ['not_run', undefined],
    ],
  )
  // Other questions before it make it another call.
  const other = await attempt(calls('Found'))
  assert.deepEqual(other.codes?.slice(2, 4), ['idempotency_key_reused', 'idempotency_key_reused'])
  // Calls that did not run in the first attempt run with the current records.
  const rest = [
    partner('search', { domain: [['name', '=', 'Found']] }, 'ids'),
    partner('read', { ids: { $ref: '/ids' }, fields: ['name'] }),
    partner('write', { ids: [{ $ref: '/ids/0' }], vals: { color: 7 } }),
  ]
  const late = () => send(rest, { atomic: false }, { 'idempotency-key': 'late' })
  await nodes.call('res.partner/write', { ids: [a], vals: { name: 'Away' } })
  assert.deepEqual((await late()).codes, [200, 200, 'bad_reference'])
  await nodes.call('res.partner/write', { ids: [a], vals: { name: 'Found' } })
  assert.deepEqual((await late()).codes, [200, 200, 200])
})

test('batch: two records updated in opposite order: all end, and the sums are right', async () => {
  const [a, b] = (
    await nodes.call('res.partner/create', {
      vals_list: [
        { name: 'A', color: 0 },
        { name: 'B', color: 0 },
      ],
    })
  ).body as [number, number]
  const write = (id: number, color: number) => partner('write', { ids: [id], vals: { color } })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      send(n % 2 ? [write(a, n), write(b, n)] : [write(b, n), write(a, n)]),
    ),
  )
  assert.ok(
    answers.every(({ status }) => status === 200 || status === 409),
    String(answers.map(({ status }) => status)),
  )
  assert.ok(answers.some(({ status }) => status === 200))
  const rows = (await nodes.call('res.partner/read', { ids: [a, b], fields: ['color'] })).body as {
    color: number
  }[]
  assert.equal(rows[0]?.color, rows[1]?.color)
})

test('batch: two counters raised in opposite order hold the acknowledged sums', async () => {
  const ids = await nodes.run(
    async (env) => (await env.model('trials.counter').create([{ value: 0 }, { value: 0 }])).ids,
  )
  const add = (id: number | undefined, by: number) => ({
    model: 'trials.counter',
    method: 'bump',
    body: { ids: [id], bag: { by } },
  })
  const [a, b] = ids
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const by = n + 1
      const { status, headers } = await send(n % 2 ? [add(a, by), add(b, by)] : [add(b, by), add(a, by)])
      // On a slow machine a call may wait for too long, and gets a status that asks for a retry.
      const isBusy = status === 409 || (status === 503 && headers.has('retry-after'))
      assert.ok(status === 200 || isBusy, String(status))
      return status === 200 ? by : 0
    }),
  )
  const sum = answers.reduce((all, by) => all + by, 0)
  assert.ok(sum > 0)
  const rows = (await nodes.call('trials.counter/read', { ids, fields: ['value'] })).body as {
    value: number
  }[]
  assert.deepEqual(
    rows.map(({ value }) => value),
    [sum, sum],
  )
})

test('batch: a hundred reads take as many round trips as reads', async () => {
  const calls = Array.from({ length: 100 }, () =>
    partner('search_read', { domain: [['id', '=', 1]], fields: ['name'] }),
  )
  await send(calls)
  const recorder = recordStatements()
  try {
    await send(calls)
    assert.equal(recorder.trips(), 101)
  } finally {
    recorder.stop()
  }
})

test('batch: creates are one statement in one round trip, and a failure is reported for its call', async () => {
  const ten = Array.from({ length: 10 }, (_, n) => create(`Ten ${n}`))
  for (const _ of [1, 2]) await send(ten)
  const recorder = recordStatements()
  try {
    const { status, batch } = await send(ten)
    assert.equal(status, 200)
    assert.equal(new Set(batch.results.map((_, n) => (resultOf(batch, n) as number[])[0])).size, 10)
    assert.equal(recorder.trips(), 1)
    assert.equal(
      recorder.statements.filter(({ text }) => text.startsWith('INSERT INTO "res_partner"')).length,
      1,
    )
  } finally {
    recorder.stop()
  }
  // No call waits for the row that PostgreSQL rejects: it is inserted together with the others.
  const [parent] = resultOf((await send([create('Parent')])).batch, 0) as number[]
  const child = (name: string, parent_id = parent) => partner('create', { vals_list: [{ name, parent_id }] })
  const { batch, codes } = await send([
    child('Before'),
    child('Child', 99999999),
    child('Between'),
    child('After'),
  ])
  assert.deepEqual([batch.failed, codes], [1, ['rolled_back', 'validation_error', 'not_run', 'not_run']])
  assert.equal((await named('Before')) + (await named('After')), 0)
})

test('batch: ids follow the order of calls, whatever refers to them', async () => {
  const child = (n: number) =>
    partner('create', { vals_list: [{ name: `D ${n}`, parent_id: { $ref: '/c/0' } }] })
  // Once while nothing is known of such calls, then as they are known.
  for (const n of [1, 2, 3]) {
    const makes = [create(`A ${n}`), create(`B ${n}`), create(`C ${n}`, 'c'), child(n), create(`E ${n}`)]
    const { batch } = await send([...makes, partner('copy', { ids: { $ref: '/c' } })])
    const ids = batch.results.map((_, place) => (resultOf(batch, place) as number[])[0] as number)
    const ordered = ids.toSorted((a, b) => a - b)
    assert.deepEqual(ids, ordered)
  }
})

test('batch: random ones equal the same calls one by one', async () => {
  const step = fc.record({
    act: fc.constantFrom('create', 'write', 'move', 'unlink', 'search'),
    name: fc.constantFrom('p', 'q', 'r'),
    at: fc.nat(3),
  })
  let round = 0
  const play = async (steps: readonly { act: string; name: string; at: number }[], inBatch: boolean) => {
    const mark = `round ${++round}`
    const base = (
      await nodes.call('res.partner/create', {
        vals_list: [0, 1, 2, 3].map((n) => ({ name: `base ${n}`, ref: mark })),
      })
    ).body as number[]
    const calls = steps.map(({ act, name, at }) => {
      if (act === 'create') return partner('create', { vals_list: [{ name, ref: mark }] })
      if (act === 'write') return partner('write', { ids: [base[at]], vals: { name } })
      if (act === 'move') return partner('write', { ids: [base[at]], vals: { city: name } })
      if (act === 'unlink') return partner('unlink', { ids: [base[at]] })
      return partner('search_count', {
        domain: [
          ['ref', '=', mark],
          ['name', '=', name],
        ],
      })
    })
    const counts: unknown[] = []
    if (inBatch) {
      const { batch, status } = await send(calls)
      for (const [n, { body }] of batch.results.entries()) if (steps[n]?.act === 'search') counts.push(body)
      assert.equal(status, 200)
    } else
      for (const [n, { method, body }] of calls.entries()) {
        const answer = await nodes.call(`res.partner/${method}`, body)
        assert.equal(answer.status, 200, answer.text)
        if (steps[n]?.act === 'search') counts.push(answer.body)
      }
    const rows = (
      await nodes.call('res.partner/search_read', {
        domain: [['ref', '=', mark]],
        fields: ['name', 'city'],
        order: 'id',
      })
    ).body as {
      name: string
      city: string
    }[]
    return { counts, names: rows.map(({ name, city }) => [name, city]) }
  }
  const sensible = fc.array(step, { minLength: 1, maxLength: 8 }).map((steps) => {
    const gone = new Set<number>()
    return steps.filter(({ act, at }) =>
      act === 'create' || act === 'search'
        ? true
        : !gone.has(at) && (act !== 'unlink' || Boolean(gone.add(at))),
    )
  })
  await fc.assert(
    fc.asyncProperty(
      sensible.filter((steps) => steps.length > 0),
      async (steps) => assert.deepEqual(await play(steps, true), await play(steps, false)),
    ),
    { numRuns: BATCHES },
  )
})

test('batch: a call that the key does not allow rejects it, before anything runs', async () => {
  const scope = 'rpc model:res.partner:rwc'
  const narrow = await createKey(nodes.databases, 'test', 'admin', { scope, name: 'narrow', days: 1 })
  const closed = { model: 'res.currency', method: 'search_count', body: { domain: [] } }
  const { status, headers, codes } = await send(
    [create('Narrow'), create('Narrow'), closed],
    {},
    {
      authorization: `bearer ${narrow}`,
    },
  )
  assert.deepEqual(
    [status, headers.get('error-code'), codes],
    [403, 'scope_missing', ['not_run', 'not_run', 'scope_missing']],
  )
  assert.equal(await named('Narrow'), 0)
})

test('batch: an unauthenticated caller gets 401, and no errors of the batch', async () => {
  for (const body of ['{"calls": [', '{"calls": 7}'])
    assert.equal((await nodes.post('/x/1/batch', body, { authorization: 'bearer 0123' })).status, 401)
  assert.equal((await nodes.post('/x/1/batch', '{"calls": [')).status, 400)
})

test('batch: references use the documented form of values, whatever form the answers have', async () => {
  const [parent] = (
    await nodes.call('res.partner/create', { vals_list: [{ name: 'Whole', is_company: true }] })
  ).body as number[]
  const [part] = (
    await nodes.call('res.partner/create', { vals_list: [{ name: 'Part', parent_id: parent }] })
  ).body as number[]
  const usual = async (ids: unknown) =>
    (await nodes.call('res.partner/read', { ids, fields: ['email', 'parent_id', 'ref', 'create_date'] }))
      .body as Record<string, unknown>[]
  const [was] = await usual([part])
  for (const more of [{ atomic: true }, { atomic: false }]) {
    const specification = { ref: {}, parent_id: { fields: { display_name: {} } }, create_date: {} }
    const { batch, codes } = await send(
      [
        partner('read', { ids: [part], fields: ['email', 'parent_id', 'create_date'] }, 'read'),
        partner(
          'create',
          {
            vals_list: [
              {
                name: 'Of what was read',
                email: { $ref: '/read/0/email' },
                parent_id: { $ref: '/read/0/parent_id/0' },
                ref: { $ref: '/read/0/create_date' },
              },
            ],
          },
          'copy',
        ),
        partner('web_save', { ids: { $ref: '/copy' }, vals: { name: 'Saved' }, specification }, 'saved'),
        partner('create', {
          vals_list: [{ name: 'Of what was saved', ref: { $ref: '/saved/0/create_date' } }],
        }),
      ],
      more,
      { prefer: 'values=typed' },
    )
    assert.deepEqual(codes, [200, 200, 200, 200], JSON.stringify(batch))
    // The answers are in the form that was asked for.
    const [read] = resultOf(batch, 0) as Record<string, unknown>[]
    const moment = `${String(was?.create_date).replace(' ', 'T')}Z`
    assert.deepEqual([read?.email, read?.create_date], [null, moment])
    assert.equal((read?.parent_id as { id: number } | undefined)?.id, parent)
    const [saved] = resultOf(batch, 2) as Record<string, unknown>[]
    assert.match(String(saved?.create_date), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const [copy, last] = await usual([
      ...(resultOf(batch, 1) as number[]),
      ...(resultOf(batch, 3) as number[]),
    ])
    assert.deepEqual([copy?.email, copy?.parent_id, copy?.ref], [false, was?.parent_id, was?.create_date])
    assert.equal(last?.ref, copy?.create_date)
  }
})
