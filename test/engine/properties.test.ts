// Properties of contacts: definitions give values their meaning when reading, writing, copying and searching.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setLimits } from '../../src/limits.ts'
import type { Environment } from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base])
})
after(() => db.close())

const definitions = [
  { name: 'nick', type: 'char', string: 'Nick' },
  { name: 'shoe', type: 'integer', string: 'Shoe', default: 40 },
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
  { name: 'mates', type: 'many2many', string: 'Mates', comodel: 'res.partner' },
]

async function define(env: Environment, list: readonly object[]): Promise<void> {
  const holder = await env.model('properties.base.definition').search([])
  await holder.write({ properties_definition: list as never })
}

async function valuesOf(env: Environment, id: number): Promise<Record<string, unknown>> {
  const [row] = await env.model('res.partner').browse([id]).read(['properties'])
  const list = row?.properties as { name: string; value?: unknown }[]
  return Object.fromEntries(list.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

test('properties: values are stored as defined, and new records get defaults', async () => {
  await db.run(async (env) => {
    await define(env, definitions)
    const partners = await env.model('res.partner').create([{ name: 'Ann' }, { name: 'Bob' }] as never)
    const [ann, bob] = partners.ids as [number, number]
    assert.deepEqual(await valuesOf(env, ann), { shoe: 40 })
    await env
      .model('res.partner')
      .browse([ann])
      .write({ properties: { nick: 'A', tier: 'none', marks: ['y', 'z'], mates: [bob], other: 1 } } as never)
    assert.deepEqual(await valuesOf(env, ann), {
      nick: 'A',
      tier: false,
      marks: ['y'],
      mates: [[bob, 'Bob']],
    })
    const copy = await env.model('res.partner').browse([ann]).copy()
    assert.deepEqual(await valuesOf(env, copy.ids[0] as number), {
      nick: 'A',
      shoe: 40,
      tier: false,
      marks: ['y'],
      mates: [[bob, 'Bob']],
    })
    const find = async (name: string, operator: string, value: unknown) =>
      (
        await env.model('res.partner').search([
          ['id', 'in', [ann, bob]],
          [`properties.${name}`, operator, value],
        ] as never)
      ).ids
    assert.deepEqual(await find('nick', '=', 'A'), [ann])
    assert.deepEqual(await find('nick', '!=', 'B'), [ann], 'records without a value do not match')
    assert.deepEqual(await find('nick', '=', false), [bob])
    assert.deepEqual(await find('shoe', '<', 41), [bob])
    assert.deepEqual(await find('marks', 'in', ['x', 'y']), [ann])
    assert.deepEqual(await find('nick', 'ilike', 'a'), [ann])
    assert.deepEqual(await find('shoe', '<', 'text'), [])
  })
})

test('properties: a value of another type reads as unset, and any value makes a boolean true', async () => {
  await db.run(async (env) => {
    await define(env, [...definitions, { name: 'vip', type: 'boolean', string: 'Vip' }])
    const partners = await env.model('res.partner').create([{ name: 'Odd' }] as never)
    for (const [properties, kept] of [
      [
        { vip: 'yes', nick: 5 },
        { vip: true, nick: false },
      ],
      [
        { vip: 0, nick: ['a'] },
        { vip: false, nick: false },
      ],
      [
        { vip: '', nick: '' },
        { vip: false, nick: '' },
      ],
    ]) {
      await partners.write({ properties: properties } as never)
      assert.deepEqual(await valuesOf(env, partners.ids[0] as number), kept)
    }
  })
})

test('properties: definitions sent with the values of a record apply to all records', async () => {
  await db.run(async (env) => {
    await define(env, definitions)
    const partners = env.model('res.partner')
    const [firstId, two] = (await partners.create([{ name: 'One' }, { name: 'Two' }])).ids as [number, number]
    await partners.browse([two]).write({ properties: { nick: 'T', shoe: 41 } } as never)
    const [nick, shoe, ...rest] = definitions
    const sent = [
      { ...nick, string: 'Call sign', value: 'O', definition_changed: true },
      { ...shoe, definition_deleted: true },
      { name: 'born', type: 'date', string: 'Born', value: '2001-02-03' },
      ...rest,
    ]
    await partners.browse([firstId]).write({ properties: sent } as never)
    assert.deepEqual(await valuesOf(env, firstId), { nick: 'O', born: '2001-02-03' })
    assert.deepEqual(await valuesOf(env, two), { nick: 'T' })
    const [holder] = await (await env.model('properties.base.definition').search([])).read([
      'properties_definition',
    ])
    assert.deepEqual(holder?.properties_definition, [
      { ...nick, string: 'Call sign' },
      { name: 'born', type: 'date', string: 'Born' },
      ...rest,
    ])
    await assert.rejects(
      partners
        .browse([firstId])
        .write({ properties: [{ name: 'bad', type: 'none', definition_changed: true }] } as never),
    )
  })
})

test('properties: without definitions nothing is read, whatever is stored', async () => {
  await db.run(async (env) => {
    await define(env, [])
    const [row] = await (await env.model('res.partner').search([['name', '=', 'Ann']], { limit: 1 })).read([
      'properties',
    ])
    assert.deepEqual(row?.properties, [])
  })
})

test('properties: definitions are limited in size, wherever they are shown', async () => {
  const options = (count: number) => [
    {
      name: 'pick',
      type: 'selection',
      selection: Array.from({ length: count }, (_, n) => [`v${n}`, 'A label']),
    },
  ]
  await db.run(async (env) => {
    await assert.rejects(define(env, options(20_000)), /limit "definition"/)
    await define(env, options(1000))
    const people = await env
      .model('res.partner')
      .create(
        Array.from({ length: 300 }, (_, n) => ({ name: `P ${n}`, properties: { pick: `v${n}` } })) as never,
      )
    const read = () => people.read(['properties'])
    const rows = await read()
    const values = rows.map((row) => (row.properties as { value: unknown }[])[0]?.value)
    assert.equal(values[7], 'v7')
    setLimits({ answer: 300 * 10_000 })
    try {
      await assert.rejects(read(), /limit "answer"/)
    } finally {
      setLimits()
    }
  })
})
