// Data for generated models: rows as plain values, put into the database set-based.

import type { Environment } from '../../src/models/index.ts'
import type { FieldDef } from '../../src/models/language/definitions.ts'
import { placeInTree } from '../../src/models/write/hierarchy.ts'
import { id, raw, sql } from '../../src/sql/index.ts'
import type { Random } from './random.ts'
import type { FieldShape, Shape } from './shape.ts'

/** One record. Relations name other rows by their place in the list; left out means never set. */
export interface Row {
  readonly model: string
  readonly values: Readonly<Record<string, unknown>>
}

export const texts = [
  '',
  'a',
  'A',
  'ab',
  'Ärger',
  'ärger',
  'ÄRGER',
  'ßa',
  '100%',
  'a_b',
  'a\\b',
  'a%b',
  'İx',
  'i',
  'ΣΑΣ',
  'σας',
  'σασ',
  '🦊',
  '｡z',
  'e\u0301',
  'é',
  'line\nbreak',
  ' a ',
  "o'b",
  '"q"',
  '0',
  '12',
  'false',
]
export const numbers = [0, 1, -1, 2, 7, 12, 120, 2147483647, -2147483648]
export const amounts = [0, 1, -1, 0.5, 2.25, 12.35, 0.01, -3.1, 100]
export const days = [
  '2024-02-29',
  '2024-03-31',
  '2023-12-31',
  '2024-01-01',
  '2021-01-03',
  '0001-01-01',
  '9999-12-31',
]
export const moments = [
  '2024-02-29 23:30:00',
  '2024-03-31 01:30:00',
  '2024-01-01 00:00:00',
  '2023-12-31 23:59:59',
  '1999-06-15 12:00:30',
  '9999-12-31 23:59:59',
]

const soon = (random: Random): Date => new Date(Date.now() + (random.below(11) - 5) * 86_400_000)

/** Ten to thirty rows of a shape. */
export function makeRows(random: Random, module: string, shape: Shape): Row[] {
  const models = Object.keys(shape)
  const places = Array.from({ length: 10 + random.below(21) }, () => random.pick(models))
  return places.map((model, place) => {
    const values: Record<string, unknown> = {}
    for (const [name, field] of Object.entries(shape[model]?.fields ?? {})) {
      const value =
        name === 'res_model'
          ? random.pick([`${module}.a`, 'other'])
          : valueFor(random, module, field, places, name === 'parent_id' ? place : places.length)
      if (value !== undefined && !random.chance(0.2)) values[name] = value
    }
    return { model, values }
  })
}

/**
 * A value, or undefined for what is not given: other sides of relations, related fields, paths. `limit`:
 * parents come before their children.
 */
function valueFor(
  random: Random,
  module: string,
  field: FieldShape,
  places: readonly string[],
  limit: number,
): unknown {
  const { kind, target, options = {} } = field
  if (options.related || options.hidden || field.mirrors || kind === 'one2many') return undefined
  const rows = places.flatMap((model, place) => (model === target && place < limit ? [place] : []))
  switch (kind) {
    case 'many2one':
      return rows.length ? random.pick(rows) : undefined
    case 'many2many':
      return random.some(rows, 4)
    case 'integer':
      return random.pick(numbers)
    case 'float':
      return random.pick(amounts)
    case 'boolean':
      return random.chance(0.6)
    case 'date':
      return random.chance(0.5) ? random.pick(days) : soon(random).toISOString().slice(0, 10)
    case 'datetime':
      return random.chance(0.5)
        ? random.pick(moments)
        : soon(random).toISOString().slice(0, 19).replace('T', ' ')
    case 'selection':
      return random.pick(['x', 'y', 'a b'])
    case 'reference':
      return random.pick(['res.partner,1', `${module}.a,${1 + random.below(30)}`])
    case 'binary':
      return 'YQ=='
    case 'many2oneReference':
      return random.below(4) ? { place: random.below(places.length) } : 0
    default:
      return random.pick(texts)
  }
}

/** Makes the records; gives the id of each row. The tables were empty before. */
export async function putRows(env: Environment, module: string, rows: readonly Row[]): Promise<number[]> {
  const ids: number[] = []
  for (const key of new Set(rows.map((row) => row.model))) {
    const model = env.def(`${module}.${key}`)
    const places = rows.flatMap((row, place) => (row.model === key ? [place] : []))
    const plain = (row: Row) =>
      Object.fromEntries(
        Object.entries(row.values).filter(
          ([name, value]) => model.fields.get(name)?.comodel === undefined && typeof value !== 'object',
        ),
      )
    const created = await env
      .model(model.name as 'res.partner')
      .create(places.map((place) => plain(rows[place] as Row)) as never)
    for (const [i, place] of places.entries()) ids[place] = created.ids[i] as number
  }
  for (const key of new Set(rows.map((row) => row.model))) {
    const model = env.def(`${module}.${key}`)
    for (const field of model.fields.values()) await putRelation(env, field, rows, ids, key)
    const ofModel = ids.filter((_, place) => rows[place]?.model === key)
    // All parents are in this list, so no other record's path needs a lock.
    if (model.parentStore)
      placeInTree(
        env,
        model,
        ofModel,
        ofModel.map(() => null),
      )
    for (const [name, value] of [
      ['active', true],
      ['flag', false],
      ['number', 0],
    ] as const) {
      // Fields that the engine fills in may be NULL in old rows as well.
      const unset = rows.flatMap((row, place) =>
        row.model === key && !(name in row.values) ? [ids[place] as number] : [],
      )
      if (model.fields.get(name)?.column)
        await env.query(
          sql`UPDATE ${id(model.table)} SET ${id(name)} = ${name === 'active' ? raw(String(value)) : raw('NULL')} WHERE "id" = ANY(${unset}::int[])`,
        )
    }
  }
  env.unit.cache.clear()
  return ids
}

async function putRelation(
  env: Environment,
  field: FieldDef,
  rows: readonly Row[],
  ids: readonly number[],
  key: string,
): Promise<void> {
  const explicit = rows.flatMap((row, place) =>
    row.model === key && row.values[field.name] !== undefined
      ? [{ owner: ids[place] as number, value: row.values[field.name] }]
      : [],
  )
  if (field.kind === 'many2one' && field.column) {
    const pairs = explicit.map(({ owner, value }) => [owner, ids[value as number] as number])
    await env.query(
      sql`UPDATE ${id(field.model.table)} t SET ${id(field.name)} = v.b FROM unnest(${pairs.map((p) => p[0])}::int[], ${pairs.map((p) => p[1])}::int[]) AS v(a, b) WHERE t."id" = v.a`,
    )
  } else if (field.kind === 'many2one_reference') {
    const pairs = explicit.flatMap(({ owner, value }) =>
      typeof value === 'object' ? [[owner, ids[(value as { place: number }).place] as number]] : [],
    )
    await env.query(
      sql`UPDATE ${id(field.model.table)} t SET ${id(field.name)} = v.b FROM unnest(${pairs.map((p) => p[0])}::int[], ${pairs.map((p) => p[1])}::int[]) AS v(a, b) WHERE t."id" = v.a`,
    )
  } else if (field.kind === 'many2many' && field.link && field.stored) {
    const pairs = explicit.flatMap(({ owner, value }) =>
      (value as number[]).map((place) => [owner, ids[place] as number]),
    )
    await env.query(
      sql`INSERT INTO ${id(field.link.table)} (${id(field.link.column)}, ${id(field.link.other)}) SELECT * FROM unnest(${pairs.map((p) => p[0])}::int[], ${pairs.map((p) => p[1])}::int[]) ON CONFLICT DO NOTHING`,
    )
  }
}
