// Generated orders and groupings: what is asked of a generated model, as plain data.
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import type { Random } from './random.ts'

export interface OrderCase {
  readonly order: string
  readonly context: Readonly<Record<string, unknown>>
}

/** Parameters of `formatted_read_group`, with the context they are asked in. */
export interface GroupCase {
  readonly groupby: readonly string[]
  readonly aggregates: readonly string[]
  readonly having: readonly unknown[]
  readonly order: string | null
  readonly limit: number
  readonly offset: number
  readonly context: Readonly<Record<string, unknown>>
}

const periods = ['day', 'week', 'month', 'quarter', 'year']
const dayParts = [
  'year_number',
  'quarter_number',
  'month_number',
  'iso_week_number',
  'day_of_year',
  'day_of_month',
  'day_of_week',
]
const timeParts = ['hour_number', 'minute_number', 'second_number']
const zones = ['Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Nowhere/Town', 'UTC']
const relations = new Set(['one2many', 'many2many'])

function contextOf(random: Random): Record<string, unknown> {
  const context: Record<string, unknown> = {}
  if (random.chance(0.4)) context.active_test = false
  if (random.chance(0.4)) context.tz = random.pick(zones)
  if (random.chance(0.4)) context.lang = 'fr_FR'
  return context
}

/**
 * Whether PostgreSQL has the field's value: fields computed by code are rejected in orders and groups.
 */
const isKnown = (field: FieldDef): boolean =>
  Boolean(field.column || field.related) && field.kind !== 'binary' && !field.options.hidden
/** Not about users: what is known of records ends with the generated models. */
const isOwn = (field: FieldDef, { module }: ModelDef): boolean =>
  field.module !== null && (field.comodel?.module ?? module) === module
const fieldsOf = (model: ModelDef) =>
  [...model.fields.values()].filter((field) => isOwn(field, model) && isKnown(field))

function direction(random: Random): string {
  const words = [
    random.pick(['', '', ' desc', ' DESC', ' asc']),
    random.pick(['', '', '', ' nulls first', ' NULLS LAST']),
  ]
  return words.join('')
}

/** An order over several fields of `model`. */
export function makeOrder(random: Random, model: ModelDef): OrderCase {
  const fields = fieldsOf(model).filter((field) => !relations.has(field.kind))
  const terms = Array.from({ length: 1 + random.below(4) }, () => {
    const field = random.pick(fields)
    const path = field.kind === 'many2one' && random.chance(0.15) ? `${field.name}.id` : field.name
    return `${random.chance(0.05) ? 'id' : path}${direction(random)}`
  })
  return { order: terms.join(', '), context: contextOf(random) }
}

function groupOf(random: Random, model: ModelDef, deep = true): string {
  const field = random.pick(
    [...model.fields.values()].filter(
      (field) =>
        isOwn(field, model) &&
        field.kind !== 'one2many' &&
        (isKnown(field) || field.link) &&
        (deep || field.kind !== 'many2many'),
    ),
  )
  if (field.kind === 'many2one' && deep && random.chance(0.3))
    return `${field.name}.${groupOf(random, field.comodel as ModelDef, false)}`
  if (field.kind === 'date') return `${field.name}:${random.pick([...periods, ...dayParts])}`
  if (field.kind === 'datetime')
    return `${field.name}:${random.pick(['hour', ...periods, ...dayParts, ...timeParts])}`
  return field.name
}

const lists = ['array_agg', 'array_agg_distinct']

function aggregateOf(random: Random, model: ModelDef): string {
  if (random.chance(0.15)) return '__count'
  const field = random.pick(fieldsOf(model).filter(({ kind }) => !relations.has(kind)))
  const numbers = field.kind === 'integer' || field.kind === 'float' ? ['sum', 'avg', 'sum', 'avg'] : []
  const ordered = field.kind === 'boolean' ? ['bool_and', 'bool_or'] : ['min', 'max']
  return `${field.name}:${random.pick(['count', 'count_distinct', ...lists, ...numbers, ...ordered])}`
}

/** Sums of fractions may differ in their last digit: nothing is decided by them. */
const decides = (spec: string): boolean =>
  !lists.some((list) => spec.endsWith(`:${list}`)) && !/^amount:(sum|avg)$/.test(spec)

/** A grouping of `model`: keys, aggregates, conditions on them, order and window. */
export function makeGrouping(random: Random, model: ModelDef): GroupCase {
  const groupby = [
    ...new Set(Array.from({ length: random.pick([0, 1, 1, 1, 2, 2, 3]) }, () => groupOf(random, model))),
  ]
  const aggregates = [...new Set(Array.from({ length: random.below(4) }, () => aggregateOf(random, model)))]
  const others = Array.from({ length: 2 }, () => aggregateOf(random, model))
  const deciding = [...aggregates, ...others].filter(decides)
  const having: unknown[] = []
  if (random.chance(0.3)) {
    for (const spec of random.some(
      ['__count', ...deciding.filter((spec) => /:(count|count_distinct|sum)$/.test(spec))],
      2,
    )) {
      having.push([spec, random.pick(['=', '!=', '<', '<=', '>', '>=']), random.pick([0, 1, 2, 3, 7])])
    }
    if (having.length === 2 && random.chance(0.5)) having.unshift('|')
    if (having.length && random.chance(0.2)) having.unshift('!')
  }
  const terms = random.chance(0.5) ? random.some([...groupby, ...deciding], 3) : []
  const order = [...new Set(terms)].map((term) => `${term}${direction(random)}`).join(', ') || null
  const window = random.chance(0.3)
    ? { limit: random.below(6), offset: random.below(4) }
    : { limit: 0, offset: 0 }
  return { groupby, aggregates, having, order, ...window, context: contextOf(random) }
}
