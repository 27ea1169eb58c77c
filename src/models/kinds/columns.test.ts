// Columns and wire JSON of all kinds, judged by a real PostgreSQL.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { sample } from '../../../test/support/sample-fields.ts'
import { startEmbedded } from '../../postgres/embedded/index.ts'
import { raw } from '../../sql/index.ts'
import type { FieldKind } from '../contract/field.ts'
import type { FieldOptions } from '../contract/field-options.ts'
import { columnTypeOf, fieldTypes } from './index.ts'

let dataDir: string
let server: Awaited<ReturnType<typeof startEmbedded>>
let client: pg.Client

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'comptoir-fields-'))
  server = await startEmbedded({ dataDir, log: () => undefined, durable: false })
  const { host, port, user, password } = server
  client = new pg.Client({ host, port, user, password, database: 'postgres' })
  await client.connect()
  // Settings that must not show.
  await client.query("SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'")
})

after(async () => {
  await client?.end()
  await server?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Wire JSON of a literal of the field's column type. */
async function wire(kind: FieldKind, literal: string, options: FieldOptions = {}): Promise<unknown> {
  const field = sample(kind, options)
  const type = columnTypeOf(field) ?? 'int[]'
  const { text, values } = field.type.toJson(field, raw(`(${literal})::${type}`)).compile()
  const { rows } = await client.query<unknown[]>({ text: `SELECT (${text})::text`, values, rowMode: 'array' })
  const json = rows[0]?.[0]
  assert.ok(typeof json === 'string', `${kind}: ${text} is NULL`)
  return JSON.parse(json)
}

test('every field type writes its values as columns', async () => {
  const cases: [FieldKind, string, unknown, FieldOptions?][] = [
    ['char', `'a"b\\c é 😀'`, 'a"b\\c é 😀'],
    ['char', `''`, ''],
    ['text', `E'l1\\nl2'`, 'l1\nl2'],
    ['html', `'<p>é</p>'`, '<p>é</p>'],
    ['integer', '-5', -5],
    ['float', '1.5', 1.5],
    ['float', '0.1', 0.1],
    ['float', '12.50', 12.5, { digits: [16, 2] }],
    ['monetary', '12.35', 12.35],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['date', `DATE '2024-05-06'`, '2024-05-06'],
    ['date', `DATE '0099-01-02'`, '0099-01-02'],
    ['datetime', `TIMESTAMP '2024-05-06 07:08:09.987654'`, '2024-05-06 07:08:09'],
    ['datetime', `TIMESTAMP '0099-01-02 00:00:00'`, '0099-01-02 00:00:00'],
    ['time', `TIME '07:08:09'`, '07:08:09'],
    ['binary', `repeat('x', 100)`, Buffer.from('x'.repeat(100)).toString('base64'), { attachment: false }],
    ['selection', `'draft'`, 'draft'],
    ['reference', `'res.partner,5'`, 'res.partner,5'],
    ['many2one', '7', 7],
    ['many2one_reference', '7', 7],
    ['one2many', `'{3,1}'`, [3, 1]],
    ['many2many', `'{}'`, []],
    ['json', `'{"a": [1, null]}'`, { a: [1, null] }],
    ['properties', `'{"a": 1}'`, []],
    ['properties_definition', `'[{"name": "a"}]'`, [{ name: 'a' }]],
  ]
  for (const [kind, literal, expected, options] of cases)
    assert.deepEqual(await wire(kind, literal, options), expected, `${kind} ${literal}`)
  assert.deepEqual(
    new Set(cases.map(([kind]) => kind)),
    new Set(Object.keys(fieldTypes)),
    'a kind without a case',
  )
})

test('unset is never NULL on the wire', async () => {
  for (const kind of Object.keys(fieldTypes) as FieldKind[]) {
    const { unset } = fieldTypes[kind]
    assert.deepEqual(await wire(kind, 'NULL', { attachment: false }), unset, kind)
  }
})

test('code gives the same wire form as PostgreSQL for unset values', () => {
  for (const kind of Object.keys(fieldTypes) as FieldKind[]) {
    const field = sample(kind)
    const wireForm = field.type.toWire(field, field.type.fromColumn(field, null))
    assert.deepEqual(wireForm, field.type.unset, kind)
    assert.equal(field.type.kind, kind)
  }
})

test('translated and company-dependent fields have jsonb columns', () => {
  assert.equal(columnTypeOf(sample('char')), 'text')
  assert.equal(columnTypeOf(sample('char', { translate: true })), 'jsonb')
  assert.equal(columnTypeOf(sample('float', { companyDependent: true })), 'jsonb')
  assert.equal(columnTypeOf(sample('binary')), null)
})
