// Groups read plainly: records put into groups one by one in memory, as spec/models-api.md section 7 says.
import { DateTime } from 'luxon'
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import type { GroupCase } from './asks.ts'
import type { World } from './facts.ts'
import { compareKeys, compareValues, type Key, targetKeys, termsOf } from './sorting.ts'

export interface Group {
  /** Values of the groupby: ids, starts of periods, plain values; null for unset ones. */
  readonly keys: readonly unknown[]
  readonly aggregates: readonly unknown[]
  /** The records inside; a record counts as often as it has links. */
  readonly ids: readonly number[]
}

interface Spec {
  readonly spec: string
  readonly steps: readonly FieldDef[]
  readonly field: FieldDef
  readonly granularity: string | null
}

/** Time zone and first day of the week of the user. */
export interface Clock {
  readonly zone: string
  /** First day of the week, 1 (Monday) to 7. */
  readonly weekStart: number
  readonly activeTest: boolean
}

/** The groups of some records, in order and within the window. */
export function grouped(
  world: World,
  model: ModelDef,
  ids: readonly number[],
  groupCase: GroupCase,
  clock: Clock,
): Group[] {
  const specs = groupCase.groupby.map((spec) => specOf(model, spec))
  const groups = new Map<string, { readonly keys: readonly unknown[]; readonly ids: number[] }>()
  if (specs.length === 0) groups.set('[]', { keys: [], ids: [] })
  for (const id of ids) {
    for (const keys of combinations(specs.map((spec) => keysOf(world, spec, id, clock)))) {
      const name = JSON.stringify(keys)
      const group = groups.get(name) ?? { keys, ids: [] }
      groups.set(name, group)
      group.ids.push(id)
    }
  }
  const reckon = (spec: string, ids: readonly number[]) => aggregate(world, model, spec, ids)
  const kept = [...groups.values()].filter(({ ids }) => holds(groupCase.having, (spec) => reckon(spec, ids)))
  const named = groupCase.order === null ? [] : termsOf(groupCase.order)
  const rest = groupCase.groupby.filter((spec) => !named.some(({ path }) => path === spec))
  const terms = [...named, ...rest.map((path) => ({ path, descending: false, nulls: null }))]
  const placed = kept.map((group) => {
    const decide = terms.flatMap((term): Key[] => {
      const index = groupCase.groupby.indexOf(term.path)
      if (index < 0) return [{ ...term, value: reckon(term.path, group.ids) }]
      const value = group.keys[index] as number | null
      const { field } = specs[index] as Spec
      if (!field.comodel) return [{ ...term, value }]
      return [...targetKeys(world, field.comodel, value, term), { value, descending: false, nulls: null }]
    })
    return { group, decide }
  })
  placed.sort((group, other) => compareKeys(group.decide, other.decide))
  const end = groupCase.limit ? groupCase.offset + groupCase.limit : undefined
  return placed.slice(groupCase.offset, end).map(({ group }) => ({
    ...group,
    aggregates: groupCase.aggregates.map((spec) => {
      const value = reckon(spec, group.ids)
      return value === null ? false : value
    }),
  }))
}

function specOf(model: ModelDef, spec: string): Spec {
  const [path, granularity] = spec.split(':')
  const steps: FieldDef[] = []
  let current = model
  const names = (path as string).split('.')
  for (const name of names.slice(0, -1)) {
    const step = current.fields.get(name) as FieldDef
    steps.push(step)
    current = step.comodel as ModelDef
  }
  return {
    spec,
    steps,
    field: current.fields.get(names.at(-1) as string) as FieldDef,
    granularity: granularity ?? null,
  }
}

/** The keys under which a record counts: one, or one for each link that is seen. */
function keysOf(world: World, { steps, field, granularity }: Spec, record: number, clock: Clock): unknown[] {
  let current: number | null = record
  for (const step of steps)
    current = current === null ? null : ((world.value(step, current) as number | null) ?? null)
  if (current === null) return [field.kind === 'boolean' ? false : null]
  const value = field.name === 'id' ? current : (world.value(field, current) ?? null)
  if (field.kind === 'many2many') {
    const comodel = field.comodel as ModelDef
    const active = comodel.fields.get('active')
    const seen = ((value ?? []) as number[]).filter(
      (id) => !active || !clock.activeTest || world.value(active, id) === true,
    )
    return seen.length ? seen : [null]
  }
  if (field.kind === 'boolean') return [value === true]
  return [
    value === null || granularity === null
      ? value
      : moment(value as string, granularity, field.kind === 'datetime', clock),
  ]
}

function* combinations(lists: readonly (readonly unknown[])[]): Iterable<unknown[]> {
  const [first, ...rest] = lists
  if (!first) yield []
  else for (const choice of first) for (const others of combinations(rest)) yield [choice, ...others]
}

/** The start of the period, in UTC, or the number asked for. */
function moment(value: string, granularity: string, timed: boolean, { zone, weekStart }: Clock): unknown {
  const at = timed
    ? DateTime.fromSQL(value, { zone: 'utc' }).setZone(zone)
    : DateTime.fromISO(value, { zone: 'utc' })
  const parts: Readonly<Record<string, number>> = {
    year_number: at.year,
    quarter_number: at.quarter,
    month_number: at.month,
    iso_week_number: at.weekNumber,
    day_of_year: at.ordinal,
    day_of_month: at.day,
    day_of_week: at.weekday % 7,
    hour_number: at.hour,
    minute_number: at.minute,
    second_number: at.second,
  }
  const part = parts[granularity]
  if (part !== undefined) return part
  const start =
    granularity === 'week'
      ? at.startOf('day').minus({ days: (at.weekday - weekStart + 7) % 7 })
      : at.startOf(granularity as 'day' | 'month' | 'quarter' | 'year' | 'hour')
  const text = timed ? start.toUTC().toFormat('yyyy-MM-dd HH:mm:ss') : start.toFormat('yyyy-MM-dd')
  // Dates begin with the year 1, in the middle of a week.
  return text.startsWith('0000') ? (timed ? '0001-01-01 00:00:00' : '0001-01-01') : text
}

/** An aggregate over records; null for nothing to reckon with. */
export function aggregate(world: World, model: ModelDef, spec: string, ids: readonly number[]): unknown {
  if (spec === '__count') return ids.length
  const [name, func] = spec.split(':')
  const field = model.fields.get(name as string) as FieldDef
  const all = ids.map((id) => (field.name === 'id' ? id : (world.value(field, id) ?? null)))
  const set = all.filter((value) => value !== null)
  const distinct = [...new Set(set)].sort(compareValues)
  switch (func) {
    case 'count':
      return set.length
    case 'count_distinct':
      return distinct.length
    case 'sum':
      return set.length ? set.reduce((sum: number, value) => sum + (value as number), 0) : null
    case 'avg':
      return set.length ? set.reduce((sum: number, value) => sum + (value as number), 0) / set.length : null
    case 'min':
      return distinct[0] ?? null
    case 'max':
      return distinct.at(-1) ?? null
    case 'bool_and':
      return set.length ? set.every((value) => value === true) : null
    case 'bool_or':
      return set.length ? set.some((value) => value === true) : null
    case 'array_agg':
      return all
    default:
      return set.length < all.length ? [...distinct, null] : distinct
  }
}

/** Whether a condition in prefix form holds. */
function holds(domain: readonly unknown[], value: (spec: string) => unknown): boolean {
  const items = [...domain]
  const next = (): boolean => {
    const item = items.shift()
    if (item === '!') return !next()
    if (item === '|' || item === '&') {
      const [first, other] = [next(), next()]
      return item === '|' ? first || other : first && other
    }
    const [spec, operator, wanted] = item as [string, string, number]
    return compared(value(spec), operator, wanted)
  }
  let all = true
  while (items.length) all = next() && all
  return all
}

function compared(actual: unknown, operator: string, wanted: number): boolean {
  if (operator === '!=') return actual !== wanted
  if (actual === null) return false
  const by = compareValues(actual, wanted)
  return { '=': by === 0, '<': by < 0, '<=': by <= 0, '>': by > 0, '>=': by >= 0 }[operator] ?? false
}
