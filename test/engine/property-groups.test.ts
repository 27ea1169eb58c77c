// Properties in groups, orders and specifications, through the methods that clients call.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { InvalidValue } from '../../src/errors.ts'
import type { Environment } from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let ids: readonly number[]
const definitions = [
  { name: 'nick', type: 'char', string: 'Nick' },
  { name: 'shoe', type: 'integer', string: 'Shoe' },
  { name: 'vip', type: 'boolean', string: 'VIP' },
  { name: 'met', type: 'date', string: 'Met' },
  { name: 'seen', type: 'datetime', string: 'Seen' },
  {
    name: 'tier',
    type: 'selection',
    string: 'Tier',
    selection: [
      ['lo', 'Low'],
      ['hi', 'High'],
    ],
  },
  {
    name: 'marks',
    type: 'tags',
    string: 'Marks',
    tags: [
      ['x', 'X', 1],
      ['y', 'Y', 2],
    ],
  },
  { name: 'boss', type: 'many2one', string: 'Boss', comodel: 'res.partner' },
  { name: 'mates', type: 'many2many', string: 'Mates', comodel: 'res.partner' },
  { name: 'about', type: 'html', string: 'About' },
]

before(async () => {
  db = await openTestDatabase([base])
  await db.run(async (env) => {
    const holder = await env.model('properties.base.definition').search([])
    await holder.write({ properties_definition: definitions as never })
    const partners = env.model('res.partner')
    const [ann, bob, cem] = (await partners.create([{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cem' }]))
      .ids as [number, number, number]
    ids = [ann, bob, cem]
    await partners.writeEach(
      new Map<number, object>([
        [
          ann,
          {
            properties: {
              nick: 'A',
              shoe: 40,
              vip: true,
              met: '2024-01-31',
              seen: '2024-01-31 23:30:00',
              tier: 'hi',
              marks: ['x', 'y'],
              boss: cem,
              mates: [bob, cem],
              about: '<p onclick="x()">hi</p>',
            },
          },
        ],
        [
          bob,
          {
            properties: {
              nick: 'B',
              shoe: 9,
              met: '2024-02-01',
              seen: 'no date',
              tier: 'lo',
              marks: ['y'],
              boss: cem,
              mates: [cem],
            },
          },
        ],
      ]) as never,
    )
  })
})
after(() => db.close())

type Group = Record<string, unknown>
const scope = () => [['id', 'in', ids]]
const groupsOf = (env: Environment, spec: string, more: Record<string, unknown> = {}) =>
  env.model('res.partner').invoke('formatted_read_group', {
    domain: scope(),
    groupby: [spec],
    aggregates: ['__count', 'id:array_agg'],
    ...more,
  }) as Promise<Group[]>

const cases: Record<string, [unknown, number[]][]> = {
  'properties.nick': [
    ['A', [0]],
    ['B', [1]],
    [false, [2]],
  ],
  'properties.shoe': [
    [9, [1]],
    [40, [0]],
    [false, [2]],
  ],
  'properties.vip': [
    [false, [1, 2]],
    [true, [0]],
  ],
  'properties.tier': [
    ['hi', [0]],
    ['lo', [1]],
    [false, [2]],
  ],
  'properties.marks': [
    [['x', 'X', 1], [0]],
    [
      ['y', 'Y', 2],
      [0, 1],
    ],
    [false, [2]],
  ],
  'properties.met:month': [
    [['2024-01-01', 'January 2024'], [0]],
    [['2024-02-01', 'February 2024'], [1]],
    [false, [2]],
  ],
  'properties.met:quarter': [
    [
      ['2024-01-01', 'Q1 2024'],
      [0, 1],
    ],
    [false, [2]],
  ],
  'properties.seen:day': [
    [['2024-01-31 00:00:00', '31 Jan 2024'], [0]],
    [false, [1, 2]],
  ],
}

for (const [spec, expected] of Object.entries(cases)) {
  test(`property groups: by ${spec}, each with a condition that finds its records`, async () => {
    await db.run(async (env) => {
      const groups = await groupsOf(env, spec)
      const place = (list: unknown) => (list as number[]).map((id) => ids.indexOf(id))
      assert.deepEqual(
        groups.map((g) => [g[spec], place(g['id:array_agg'])]),
        expected,
      )
      for (const group of groups) {
        const members = await env
          .model('res.partner')
          .search([...scope(), ...(group.__extra_domain as unknown[])] as never, { order: 'id' })
        assert.deepEqual([...members.ids], group['id:array_agg'], JSON.stringify(group.__extra_domain))
      }
    })
  })
}

test('property groups: linked records are named, in the order of their model; deleted ones count as unset', async () => {
  await db.run(async (env) => {
    const [ann, bob, cem] = ids as [number, number, number]
    const read = async (spec: string) =>
      (await groupsOf(env, spec)).map((g) => [g[spec], g['id:array_agg'], g.__extra_domain])
    assert.deepEqual(await read('properties.boss'), [
      [[cem, 'Cem'], [ann, bob], [['properties.boss', '=', cem]]],
      [false, [cem], [['properties.boss', '=', false]]],
    ])
    assert.deepEqual(await read('properties.mates'), [
      [[bob, 'Bob'], [ann], [['properties.mates', 'in', [bob]]]],
      [[cem, 'Cem'], [ann, bob], [['properties.mates', 'in', [cem]]]],
      [false, [cem], [['properties.mates', '=', false]]],
    ])
    await env.unit
      .savepoint(async () => {
        await env.model('res.partner').browse([cem]).unlink()
        assert.deepEqual((await read('properties.boss'))[0]?.[0], false)
        assert.deepEqual(
          (await read('properties.mates')).map(([name]) => name),
          [[bob, 'Bob'], false],
        )
        throw new Error('undo')
      })
      .catch((error: Error) => assert.equal(error.message, 'undo'))
  })
})

test('property groups: orders, windows and nested groups; other group methods support properties too', async () => {
  await db.run(async (env) => {
    const partners = env.model('res.partner')
    const ordered = async (order: string) =>
      (await partners.search(scope() as never, { order })).ids.map((id) => ids.indexOf(id))
    assert.deepEqual(await ordered('properties.shoe'), [1, 0, 2])
    assert.deepEqual(await ordered('properties.shoe desc nulls last'), [0, 1, 2])
    assert.deepEqual(await ordered('properties.nick desc, id'), [2, 1, 0])
    assert.deepEqual(
      (await groupsOf(env, 'properties.shoe', { order: 'properties.shoe desc', limit: 2 })).map(
        (g) => g['properties.shoe'],
      ),
      [false, 40],
    )
    const sets = (await partners.invoke('formatted_read_grouping_sets', {
      domain: scope(),
      grouping_sets: [['properties.vip'], []],
      aggregates: ['__count'],
    })) as Group[][]
    assert.deepEqual(
      sets.map((set) => set.map((g) => g.__count)),
      [[2, 1], [3]],
    )
    const old = (await partners.invoke('read_group', {
      domain: scope(),
      fields: [],
      groupby: ['properties.met'],
      lazy: false,
    })) as Group[]
    assert.deepEqual(
      old.map((g) => g['properties.met']),
      ['January 2024', 'February 2024', false],
    )
    const opened = (await partners.invoke('web_read_group', {
      domain: scope(),
      groupby: ['properties.tier', 'properties.vip'],
      aggregates: [],
      auto_unfold: true,
      unfold_read_specification: { name: {} },
    })) as { groups: (Group & { __groups: { groups: (Group & { __records: Group[] })[] } })[] }
    assert.deepEqual(
      opened.groups.map((g) => g.__groups.groups.map((inner) => inner.__records.map((r) => r.name))),
      [[['Ann']], [['Bob']], [['Cem']]],
    )
  })
})

test('property groups: reject properties that cannot be grouped', async () => {
  for (const spec of [
    'properties',
    'properties.none',
    'properties.about',
    'properties.met',
    'properties.met:month_number',
    'properties.nick:day',
    'properties.nick.x',
  ])
    await assert.rejects(
      db.run((env) => groupsOf(env, spec)),
      InvalidValue,
      spec,
    )
})

test('properties: linked records are read by specification, and markup is sanitized', async () => {
  await db.run(async (env) => {
    const [ann, bob, cem] = ids as [number, number, number]
    const [row] = (await env
      .model('res.partner')
      .browse([ann])
      .invoke('web_read', {
        specification: { properties: { fields: { boss: { fields: { name: {} } }, mates: { fields: {} } } } },
      })) as {
      properties: { name: string; value: unknown }[]
    }[]
    const value = (name: string) => row?.properties.find((property) => property.name === name)?.value
    assert.deepEqual(value('boss'), { id: cem, name: 'Cem' })
    assert.deepEqual(value('mates'), [{ id: bob }, { id: cem }])
    assert.equal(value('about'), '<p>hi</p>')
    const filtered = await env
      .model('res.partner')
      .browse(ids)
      .filtered([['properties.tier', '=', 'hi']] as never)
    assert.deepEqual(filtered.ids, [ann])
  })
})
