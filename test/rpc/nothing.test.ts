// "Nothing", numbers and bytes as client languages send them: PHP's empty lists, empty texts in the
// place of `undefined`, single ids, digits (the specification of clients' needs, section 11).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
let country: number
before(async () => {
  wires = await openWires(['base'])
  const countries = await wires.json2('res.country/search', { domain: [['code', '=', 'BE']] })
  country = (countries.result as number[])[0] as number
})
after(() => wires.close())

const asText = (value: unknown) => JSON.stringify(value)

test('nothing: no keywords and no context, in the form of any language', async () => {
  const count = (await wires.json2('res.partner/search_count', { domain: [] })).result
  assert.ok(count)
  for (const none of [[], null, false, '', {}]) {
    assert.equal(
      (await wires.kw('res.partner', 'search_count', [[]], none)).result,
      count,
      `kw ${asText(none)}`,
    )
    assert.equal(
      (await wires.kw('res.partner', 'search_count', [[]], { context: none })).result,
      count,
      `kw.context ${asText(none)}`,
    )
    assert.equal(
      (await wires.json2('res.partner/search_count', { domain: [], context: none })).result,
      count,
      `context ${asText(none)}`,
    )
    const call = { model: 'res.partner', method: 'search_count', args: [[]], kwargs: none }
    assert.equal((await wires.session('/web/dataset/call_kw', call)).result, count, `kwargs ${asText(none)}`)
    assert.equal(
      (await wires.session('/web/session/get_session_info', none)).error,
      undefined,
      `params ${asText(none)}`,
    )
  }
  for (const wrong of [[1], 'x', 1, true]) {
    assert.ok((await wires.kw('res.partner', 'search_count', [[]], wrong)).error, asText(wrong))
    assert.equal(
      (await wires.json2('res.partner/search_count', { domain: [], context: wrong })).error?.status,
      422,
      asText(wrong),
    )
  }
})

test('windows and orders: empty values mean none, digits are a number', async () => {
  const all = (await wires.json2('res.country/search', { domain: [] })).result as number[]
  for (const none of ['', false, null]) {
    const window = { domain: [], limit: none, offset: none, order: none }
    assert.deepEqual((await wires.json2('res.country/search', window)).result, all, asText(none))
    const { domain, ...named } = window
    assert.deepEqual((await wires.kw('res.country', 'search', [domain], named)).result, all, asText(none))
    const groups = await wires.json2('res.country/formatted_read_group', {
      ...window,
      groupby: ['code'],
      aggregates: none,
      having: none,
    })
    assert.equal((groups.result as unknown[]).length, all.length)
    const page = await wires.json2('res.country/web_search_read', {
      ...window,
      count_limit: none,
      specification: [],
    })
    assert.deepEqual(
      (page.result as { records: { id: number }[] }).records.map(({ id }) => id),
      all,
    )
    const names = await wires.json2('res.country/name_search', {
      name: none,
      domain: none,
      operator: none,
      limit: '3',
    })
    assert.equal((names.result as unknown[]).length, 3)
    const rows = await wires.json2('res.country/search_read', { ...window, fields: none, limit: 1 })
    assert.ok(Object.keys((rows.result as object[])[0] as object).length > 5, 'no fields are all')
  }
  const some = all.slice(1, 3)
  assert.deepEqual(
    (await wires.json2('res.country/search', { domain: [], limit: '2', offset: '1' })).result,
    some,
  )
  assert.deepEqual((await wires.kw('res.country', 'search', [[], '1', '2'])).result, some)
  for (const wrong of ['-1', 'two', '1.5', ' 2', '0x2', true, [2], {}])
    assert.equal(
      (await wires.json2('res.country/search', { domain: [], limit: wrong })).error?.status,
      422,
      asText(wrong),
    )
})

test("nothing: PHP's empty lists are empty objects wherever an object is expected", async () => {
  const creation = (
    await wires.json2('res.partner/create', { vals_list: [[], { name: 'PHP', child_ids: [[0, 0, []]] }] })
  ).error
  assert.equal(
    creation?.name,
    'odoo.exceptions.ValidationError',
    'a contact without a name, and no refusal of the form',
  )
  const id = (
    await wires.kw('res.partner', 'create', [{ name: 'PHP', child_ids: [[0, 0, { name: 'Child' }]] }])
  ).result as number
  assert.equal((await wires.kw('res.partner', 'write', [[id], []])).result, true)
  const read = await wires.json2('res.partner/web_read', {
    ids: [id],
    specification: { name: [], country_id: [], child_ids: { fields: [] } },
  })
  const [row] = read.result as { name: string; child_ids: { id: number }[] }[]
  assert.deepEqual(
    [row?.name, row?.child_ids.length, Object.keys(row?.child_ids[0] ?? {})],
    ['PHP', 1, ['id']],
  )
  assert.deepEqual(
    (await wires.json2('res.partner/web_save', { ids: [id], vals: [], specification: [] })).result,
    [{ id }],
  )
  assert.deepEqual(
    (await wires.json2('res.partner/web_save_multi', { ids: [id], vals_list: [[]], specification: [] }))
      .result,
    [{ id }],
  )
  assert.equal(
    ((await wires.json2('res.partner/copy', { ids: [id], default: [] })).result as number[]).length,
    1,
  )
  for (const wrong of [[1], 'x', 3]) {
    assert.equal(
      (await wires.json2('res.partner/write', { ids: [id], vals: wrong })).error?.status,
      422,
      asText(wrong),
    )
    const specification = { name: wrong }
    assert.equal(
      (await wires.json2('res.partner/web_read', { ids: [id], specification })).error?.status,
      422,
      asText(wrong),
    )
  }
})

test('nothing: an empty text unsets a many2one, and digits set it, for modules too; other texts are rejected', async () => {
  const make = (vals: object) => wires.json2('res.partner/create', { vals_list: { name: 'Link', ...vals } })
  const read = async (ids: unknown, ...fields: string[]) =>
    (
      (await wires.json2('res.partner/read', { ids, fields, load: null })).result as Record<string, unknown>[]
    )[0]
  const digits = await make({ country_id: String(country) })
  assert.equal((await read(digits.result, 'country_id'))?.country_id, country)
  assert.equal(
    (await wires.json2('res.partner/write', { ids: digits.result, vals: { country_id: '' } })).result,
    true,
  )
  assert.equal((await read(digits.result, 'country_id'))?.country_id, false)
  assert.equal((await read((await make({ country_id: '' })).result, 'country_id'))?.country_id, false)
  for (const wrong of ['abc', ' 3', '3.0', '-1', true, [3], {}]) {
    const { error } = await make({ country_id: wrong })
    assert.equal(error?.status, 422, asText(wrong))
    assert.match(error?.message ?? '', /country_id/)
  }
  // Addresses follow the parent and accounts are named after their holder: module code that reads the values
  // sees a number.
  const [parent] = (await make({ name: 'Parent', is_company: true, city: 'Ghent' })).result as [number]
  const child = (await make({ parent_id: String(parent) })).result
  assert.deepEqual(await read(child, 'city', 'parent_id'), {
    id: (child as number[])[0],
    city: 'Ghent',
    parent_id: parent,
  })
  const nested = await wires.json2('res.partner/write', {
    ids: parent,
    vals: { bank_ids: [[0, 0, { acc_number: 'X1', partner_id: String(parent) }]] },
  })
  assert.equal(nested.result, true)
  const account = await wires.json2('res.partner.bank/create', {
    vals_list: { acc_number: 'X2', partner_id: String(parent) },
  })
  const rows = await wires.json2('res.partner.bank/read', {
    ids: account.result,
    fields: ['acc_holder_name'],
  })
  assert.equal((rows.result as { acc_holder_name: string }[])[0]?.acc_holder_name, 'Parent')
})

test('nothing: an x2many rejects texts, and accepts digits as ids in its commands', async () => {
  const tag = (await wires.json2('res.partner.category/create', { vals_list: { name: 'Digits' } }))
    .result as number[]
  for (const wrong of ['', 'x', 3])
    assert.equal(
      (await wires.json2('res.partner/create', { vals_list: { name: 'x', category_id: wrong } })).error
        ?.status,
      422,
      asText(wrong),
    )
  for (const commands of [[[4, String(tag[0])]], [[6, 0, [String(tag[0])]]], [[6, '', tag]]]) {
    const creation = await wires.json2('res.partner/create', {
      vals_list: { name: 'x', category_id: commands },
    })
    const rows = await wires.json2('res.partner/read', { ids: creation.result, fields: ['category_id'] })
    assert.deepEqual((rows.result as { category_id: number[] }[])[0]?.category_id, tag, asText(commands))
  }
  assert.equal(
    (await wires.json2('res.partner/create', { vals_list: { name: 'x', category_id: [[4, 'x']] } })).error
      ?.status,
    422,
  )
})

test('nothing: a single id is a list of one; invalid ids are rejected and change nothing', async () => {
  const [id] = (await wires.json2('res.partner/create', { vals_list: { name: 'Lone' } })).result as [number]
  assert.deepEqual((await wires.json2('res.partner/read', { ids: id, fields: ['name'] })).result, [
    { id, name: 'Lone' },
  ])
  assert.equal((await wires.json2('res.partner/write', { ids: id, vals: { name: 'Alone' } })).result, true)
  for (const none of [null, false, []]) {
    assert.deepEqual(
      (await wires.json2('res.partner/read', { ids: none, fields: ['name'] })).result,
      [],
      asText(none),
    )
    assert.equal((await wires.json2('res.partner/unlink', { ids: none })).result, true, asText(none))
    assert.equal((await wires.kw('res.partner', 'unlink', [none])).result, true, asText(none))
  }
  assert.equal((await wires.json2('res.partner/unlink')).result, true)
  for (const wrong of [String(id), [String(id)], true, 1.5, {}, [null]]) {
    assert.equal((await wires.json2('res.partner/unlink', { ids: wrong })).error?.status, 422, asText(wrong))
    assert.ok((await wires.kw('res.partner', 'unlink', [wrong])).error, asText(wrong))
  }
  assert.deepEqual((await wires.json2('res.partner/read', { ids: id, fields: ['name'] })).result, [
    { id, name: 'Alone' },
  ])
  assert.equal(
    (await wires.json2('res.partner/search', { domain: [], ids: id })).error?.status,
    422,
    'no ids for a model-level method',
  )
})

test('nothing: base64 in every notation of clients is the same file', async () => {
  const read = async (datas: string) => {
    const creation = await wires.kw('ir.attachment', 'create', [{ name: 'x', datas }])
    return (
      creation.error ??
      (await wires.kw('ir.attachment', 'read', [creation.result, ['raw', 'datas', 'file_size']])).result
    )
  }
  for (const input of ['aGVsbG8=', 'aGVsbG8', 'aGVs\nbG8=', 'data:text/plain;base64,aGVsbG8=']) {
    const [row] = (await read(input)) as { datas: string; file_size: number }[]
    assert.deepEqual([row?.datas, row?.file_size], ['aGVsbG8=', 5], input)
  }
  const [urlSafe] = (await read('_-8')) as { datas: string }[]
  assert.equal(urlSafe?.datas, '/+8=')
  for (const wrong of ["b'aGVsbG8='", 'a', 'no base64!', 'data:text/plain,hello'])
    assert.match(asText(await read(wrong)), /base64/, wrong)
})

test('errors: name the possible values, on every wire', async () => {
  const refused: readonly [string, string, object, RegExp][] = [
    [
      'res.partner',
      'create',
      { vals_list: [{ name: 'x', type: 'nope' }] },
      /res\.partner\.type: it takes contact, invoice, delivery.* or other/,
    ],
    [
      'res.partner',
      'create',
      { vals_list: [{ name: 'x', lang: 'xx_XX' }] },
      /lang: "xx_XX"\. Languages in use are en_US\./,
    ],
    [
      'res.partner',
      'search',
      { domain: [['name', 'resembles', 'x']] },
      /"resembles".*unknown operator; use =, in, .*ilike/,
    ],
    [
      'res.partner',
      'formatted_read_group',
      { domain: [], groupby: ['create_date:decade'], aggregates: [] },
      /decade; it has hour, day, week/,
    ],
    [
      'res.partner',
      'formatted_read_group',
      { domain: [], groupby: [], aggregates: ['color:mean'] },
      /unknown function; use .*sum/,
    ],
    ['res.partner', 'get_view', { view_type: 'nope' }, /use .*form/],
  ]
  for (const [model, method, body, words] of refused) {
    const json2 = await wires.json2(`${model}/${method}`, body)
    const rpc = await wires.kw(
      model,
      method,
      'vals_list' in body ? [body.vals_list] : [],
      'vals_list' in body ? {} : body,
    )
    for (const { error } of [json2, rpc]) assert.match(String(error?.message), words)
    assert.equal(json2.error?.status, 422)
  }
})

test('errors: name an unknown model, on every wire', async () => {
  const named = /no\.such\.thing/
  const json2 = await wires.json2('no.such.thing/read')
  assert.deepEqual([json2.error?.status, json2.error?.name], [404, 'werkzeug.exceptions.NotFound'])
  assert.match(json2.error?.message ?? '', named)
  assert.match((await wires.kw('no.such.thing', 'read', [[1]])).error?.message ?? '', named)
  const session = await wires.session('/web/dataset/call_kw', {
    model: 'no.such.thing',
    method: 'read',
    args: [[1]],
    kwargs: {},
  })
  assert.match(session.error?.message ?? '', named)
  const response = await fetch(`${wires.server.url}/doc-bearer/no.such.thing.json`, {
    headers: { authorization: `bearer ${wires.key}` },
  })
  assert.equal(response.status, 404)
  assert.match(await response.text(), named)
})

test('numbers: sums of floats have a decimal point, those of integers have none', async () => {
  await wires.json2('res.partner/create', {
    vals_list: [1, 2].map((n) => ({ name: 'Sum', color: n, partner_latitude: n, ref: 'sums' })),
  })
  const group = {
    domain: [['ref', '=', 'sums']],
    aggregates: [
      'partner_latitude:sum',
      'partner_latitude:max',
      'partner_latitude:array_agg',
      'color:sum',
      'color:avg',
      '__count',
    ],
  }
  const written = [
    /"partner_latitude:sum":3\.0[,}]/,
    /"partner_latitude:max":2\.0[,}]/,
    /"partner_latitude:array_agg":\[1\.0,2\.0\]/,
  ]
  const whole = [/"color:sum":3[,}]/, /"__count":2[,}]/]
  for (const call of [
    await wires.json2('res.partner/formatted_read_group', group),
    await wires.json2('res.partner/formatted_read_grouping_sets', { ...group, grouping_sets: [['ref'], []] }),
    await wires.json2('res.partner/web_read_group', { ...group, groupby: ['ref'] }),
    await wires.kw('res.partner', 'formatted_read_group', [], group),
  ]) {
    for (const form of [...written, ...whole, /"color:avg":1\.5[,}]/]) assert.match(call.text, form)
  }
  const older = await wires.json2('res.partner/read_group', {
    domain: group.domain,
    fields: ['partner_latitude', 'color'],
    groupby: [],
  })
  assert.match(older.text, /"partner_latitude":3\.0/)
  assert.match(older.text, /"color":3[,}]/)
  const average = {
    domain: [
      ['ref', '=', 'sums'],
      ['color', '=', 2],
    ],
    aggregates: ['color:avg'],
  }
  assert.match((await wires.json2('res.partner/formatted_read_group', average)).text, /"color:avg":2\.0/)
})

test('create: values of a new record come first, and not by keyword only', async () => {
  const vals_list = [{ name: 'By keyword' }]
  assert.equal(
    (await wires.kw('res.partner', 'create', [], { vals_list })).error?.message,
    'create takes its values as its first argument',
  )
  assert.equal(typeof (await wires.kw('res.partner', 'create', [vals_list[0]], {})).result, 'number')
  assert.equal(Array.isArray((await wires.kw('res.partner', 'create', [vals_list], {})).result), true)
})
