// Values in the change feed equal those of search_read, byte for byte: for every model of the feed,
// every field, and the fields that PostgreSQL serializes alone.
// Begins first: it takes 16 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { isTracked } from '../../src/models/changes/log.ts'
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import { elementsOf } from '../../src/models/read/rendered.ts'
import { createKey } from '../../src/services/admin.ts'
import { makeOddRecords } from '../support/demo-shop.ts'
import '../support/patience.ts'
import { type TakenDataDir, takeDataDir } from '../support/shared-server.ts'

/** Characters that would break lines or values of an answer if they were not escaped. */
const ODD = 'a, \n b\r\n\u2028"\\u0041\\n, \\n {"id":7}, ;\t🦊\u007f</p>'

let temp: TakenDataDir
let databases: Databases
let server: Server
let key: string

before(async () => {
  temp = await takeDataDir('feed-rows')
  databases = await Databases.open({ dataDir: temp.path, modules, durable: false })
  const names = modules.map(({ name }) => name)
  await databases.create('test', { modules: names, demo: true, login: 'admin', password: 'admin' })
  const database = await databases.database('test')
  await makeOddRecords(database)
  server = await createServer({ databases })
  key = await createKey(databases, 'test', 'admin', { scope: null, name: 'rows', days: 1 })
  await make(
    'res.partner',
    { name: ODD, comment: `<p>${ODD}</p>`, street: ODD, partner_latitude: 1.5, partner_longitude: 0.0000001 },
    {
      name: 'Many',
      category_id: [
        [0, 0, { name: ODD }],
        [0, 0, { name: ', \n ' }],
      ],
    },
    { name: 'Firm', is_company: true, child_ids: [[0, 0, { name: ODD, type: 'contact' }]] },
  )
  // Numbers that JSON has more than one way to write.
  await make(
    'res.currency',
    ...[0.000001, 0.1, 1e11].map((rounding, n) => ({ name: `Z${n}Z`, symbol: ODD, rounding })),
  )
  await make(
    'product.template',
    { name: ODD, list_price: 1.1, description: ODD },
    { name: 'Free', list_price: 0, weight: 0.00001, volume: 1e11 },
  )
})
after(async () => {
  await server?.close()
  if (databases) await temp.release(databases)
  await databases?.close()
  temp?.remove()
})

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `bearer ${key}`,
      'x-service-database': 'test',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

async function make(model: string, ...vals: readonly object[]): Promise<void> {
  const { status, text } = await post(`/json/2/${model}/create`, { vals_list: vals })
  assert.equal(status, 200, text)
}

/** Rows as they stand in the JSON of a list, all at once. */
async function asRead(model: ModelDef, fields: readonly string[], headers: Record<string, string>) {
  const body = { domain: [], fields, order: 'id' }
  const { status, text } = await post(`/json/2/${model.name}/search_read`, body, headers)
  return { status, text, rows: status === 200 ? elementsOf(text) : [] }
}

/** Rows as they stand in pages of the feed, which are short lists. */
async function asTold(model: ModelDef, fields: readonly string[], headers: Record<string, string>) {
  const rows: string[] = []
  let cursor: string | undefined
  for (let more = true; more; ) {
    const question = { models: { [model.name]: { fields } }, limit: 300, ...(cursor && { cursor }) }
    const { status, text } = await post('/x/1/changes', question, headers)
    if (status !== 200) return { status, text, rows: [] }
    const [changes = '[]'] = elementsOf(text.replace('{"changes":', '['))
    for (const change of elementsOf(changes)) {
      const at = change.indexOf(',"values":')
      assert.ok(at > 0, change)
      rows.push(change.slice(at + ',"values":'.length, -1))
    }
    ;({ more, cursor } = JSON.parse(text) as { cursor: string; more: boolean })
  }
  return { status: 200, text: '', rows }
}

/** Fields whose values PostgreSQL gives as they are: short lists of these alone are written in the server. */
const isPlain = ({ column, compute, type }: FieldDef) => column && !compute && type.plain

/** Compares both; where they differ, without fields that follow from the time of day. */
async function compare(
  model: ModelDef,
  fields: readonly string[],
  headers: Record<string, string>,
): Promise<number> {
  const read = await asRead(model, fields, headers)
  const change = await asTold(model, fields, headers)
  assert.equal(change.status, read.status, `${model.name}: ${read.text} ${change.text}`)
  assert.equal(change.rows.length, read.rows.length, model.name)
  const other = read.rows.findIndex((row, n) => change.rows[n] !== row)
  if (other < 0) return read.rows.length
  await sleep(1100)
  const later = await asRead(model, fields, headers)
  const [before, after] = [read, later].map(({ text }) => JSON.parse(text) as Record<string, unknown>[])
  const rest = fields.filter((name) => isDeepStrictEqual(valuesOf(before, name), valuesOf(after, name)))
  if (rest.length < fields.length) return compare(model, rest, headers)
  return assert.fail(
    `${model.name} is read and told otherwise:${apart(read.rows[other], change.rows[other])}`,
  )
}

const valuesOf = (rows: readonly Record<string, unknown>[] | undefined, name: string) =>
  rows?.map((row) => row[name])

/** Where two texts part. */
function apart(left = '', other = ''): string {
  let at = 0
  while (left[at] === other[at]) at++
  return [left, other].map((text) => `\n…${text.slice(Math.max(0, at - 60), at + 40)}…`).join('')
}

for (const headers of [{}, { prefer: 'values=typed' }] as Record<string, string>[])
  test(`change feed: returns the rows of search_read ${JSON.stringify(headers)}`, async () => {
    const { registry } = await databases.database('test')
    let [lists, rows] = [0, 0]
    for (const model of registry.models.values()) {
      if (!isTracked(model)) continue
      const shown = [...model.fields.values()].filter(({ options }) => !options.hidden)
      for (const some of [shown, shown.filter(isPlain)]) {
        const fields = some.map(({ name }) => name)
        rows += await compare(model, fields, headers)
        lists++
      }
    }
    assert.ok(lists > 150 && rows > 8000, `${lists} lists, ${rows} rows`)
  })
