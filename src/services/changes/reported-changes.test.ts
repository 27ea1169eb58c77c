// Rows of a page as they came: each one's text by its id, however the list was made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Listed, Rendered } from '../../models/read/rendered.ts'
import { textOf, textsOf } from './reported-changes.ts'

const rows = [
  { id: 7, name: 'a, b' },
  { id: 9, name: 'line\nbreak' },
]

test('rows that PostgreSQL parted are passed on as they came, with what JSON would write otherwise', () => {
  const texts = ['{"id":7,"price":1.50}', `{"id":9,"name":"${String.raw`x, \n y`}"}`]
  const json = `[${texts.join(', \n ')}]`
  const expected = [
    [7, texts[0]],
    [9, texts[1]],
  ]
  assert.deepEqual([...textsOf(new Listed(json, 2))], expected)
  assert.deepEqual([...textsOf(new Rendered(json))], expected)
  assert.deepEqual([...textsOf(new Listed('[]', 0))], [])
  assert.deepEqual([...textsOf(new Listed(`[${texts[0]}]`, 1))], [[7, texts[0]]])
})

test('rows of a page: lists in another layout, and lists within rows, are split by their content', () => {
  const expected = rows.map((row) => [row.id, JSON.stringify(row)])
  assert.deepEqual([...textsOf(rows)], expected)
  assert.deepEqual([...textsOf(new Listed(JSON.stringify(rows), 2))], expected)
  const within = { id: 3, lines: [{ id: 4 }, { id: 5 }] }
  const text = '{"id":3,"lines":[{"id":4}, \n {"id":5}]}'
  for (const list of [new Listed(`[${text}]`, 1), new Rendered(`[${text}]`)])
    assert.deepEqual(
      [...textsOf(list)].map(([id, rowText]) => [id, JSON.parse(rowText)]),
      [[3, within]],
    )
  const broken = '{"id":3,\n"name":"x"}'
  assert.deepEqual([...textsOf(new Listed(`[${broken}]`, 1))], [[3, '{"id":3, "name":"x"}']])
  const both = `[${text}, \n {"id":6,"lines":[]}]`
  assert.deepEqual(
    [...textsOf(new Listed(both, 2))].map(([id, rowText]) => [id, JSON.parse(rowText)]),
    [
      [3, within],
      [6, { id: 6, lines: [] }],
    ],
  )
})

test('a change is the JSON of its members, without those that it has not', () => {
  const change = { model: 'res.partner', id: 7, op: 'upsert', seq: 12 } as const
  assert.deepEqual(JSON.parse(textOf({ ...change, fields: '["name"]', values: '{"id":7}' })), {
    ...change,
    ...{ seq: '12', fields: ['name'], values: { id: 7 } },
  })
  assert.equal(
    textOf({ model: 'a.b', id: 1, op: 'event', event: 'a.b.c' }),
    '{"model":"a.b","id":1,"op":"event","event":"a.b.c"}',
  )
})
