// Groups in the typed form.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { raw } from '../../src/sql/index.ts'
import { things } from '../fixtures/modules/things/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: [...modules.filter(({ name }) => name === 'base'), things] })
})
after(() => nodes?.close())

type Row = Record<string, unknown>
const rowsOf = async (path: string, body: object, headers: Record<string, string> = {}) =>
  (await nodes.call(path, body, headers)).body as Row[]
const query = (text: ReturnType<typeof raw>) => nodes.run(({ unit }) => unit.query(text))
const make = async (model: string, ...vals: object[]) =>
  (await nodes.call(`${model}/create`, { vals_list: vals })).body as number[]

test('groups in the typed form: periods with their zone, amounts as exact text, null for nothing', async () => {
  const currencies = await query(
    raw(
      "SELECT c.id, scale(trim_scale(c.rounding)) FROM res_currency c WHERE c.name IN ('EUR', 'JPY') ORDER BY c.name",
    ),
  )
  const [[eur, cents], [jpy, none]] = currencies as [[number, number], [number, number]]
  assert.deepEqual([cents, none], [2, 0])
  const same = { name: 'Group', text: 'g' }
  const [first] = await make(
    'x.thing',
    {
      ...same,
      datetime: '2026-11-15 10:00:00',
      date: '2026-11-15',
      currency_id: eur,
      monetary: 10.5,
      exact: 0.1,
    },
    {
      ...same,
      datetime: '2026-11-20 10:00:00',
      date: '2026-11-20',
      currency_id: eur,
      monetary: 9.4,
      exact: 0.2,
    },
    { ...same, datetime: '2026-07-02 10:00:00', date: '2026-07-02', currency_id: jpy, monetary: 5, exact: 3 },
    { ...same },
  )
  assert.ok(first)
  const body = {
    domain: [['text', '=', 'g']],
    groupby: ['datetime:month', 'date:month'],
    aggregates: [
      'monetary:sum',
      'exact:sum',
      'exact:avg',
      'datetime:max',
      'datetime:array_agg',
      'monetary:array_agg',
    ],
    order: 'monetary:sum desc nulls last',
    context: { tz: 'Europe/Brussels' },
  }
  const groupsOf = async (prefer?: string, more: object = {}) =>
    await rowsOf('x.thing/formatted_read_group', { ...body, ...more }, prefer ? { prefer } : {})
  const keys = (rows: Row[]) => rows.map((row) => [row['datetime:month'], row['date:month']])

  assert.deepEqual(keys(await groupsOf()), [
    [
      ['2026-10-31 23:00:00', 'November 2026'],
      ['2026-11-01', 'November 2026'],
    ],
    [
      ['2026-06-30 22:00:00', 'July 2026'],
      ['2026-07-01', 'July 2026'],
    ],
    [false, false],
  ])
  const utc = await groupsOf('values=typed')
  assert.deepEqual(keys(utc), [
    [
      ['2026-10-31T23:00:00Z', 'November 2026'],
      ['2026-11-01', 'November 2026'],
    ],
    [
      ['2026-06-30T22:00:00Z', 'July 2026'],
      ['2026-07-01', 'July 2026'],
    ],
    [null, null],
  ])
  assert.deepEqual(
    utc.map((row) => row['datetime:max']),
    ['2026-11-20T10:00:00Z', '2026-07-02T10:00:00Z', null],
  )
  assert.deepEqual(utc[0]?.['monetary:sum'], 19.9)

  const local = await groupsOf('values=typed, timezone=Europe/Brussels, numbers=decimal')
  assert.deepEqual(keys(local), [
    [
      ['2026-11-01T00:00:00+01:00', 'November 2026'],
      ['2026-11-01', 'November 2026'],
    ],
    [
      ['2026-07-01T00:00:00+02:00', 'July 2026'],
      ['2026-07-01', 'July 2026'],
    ],
    [null, null],
  ])
  assert.deepEqual(
    local.map((row) => [row['monetary:sum'], row['exact:sum'], row['exact:avg']]),
    [
      ['19.90', '0.3000', '0.1500'],
      ['5', '3.0000', '3.0000'],
      [null, null, null],
    ],
    'digits of the field, or of the one currency; ordered as numbers',
  )
  assert.deepEqual(local[0]?.['datetime:array_agg'], [
    '2026-11-15T11:00:00+01:00',
    '2026-11-20T11:00:00+01:00',
  ])
  assert.deepEqual(local[0]?.['monetary:array_agg'], ['10.50', '9.40'])

  // Of several currencies, and of none at all.
  const total = {
    groupby: [],
    order: null,
    aggregates: ['monetary:sum', 'exact:max', 'integer:sum', 'datetime:min'],
  }
  const [all] = await groupsOf('values=typed, numbers=decimal', total)
  assert.deepEqual([all?.['monetary:sum'], all?.['exact:max']], ['24.9', '3.0000'])
  const [nothing] = await groupsOf('values=typed, numbers=decimal', { ...total, domain: [['id', '=', 0]] })
  assert.deepEqual(
    total.aggregates.map((key) => nothing?.[key]),
    [null, null, null, null],
  )
  // References and decimals as keys.
  await make(
    'x.thing',
    { name: 'Referring', text: 'r', reference: 'res.partner,1' },
    { name: 'Not', text: 'r' },
  )
  const referring = {
    domain: [['text', '=', 'r']],
    groupby: ['reference'],
    aggregates: ['__count'],
    order: 'reference',
  }
  const [partner] = await rowsOf('res.partner/read', { ids: [1], fields: ['display_name'] })
  assert.deepEqual(
    (await groupsOf('values=typed', referring)).map((row) => row.reference),
    [{ model: 'res.partner', id: 1, display_name: partner?.display_name }, null],
  )
  const [byExact] = await groupsOf('values=typed, numbers=decimal', {
    groupby: ['exact'],
    order: 'exact desc nulls last',
  })
  assert.equal(byExact?.exact, '3.0000')
  // The same in several ways at once.
  const sets = await nodes.call(
    'x.thing/formatted_read_grouping_sets',
    { domain: body.domain, grouping_sets: [['datetime:month'], []], aggregates: ['monetary:sum'] },
    { prefer: 'values=typed, numbers=decimal' },
  )
  const [months, [whole]] = sets.body as [Row[], Row[]]
  assert.deepEqual(
    months.map((row) => [(row['datetime:month'] as string[] | null)?.[0] ?? null, row['monetary:sum']]),
    [
      ['2026-07-01T00:00:00Z', '5'],
      ['2026-11-01T00:00:00Z', '19.90'],
      [null, null],
    ],
  )
  assert.equal(whole?.['monetary:sum'], '24.9')
})
