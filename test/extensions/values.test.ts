// The form of answers: typed values, pages by cursor, counts.
// Begins first: it takes 9 s.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { errorClasses, type ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { parseDomain } from '../../src/models/domain/index.ts'
import { keysetPageOf, reportNextPage } from '../../src/models/read/keyset.ts'
import { raw } from '../../src/sql/index.ts'
import { things } from '../fixtures/modules/things/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  const moduleSet = modules.filter(({ name }) => ['base', 'mail', 'uom', 'product'].includes(name))
  nodes = await openNodes({ count: 2, known: [...moduleSet, things] })
})
after(() => nodes?.close())

type Row = Record<string, unknown>
const typed = { prefer: 'values=typed' }
const rowsOf = async (path: string, body: object, headers: Record<string, string> = {}) =>
  (await nodes.call(path, body, headers)).body as Row[]
const query = (text: ReturnType<typeof raw>) => nodes.run(({ unit }) => unit.query(text))
const make = async (model: string, ...vals: object[]) =>
  (await nodes.call(`${model}/create`, { vals_list: vals })).body as number[]

test('typed values: every field type, empty and full, in both forms, and back', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const [parent] = await make('res.partner', { name: 'Head' })
  const full = { name: 'Full', parent_id: parent, comment: '<p>x</p>', color: 3, image_1920: png }
  const ids = await make('res.partner', { ...full, email: 'a@b.example' }, { name: 'Empty' })
  const fields = [
    'name',
    'email',
    'parent_id',
    'comment',
    'color',
    'is_company',
    'create_date',
    'category_id',
    'image_1920',
    'display_name',
    'child_ids',
    'company_id',
  ]
  const [plainFull, plainEmpty] = await rowsOf('res.partner/read', { ids, fields })
  const answer = await nodes.call('res.partner/read', { ids, fields }, typed)
  assert.equal(answer.headers.get('preference-applied'), 'values=typed')
  const [withParent, none] = answer.body as Row[]
  assert.deepEqual(withParent?.parent_id, { id: parent, display_name: 'Head' })
  assert.deepEqual(
    [none?.email, none?.parent_id, none?.comment, none?.image_1920, none?.company_id],
    [null, null, null, null, null],
  )
  assert.deepEqual([none?.color, none?.is_company, none?.category_id], [0, false, []])
  assert.equal(withParent?.create_date, `${String(plainFull?.create_date).replace(' ', 'T')}Z`)
  for (const name of ['name', 'email', 'comment', 'color', 'image_1920', 'is_company'])
    assert.deepEqual(withParent?.[name], plainFull?.[name], name)
  // The same through every way of reading.
  const rows = await rowsOf(
    'res.partner/search_read',
    { domain: [['id', 'in', ids]], fields, order: 'id' },
    typed,
  )
  assert.deepEqual(rows, [withParent, none])
  const specification = Object.fromEntries(fields.map((name) => [name, {}]))
  const web = await rowsOf(
    'res.partner/web_read',
    { ids, specification: { ...specification, parent_id: { fields: { display_name: {}, email: {} } } } },
    typed,
  )
  assert.deepEqual(web[0]?.parent_id, { id: parent, display_name: 'Head', email: null })
  assert.deepEqual({ ...web[1] }, { ...none })
  // And back.
  const back = Object.fromEntries(
    ['name', 'email', 'parent_id', 'comment', 'color', 'image_1920', 'company_id'].map((name) => [
      name,
      withParent?.[name],
    ]),
  )
  const [copy] = (await nodes.call('res.partner/create', { vals_list: [back] }, typed)).body as [number]
  const [again] = await rowsOf('res.partner/read', { ids: [copy], fields }, typed)
  for (const name of Object.keys(back)) assert.deepEqual(again?.[name], withParent?.[name], name)
  assert.equal(
    (
      await nodes.call(
        'res.partner/write',
        {
          ids: [copy],
          vals: Object.fromEntries(
            Object.keys(back)
              .filter((name) => name !== 'name')
              .map((name) => [name, null]),
          ),
        },
        typed,
      )
    ).status,
    200,
  )
  const [emptied] = await rowsOf('res.partner/read', { ids: [copy], fields })
  for (const name of ['email', 'parent_id', 'comment', 'image_1920'])
    assert.deepEqual(emptied?.[name], plainEmpty?.[name], name)
})

test('typed values: every field type, empty and full, in both forms by every way of reading, and back', async () => {
  const eur = await query(raw("SELECT id FROM res_currency WHERE name = 'EUR'"))
  const [currency, mug] = [eur[0]?.[0], Buffer.from('mug').toString('base64')]
  const fullValues = {
    name: 'Full',
    text: 'a\nb',
    html: '<p>x</p>',
    integer: 2_147_483_647,
    float: 0.1,
    // Fifteen digits.
    exact: 12_345_678_901.2345,
    currency_id: currency,
    monetary: 123_456_789_012.3,
    boolean: true,
    date: '2026-02-28',
    datetime: '2026-03-29 01:00:00',
    time: '07:30:00',
    binary: mug,
    selection: 'high',
    reference: 'res.partner,1',
    many2one: 1,
    many2many: [[6, 0, [1, 2]]],
    one2many: [[0, 0, { name: 'Line' }]],
    res_model: 'res.partner',
    res_id: 1,
    json: { a: [1, null] },
  }
  const ids = await make('x.thing', fullValues, {})
  const [partner] = await rowsOf('res.partner/read', { ids: [1], fields: ['display_name'] })
  const label = partner?.display_name
  // Field, then the value in the usual form and in the typed one, of the full record and of the empty one.
  type Line = readonly [string, full: unknown, fullTyped: unknown, empty: unknown, emptyTyped: unknown]
  const same = (name: string, full: unknown, empty: unknown): Line => [name, full, full, empty, empty]
  const nulled = (name: string, full: unknown): Line => [name, full, full, false, null]
  const table: readonly Line[] = [
    nulled('name', 'Full'),
    nulled('text', 'a\nb'),
    nulled('html', '<p>x</p>'),
    same('integer', 2_147_483_647, 0),
    same('float', 0.1, 0),
    same('exact', 12_345_678_901.2345, 0),
    ['currency_id', [currency, 'EUR'], { id: currency, display_name: 'EUR' }, false, null],
    same('monetary', 123_456_789_012.3, 0),
    same('boolean', true, false),
    nulled('date', '2026-02-28'),
    ['datetime', '2026-03-29 01:00:00', '2026-03-29T01:00:00Z', false, null],
    nulled('time', '07:30:00'),
    nulled('binary', mug),
    nulled('selection', 'high'),
    ['reference', 'res.partner,1', { model: 'res.partner', id: 1, display_name: label }, false, null],
    ['many2one', [1, label], { id: 1, display_name: label }, false, null],
    same('many2many', [1, 2], []),
    same('res_id', 1, 0),
    same('json', { a: [1, null] }, false),
    same('twice', 24_691_357_802.469, 0),
    nulled('next', 'Full+'),
  ]
  const fields = table.map(([name]) => name)
  const domain = [['id', 'in', ids]]
  const names = { fields: { display_name: {} } }
  const specification = Object.fromEntries(
    fields.map((name) => [name, ['currency_id', 'many2one'].includes(name) ? names : {}]),
  )
  for (const [headers, at] of [
    [{}, 0],
    [typed, 1],
  ] as const) {
    const read = await rowsOf('x.thing/read', { ids, fields }, headers)
    for (const [name, ...values] of table) {
      const actual = [read[0]?.[name], read[1]?.[name]]
      assert.deepEqual(actual, [values[at], values[2 + at]], `${name} ${JSON.stringify(headers)}`)
    }
    assert.deepEqual(await rowsOf('x.thing/search_read', { domain, fields, order: 'id' }, headers), read)
    if (at === 0) continue
    const web = await rowsOf('x.thing/web_read', { ids, specification }, headers)
    for (const [n, row] of web.entries())
      for (const name of fields) assert.deepEqual(row[name], read[n]?.[name], `${name} by specification`)
  }
  // Back: what was read typed, written typed, reads the same.
  const [full] = await rowsOf('x.thing/read', { ids, fields }, typed)
  const { id: _, twice: _twice, next: _next, many2many, ...values } = full as Row
  const vals = { ...values, res_model: 'res.partner', many2many: [[6, 0, many2many]] }
  const [copy] = (await nodes.call('x.thing/create', { vals_list: [vals] }, typed)).body as [number]
  const again = async () => (await rowsOf('x.thing/read', { ids: [copy], fields }, typed))[0]
  assert.deepEqual(await again(), { ...full, id: copy })
  const moved = { datetime: '2026-03-29T03:30:00.25+02:00', date: null, selection: null, reference: null }
  assert.equal((await nodes.call('x.thing/write', { ids: [copy], vals: moved }, typed)).status, 200)
  const { datetime, date, selection, reference } = (await again()) as Row
  assert.deepEqual([datetime, date, selection, reference], ['2026-03-29T01:30:00Z', null, null, null])
  // Decimals as exact text: stored, monetary and computed ones.
  const decimals = { prefer: 'values=typed, numbers=decimal' }
  const amounts = { exact: '12345678901.2345', monetary: '123456789012.30', twice: '24691357802.4690' }
  const question = { ids, fields: Object.keys(amounts) }
  const reply = await nodes.call('x.thing/read', question, decimals)
  assert.equal(reply.headers.get('preference-applied'), 'values=typed, numbers=decimal')
  assert.deepEqual((reply.body as Row[])[0], { id: ids[0], ...amounts })
  const { twice: _made, ...written } = amounts
  assert.equal((await nodes.call('x.thing/write', { ids: [copy], vals: written }, decimals)).status, 200)
  assert.deepEqual((await rowsOf('x.thing/read', { ...question, ids: [copy] }, decimals))[0], {
    id: copy,
    ...amounts,
  })
  // The same over the wires of before: the envelope stays, values are typed.
  const args = ['test', 2, nodes.key, 'x.thing', 'read', [ids, ['datetime', 'monetary', 'many2one']]]
  const params = { service: 'object', method: 'execute_kw', args }
  const rpc = await nodes.post('/jsonrpc', { jsonrpc: '2.0', id: 1, params }, decimals)
  assert.equal(rpc.headers.get('preference-applied'), 'values=typed, numbers=decimal')
  const { result } = rpc.body as { result: Row[] }
  const expected = { id: ids[0], datetime: '2026-03-29T01:00:00Z', monetary: '123456789012.30' }
  assert.deepEqual(result[0], { ...expected, many2one: { id: 1, display_name: label } })
  const value = (member: unknown): string =>
    Array.isArray(member)
      ? `<value><array><data>${member.map(value).join('')}</data></array></value>`
      : typeof member === 'number'
        ? `<value><int>${member}</int></value>`
        : `<value><string>${member}</string></value>`
  const call = `<?xml version="1.0"?><methodCall><methodName>execute_kw</methodName><params>${args.map((arg) => `<param>${value(arg)}</param>`).join('')}</params></methodCall>`
  const xml = await nodes.post('/xmlrpc/2/object', call, { ...decimals, 'content-type': 'text/xml' })
  assert.equal(xml.headers.get('preference-applied'), 'values=typed, numbers=decimal')
  for (const text of ['2026-03-29T01:00:00Z', '123456789012.30', '<name>display_name</name>', '<nil/>'])
    assert.ok(xml.text.includes(text), xml.text)
})

test('typed values: a short list equals a long one in any form', async () => {
  const [country] = await nodes.run(({ unit }) => unit.query(raw('SELECT min(id) FROM res_country')))
  const tags = await make('res.partner.category', { name: 'b', color: 3 }, { name: 'a' }, { name: 'c' })
  const full = {
    name: 'Short "full"',
    country_id: country?.[0],
    category_id: tags,
    parent_id: 1,
    comment: 'x',
  }
  await make('res.partner', full, { name: 'Short bare', category_id: [tags[2], tags[0]] }, { name: 'Short' })
  const fields = ['name', 'country_id', 'category_id', 'parent_id', 'is_company', 'color', 'lang', 'type']
  const more = [...fields, 'create_date', 'partner_latitude', 'company_id', 'state_id', 'comment']
  const names = { fields: { display_name: {} } }
  const plainFields = Object.fromEntries(more.map((name) => [name, {}]))
  const specification = {
    ...plainFields,
    country_id: names,
    category_id: { fields: { color: {}, name: {} } },
  }
  const domain = [['name', 'like', 'Short']]
  for (const headers of [{}, typed, { prefer: 'values=typed, numbers=decimal' }] as Record<
    string,
    string
  >[]) {
    for (const load of ['_classic_read', null]) {
      const all = await rowsOf('res.partner/search_read', { domain, fields: more, load }, headers)
      assert.equal(all.length, 3)
      const ids = all.map(({ id }) => id)
      for (const few of [
        rowsOf('res.partner/search_read', { domain, fields: more, load, limit: 5 }, headers),
        rowsOf('res.partner/read', { ids, fields: more, load }, headers),
      ])
        assert.deepEqual(await few, all)
    }
    const page = { domain, specification }
    const whole = await nodes.call('res.partner/web_search_read', page, headers)
    const short = await nodes.call('res.partner/web_search_read', { ...page, limit: 5 }, headers)
    assert.equal((short.body as Row).length, 3)
    assert.deepEqual(short.body, whole.body)
  }
})

test('moments: over both changes of the clock, there and back, any offset', async () => {
  const brussels = { prefer: 'values=typed, timezone=Europe/Brussels' }
  const moments: [utc: string, local: string][] = [
    ['2026-03-29 00:59:59', '2026-03-29T01:59:59+01:00'],
    ['2026-03-29 01:00:00', '2026-03-29T03:00:00+02:00'],
    ['2026-10-25 00:30:00', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25 01:30:00', '2026-10-25T02:30:00+01:00'],
  ]
  for (const [utc, local] of moments) {
    const [id] = await make('res.partner', { name: utc })
    await query(raw(`UPDATE res_partner SET create_date = '${utc}.5' WHERE id = ${id}`))
    const read = (headers: Record<string, string>) =>
      nodes.call('res.partner/read', { ids: [id], fields: ['create_date'] }, headers)
    assert.equal(((await read({})).body as Row[])[0]?.create_date, utc)
    assert.equal(((await read(typed)).body as Row[])[0]?.create_date, `${utc.replace(' ', 'T')}Z`)
    const reply = await read(brussels)
    assert.equal((reply.body as Row[])[0]?.create_date, local)
    assert.equal(reply.headers.get('preference-applied'), 'values=typed, timezone=Europe/Brussels')
  }
  const unknown = await nodes.call(
    'res.partner/read',
    { ids: [] },
    { prefer: 'values=typed, timezone=Mars/Base' },
  )
  assert.equal(unknown.status, 422)
})

const pageAll = async (method: string, body: Row, limit: number, extra = '') => {
  const rows: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply = await nodes.call(
      method,
      { ...body, limit },
      { prefer: `paging=keyset${extra}`, ...(cursor ? { cursor } : {}) },
    )
    assert.equal(reply.status, 200, reply.text)
    assert.match(reply.headers.get('preference-applied') ?? '', /paging=keyset/)
    const page = reply.body as unknown[] | { records: unknown[] }
    rows.push(...(Array.isArray(page) ? page : page.records))
    cursor = reply.headers.get('next-cursor')
  }
  return rows
}

test('pagination: pages by cursor make up the whole, for any order, size and unset values', async () => {
  await query(
    raw(`INSERT INTO res_partner (name, complete_name, active, color, email, parent_id, create_date, is_company)
      SELECT 'K' || n % 7, 'K' || n % 7, true, NULLIF(n % 4, 0), CASE WHEN n % 3 > 0 THEN 'e' || n % 5 END, CASE WHEN n % 2 = 0 THEN 1 + n % 3 END, now() + (n % 3) * interval '1 microsecond', n % 5 = 0
      FROM generate_series(1, 300) AS n`),
  )
  const domain = [['name', '=like', 'K_']]
  const orders = [
    'id desc',
    'color',
    'color desc',
    'color nulls first, email desc nulls last',
    'email desc, color desc nulls last',
    'parent_id desc, name',
    'parent_id',
    'create_date desc',
    'is_company desc, name',
    '',
  ]
  for (const [n, order] of orders.entries()) {
    const whole = await rowsOf('res.partner/search', { domain, order })
    assert.equal(whole.length, 300)
    assert.deepEqual(
      await pageAll('res.partner/search', { domain, order }, [97, 50, 7, 31][n % 4] as number),
      whole,
      order,
    )
  }
  const fields = ['name', 'color', 'parent_id']
  const whole = await rowsOf('res.partner/search_read', { domain, fields, order: 'color, name' })
  assert.deepEqual(
    await pageAll('res.partner/search_read', { domain, fields, order: 'color, name' }, 60),
    whole,
  )
  const typedOnes = await pageAll(
    'res.partner/search_read',
    { domain, fields, order: 'color, name' },
    60,
    ', values=typed',
  )
  assert.deepEqual(
    typedOnes,
    await rowsOf('res.partner/search_read', { domain, fields, order: 'color, name' }, typed),
  )
  const web = {
    domain,
    specification: { name: {}, parent_id: { fields: { display_name: {} } } },
    order: 'color desc',
  }
  const { records } = (await nodes.call('res.partner/web_search_read', web)).body as { records: Row[] }
  assert.deepEqual(await pageAll('res.partner/web_search_read', web, 60), records)
})

test('pagination: 20,000 rows with few distinct values, in pages of 1 to 97', async () => {
  await query(
    raw(`INSERT INTO res_partner (name, complete_name, active, color, email, ref)
      SELECT 'M' || n % 3, 'M' || n % 3, true, NULLIF(n % 5, 0), CASE WHEN n % 2 > 0 THEN 'e' || n % 2 END, 'many'
      FROM generate_series(1, 20000) AS n`),
  )
  const domain = [['ref', '=', 'many']]
  let size = 0
  for (const order of ['color, email desc', 'email nulls first, color desc nulls last', 'name desc']) {
    const whole = await rowsOf('res.partner/search', { domain, order })
    assert.equal(whole.length, 20_000)
    const rows: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      // Every size comes up, in an order in which small and large ones are mixed.
      size = (size + 41) % 97
      const reply = await nodes.call(
        'res.partner/search',
        { domain, order, limit: size + 1 },
        { prefer: 'paging=keyset', ...(cursor ? { cursor } : {}) },
      )
      rows.push(...(reply.body as unknown[]))
      cursor = reply.headers.get('next-cursor')
    }
    assert.deepEqual(rows, whole, order)
  }
  await query(raw(`DELETE FROM res_partner WHERE ref = 'many'`))
})

test('paging: rows that stay while others come and go are returned exactly once', async () => {
  const domain = [['name', '=like', 'K_']]
  const order = 'color desc, name'
  const before = (await rowsOf('res.partner/search', { domain, order })) as unknown as number[]
  const seen: number[] = []
  const gone = new Set<number>()
  for (let [cursor, page] = ['' as string | null, 0]; cursor !== null; page++) {
    const reply = await nodes.call(
      'res.partner/search',
      { domain, order, limit: 23 },
      { prefer: 'paging=keyset', ...(cursor ? { cursor } : {}) },
    )
    seen.push(...(reply.body as number[]))
    cursor = reply.headers.get('next-cursor')
    // The last row of this page, to which the cursor points, and a row of a later page.
    const going = [seen.at(-1), before.at(-1 - page)].filter((id) => id !== undefined)
    for (const id of going) if (id === before.at(-1 - page) && !seen.includes(id)) gone.add(id)
    await nodes.call('res.partner/unlink', { ids: going })
    await make('res.partner', { name: 'K0', color: 3 }, { name: 'K6' })
  }
  assert.equal(new Set(seen).size, seen.length, 'nothing twice')
  const seenIds = new Set(seen)
  assert.deepEqual(
    before.filter((id) => !seenIds.has(id) && !gone.has(id)),
    [],
  )
  assert.ok(
    seen.some((id) => !before.includes(id)),
    'what came in time is told',
  )
})

test('pagination: an order without SQL cannot be paged by cursor', async () => {
  const code = async (order: string, headers: Record<string, string> = { prefer: 'paging=keyset' }) => {
    const body = { domain: [], order, limit: 2, fields: ['name'] }
    const reply = await nodes.call('res.partner/search_read', body, headers)
    return [reply.status, reply.headers.get('error-code')]
  }
  for (const order of ['image_128', 'display_name', 'name, child_ids'])
    assert.deepEqual(await code(order), [422, 'order_not_seekable'], order)
  assert.deepEqual(await code('image_128', {}), [422, 'invalid_value'])
  assert.deepEqual(await code('nam'), [422, 'unknown_field'])
  assert.deepEqual(await code('name upwards'), [422, 'user_error'])
})

test('paging: a cursor belongs to its query; an invalid one is refused', async () => {
  const body = { domain: [['name', '=like', 'K_']], order: 'color', limit: 10, fields: ['name'] }
  const ask = (more: object, headers: Record<string, string>) =>
    nodes.call('res.partner/search_read', { ...body, ...more }, { prefer: 'paging=keyset', ...headers })
  const first = await ask({}, {})
  const cursor = first.headers.get('next-cursor') as string
  assert.match(cursor, /^k1\./)
  assert.equal((await ask({ limit: 20, fields: ['email'] }, { cursor })).status, 200)
  const refused = async (more: object, cursor: string) => {
    const { status, headers } = await ask(more, { cursor: cursor })
    return [status, headers.get('error-code')]
  }
  const mismatch = [422, 'cursor_mismatch']
  assert.deepEqual(await refused({ domain: [] }, cursor), mismatch)
  assert.deepEqual(await refused({ order: 'name' }, cursor), mismatch)
  assert.deepEqual(await refused({ context: { active_test: false } }, cursor), mismatch)
  const named = { domain: [['code', '=', 'fr_FR']], context: { active_test: false } }
  const ids = (await nodes.call('res.lang/search', named)).body
  assert.equal((await nodes.call('res.lang/write', { ids, vals: { active: true } })).status, 200)
  assert.equal((await nodes.call('res.users/write', { ids: [2], vals: { lang: 'fr_FR' } })).status, 200)
  assert.deepEqual(await refused({}, cursor), mismatch, 'of a user of another language')
  await nodes.call('res.users/write', { ids: [2], vals: { lang: 'en_US' } })
  assert.equal((await ask({}, { cursor })).status, 200)
  await nodes.run(async (env) => {
    const model = env.def('res.partner')
    const question = { model, domain: [], tree: parseDomain([]), options: {} }
    const cursors: string[] = []
    const tell = (_: string, value: string) => void cursors.unshift(value)
    reportNextPage(env, question, { page: { cursor: null, database: 'one' }, tell }, '["Ann","3"]')
    const openIn = (database: string) => keysetPageOf(env, question, { cursor: cursors[0] ?? '', database })
    assert.throws(() => openIn('other'), /belongs to another query/)
    openIn('one')
  })
  assert.deepEqual(await refused({}, cursor.slice(0, -3)), mismatch)
  for (const more of ['x', 'xx', 'xxx', '=']) assert.deepEqual(await refused({}, cursor + more), mismatch)
  assert.deepEqual(await refused({}, `${cursor.slice(0, 30)}A${cursor.slice(31)}`), mismatch)
  assert.deepEqual(await refused({}, 'nonsense'), mismatch)
  assert.equal((await ask({ offset: 1 }, {})).status, 422)
  assert.equal((await ask({ limit: 2001 }, {})).status, 422)
  const strict = await nodes.call(
    'res.partner/write',
    { ids: [1], vals: {} },
    { prefer: 'paging=keyset, handling=strict' },
  )
  assert.deepEqual([strict.status, strict.headers.get('error-code')], [400, 'unknown_preference'])
})

test('counts: exact, planned, estimated', async () => {
  const domain = [['name', '=like', 'K_']]
  for (const count of ['exact', 'estimated', 'planned']) {
    const reply = await nodes.call('res.partner/search', { domain, limit: 5 }, { prefer: `count=${count}` })
    assert.equal(reply.headers.get('preference-applied'), `count=${count}`)
    assert.match(reply.headers.get('total-count') ?? '', count === 'planned' ? /^\d+$/ : /^300$/)
  }
})

const problems = { accept: 'application/problem+json' }

test('problem details: name the places of faults, and suggest corrections', async () => {
  const reply = await nodes.call(
    'res.partner/create',
    { vals_list: [{ name: 'A' }, { nam: 'B', emial: 'x' }] },
    problems,
  )
  assert.equal(reply.status, 422)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const { type, instance, detail, ...body } = reply.body as Row
  assert.match(String(type), /\/x\/1\/problems\/unknown-field$/)
  assert.match(String(instance), /^urn:request:/)
  assert.match(String(detail), /nam/)
  assert.deepEqual(body, {
    title: 'Unknown field',
    status: 422,
    code: 'unknown_field',
    name: 'builtins.ValueError',
    arguments: [detail],
    context: {},
    errors: [
      { pointer: '/vals_list/1/nam', field: 'nam', suggestions: ['name'] },
      { pointer: '/vals_list/1/emial', field: 'emial', suggestions: ['email'] },
    ],
  })
  const errors = async (path: string, body: object) =>
    ((await nodes.call(path, body, problems)).body as { errors: Row[] }).errors
  assert.equal(
    (await errors('res.partner/read', { ids: [1], fields: ['name', 'emal'] }))[0]?.pointer,
    '/fields/1',
  )
  assert.equal(
    (await errors('res.partner/search', { domain: [['emal', '=', 1]] }))[0]?.pointer,
    '/domain/0/0',
  )
  assert.equal(
    (await errors('res.partner/write', { ids: [1], vals: { color: 'red' } }))[0]?.pointer,
    '/vals/color',
  )
  assert.deepEqual(
    (await errors('res.currency/create', { vals_list: [{ symbol: 'x' }, { name: 'ABC' }] })).map(
      (error) => error.pointer,
    ),
    ['/vals_list/0/name', '/vals_list/1/symbol'],
  )
  const parameter = (await nodes.call('res.partner/search', { domian: [] }, problems)).body as Row
  assert.deepEqual(
    [parameter.code, parameter.accepted],
    ['unknown_parameter', ['context', 'domain', 'offset', 'limit', 'order']],
  )
  const hidden = await nodes.call('ir.model.data/search_read', { fields: ['readabl'] }, problems)
  assert.equal(hidden.status, 422)
  assert.doesNotMatch(hidden.text, /readable/, 'nobody learns of fields of groups that they are not in')
  const method = (await nodes.call('res.partner/serach', {}, problems)).body as Row
  assert.deepEqual([method.status, method.suggestions], [404, ['search']])
})

test('problem details: work without a database, and only on request', async () => {
  const url = nodes.servers[0]?.url
  for (const [path, headers, status] of [
    ['/json/2/res.partner/read', { 'content-type': 'application/json' }, 401],
    ['/json/2/res.partner/read', { 'content-type': 'text/plain', authorization: 'bearer x' }, 415],
    ['/nowhere', {}, 404],
  ] as const) {
    const init = { method: 'POST', body: '{}' }
    const reply = await fetch(`${url}${path}`, { ...init, headers: { ...headers, ...problems } })
    assert.deepEqual([reply.status, ((await reply.json()) as Row).status], [status, status])
    assert.match(reply.headers.get('content-type') ?? '', /problem\+json/)
  }
  for (const accept of ['*/*', 'application/json']) {
    const plain = await nodes.call('res.partner/read', { ids: [1], fields: ['nam'] }, { accept })
    assert.deepEqual(Object.keys(plain.body as Row), ['name', 'message', 'arguments', 'context', 'debug'])
  }
})

test('problem details: every class of errors, and every code in the source, has a page', async () => {
  const url = nodes.servers[0]?.url
  const list = (await (await fetch(`${url}/x/1/problems`)).json()) as { problems: Row[] }
  const codesListed = new Set(list.problems.map(({ code }) => code))
  const sources = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  const codes = sources.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    return /from '.*errors\.ts'/.test(text)
      ? [...text.matchAll(/\bcode: '([a-z]+(?:_[a-z]+)+)'/g)].map((match) => match[1])
      : []
  })
  for (const code of [
    ...codes,
    // Codes of batch results that are not errors.
    'not_run',
    'rolled_back',
    ...errorClasses.map((errorClass) => new (errorClass as new (text: string) => ServiceError)('').code),
  ])
    assert.ok(codesListed.has(code), code)
  const page = await fetch(`${url}/x/1/problems/unknown-field`, { headers: { accept: 'text/html' } })
  assert.match(page.headers.get('content-type') ?? '', /html/)
  assert.match(await page.text(), /Unknown field/)
  assert.equal((await fetch(`${url}/x/1/problems/nothing`)).status, 404)
})
