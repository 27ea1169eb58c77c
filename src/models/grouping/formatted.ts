// Groups as clients get them: specs with their values, the condition of each group, aggregates
// (`formatted_read_group`).
import { InvalidValue } from '../../errors.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { mapInTurns, Pace } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import { decimalText, typedValue } from '../kinds/shared.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import { digitsOf } from '../language/field-options.ts'
import type { Tree } from '../language/tree.ts'
import { namedReferences } from '../read/references.ts'
import { canonicalJson, domainKey } from '../read/request-keys.ts'
import type { RequestKey } from '../row/plans.ts'
import { NUMBERS, wireAggregate, wireAggregateValue } from './aggregates.ts'
import { allOf, conditionOf, type DomainList, wireKey } from './keys.ts'
import type { GroupTerm } from './order.ts'
import { type Calendar, nextStart, type Period, startOf } from './periods.ts'
import { type GroupOptions, type GroupRow, type Groups, readGroups, whole } from './query.ts'
import { type AggregateSpec, type GroupSpec, isPartSpec, isPeriodSpec } from './specs.ts'

/** One group: groupby specs, `__extra_domain` and aggregates by their names. */
export type WireGroup = Record<string, unknown>

/** Groups with missing periods filled in where the context asks for it and no window was given. */
export async function filledGroups(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  options: GroupOptions,
): Promise<Groups> {
  const fill = temporalFillOf(env)
  const unfilled = await readGroups(env, model, domain, groups, aggregates, options)
  if (!fill || whole('limit', options.limit) || whole('offset', options.offset)) return unfilled
  return await fillGroups(unfilled, groups, aggregates, options.order ?? [], fill)
}

/** The key of `formatted_read_group`; null for typed values, and where missing periods are filled in. */
export function groupsKey(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): RequestKey | null {
  const { domain, groupby, aggregates, having, order, limit, offset } = params
  const rest = canonicalJson([groupby, aggregates, having, order, limit, offset])
  if (rest === null || typed || temporalFillOf(env)) return null
  return domainKey(env, model, domain, `formatted_read_group ${rest}`)
}

/** The groups in wire form, in order. Throws PayloadTooLarge for more than an answer shows. */
export async function formatGroups(
  env: Environment,
  table: Groups,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  typed: Typed | null = null,
): Promise<WireGroup[]> {
  const keyForm = keyFormatter(table, groups)
  await showCells(env, table.rows.length, groups, aggregates)
  const forms = typed && (await formsOf(env, table, groups, typed))
  return mapInTurns(table.rows, (row) => {
    const wire: WireGroup = {}
    const conditions: DomainList[] = []
    for (const [i, group] of groups.entries()) {
      const { value, condition } = keyForm(i, row.keys[i])
      const form = forms?.[i]
      wire[group.spec] = form ? form(row.keys[i], value) : value
      conditions.push(condition)
    }
    wire.__extra_domain = groups.length ? allOf(conditions) : [[1, '=', 1]]
    for (const [i, aggregate] of aggregates.entries())
      wire[aggregate.key] = typed
        ? typedAggregate(aggregate, row.aggregates[i], typed)
        : wireAggregateValue(aggregate, row.aggregates[i])
    return wire
  })
}

/** Counts what so many groups show, and as many values `more` for each. Throws PayloadTooLarge. */
export async function showCells(
  env: Environment,
  rows: number,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  more = 0,
): Promise<void> {
  const cells = rows * (CONDITION * groups.length + aggregates.length + 1 + more)
  await env.unit.shown.expect(cells)
  env.unit.shown.add(cells)
}

async function formsOf(env: Environment, table: Groups, groups: readonly GroupSpec[], typed: Typed) {
  const forms: Awaited<ReturnType<typeof typedKeys>>[] = []
  for (const [i, group] of groups.entries()) {
    const keys = table.rows.map((row) => row.keys[i])
    forms.push(await typedKeys(env, { group, keys, names: table.names[i], typed }))
  }
  return forms
}

/** Values that a key and its condition come to. */
const CONDITION = 5

interface Told {
  readonly value: unknown
  readonly condition: DomainList
}

/** Formats keys, each value of a spec once: names of periods take time, and many groups share them. */
export function keyFormatter(
  table: Groups,
  groups: readonly GroupSpec[],
): (index: number, key: unknown) => Told {
  const formsByKey = groups.map(() => new Map<unknown, Told>())
  return (index, key) => {
    const group = present(groups[index])
    const before = formsByKey[index]?.get(key)
    if (before) return before
    const formatted: Told = {
      value: wireKey(group, key, table.names[index], table.calendar),
      condition: conditionOf(group, key, table.calendar),
    }
    formsByKey[index]?.set(key, formatted)
    return formatted
  }
}

// Keys and aggregates of groups in the typed form: records as objects, null for nothing, moments with their
// zone, decimals as text.

/** The names of a spec's keys; undefined where keys are plain values. */
type Names = ReadonlyMap<unknown, unknown> | undefined

/**
 * Formats the keys of a spec: records as objects, periods as pairs of start and label, null for unset.
 * `documented`: the key in the form that is documented.
 */
export async function typedKeys(
  env: Environment,
  { group, keys, names, typed }: TypedKeys,
): Promise<(key: unknown, documented: unknown) => unknown> {
  const { field } = group
  if (field.type.typedAs === 'reference') return await namedReferences(env, keys)
  return (key, wireValue) => {
    if (key === null) return field.kind === 'boolean' ? wireValue : null
    if (names) return { id: key, display_name: names.get(key) || null }
    if (isPartSpec(group)) return wireValue
    if (isPeriodSpec(group) && Array.isArray(wireValue))
      return [typedValue(field, key, typed), ...wireValue.slice(1)]
    if (field.type.typedAs !== 'decimal') return wireValue
    const digits = digitsOf(field)
    const scale = field.kind === 'monetary' ? 0 : digits ? digits[1] : undefined
    return typed.decimal && scale !== undefined ? decimalText(Number(key), scale) : wireValue
  }
}

interface TypedKeys {
  readonly group: GroupSpec
  readonly keys: readonly unknown[]
  readonly names: Names
  readonly typed: Typed
}

/** An aggregate; PostgreSQL has made lists, and decimals that are wanted as text. */
export function typedAggregate({ field, func }: AggregateSpec, value: unknown, typed: Typed): unknown {
  if (!field || !NUMBERS.has(func)) return value
  return value === false ? null : typedValue(field, value, typed)
}

// Periods without records: `context.fill_temporal` puts them between the groups with counts of zero
// (spec/models-api.md section 7).

export interface Fill {
  /** First and last period at least, as dates or moments; null: those of the groups. */
  readonly from: string | null
  readonly to: string | null
  readonly least: number
}

const MAX_PERIODS = 5000

/** `fill_temporal` of the context, or null when nothing is to be filled. Throws InvalidValue. */
export function temporalFillOf(env: Environment): Fill | null {
  const setting = env.context.fill_temporal
  if (!setting) return null
  if (typeof setting !== 'object') return { from: null, to: null, least: 0 }
  const { fill_from, fill_to, min_groups } = setting as Record<string, unknown>
  const least = min_groups || 0
  if (typeof least !== 'number' || !Number.isInteger(least) || least < 0)
    throw new InvalidValue('fill_temporal: min_groups must be a whole number')
  return { from: edge('fill_from', fill_from), to: edge('fill_to', fill_to), least }
}

function edge(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === false) return null
  if (typeof value !== 'string' || !(isDate(value) || isMoment(value)))
    throw new InvalidValue(`fill_temporal: ${name} must be a date`)
  return value
}

/** The groups with those of missing periods, whose other keys are unset; the first spec is a period. */
export async function fillGroups(
  groups: Groups,
  specs: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  order: readonly GroupTerm[],
  fill: Fill,
): Promise<Groups> {
  const [first] = specs
  if (!first || !isPeriodSpec(first)) return groups
  const starts = [...new Set(groups.rows.flatMap((row) => (row.keys[0] as string | null) ?? []))].sort()
  const required = await periodsOf(
    starts,
    first.granularity as Period,
    first.field.kind === 'datetime',
    groups.calendar,
    fill,
  )
  const byStart = Map.groupBy(groups.rows, (row) => row.keys[0] as string | null)
  const empty = (start: string): GroupRow => ({
    keys: specs.map((_, i) => (i === 0 ? start : null)),
    count: 0,
    aggregates: aggregates.map((aggregate) => wireAggregate(aggregate, null)),
  })
  const all = [...new Set([...starts, ...required])].sort()
  const term = order[0]?.spec === first.spec ? order[0] : null
  if (term?.descending) all.reverse()
  const filled = all.flatMap((start) => byStart.get(start) ?? [empty(start)])
  const unset = byStart.get(null) ?? []
  const unsetFirst = term ? (term.nulls ?? (term.descending ? 'first' : 'last')) === 'first' : false
  const rows = unsetFirst ? [...unset, ...filled] : [...filled, ...unset]
  return { ...groups, rows, length: Math.max(groups.length, rows.length) }
}

/** Starts of all periods from the first to the last one. Throws InvalidValue when there are too many. */
export async function periodsOf(
  starts: readonly string[],
  period: Period,
  moment: boolean,
  calendar: Calendar,
  { from, to, least }: Fill,
): Promise<string[]> {
  const start = from === null ? starts[0] : startOf(from, period, moment, calendar)
  if (start === undefined) return []
  const end = to === null ? starts.at(-1) : startOf(to, period, moment, calendar)
  const periods: string[] = []
  const pace = new Pace()
  let cursor: string | null = start
  while (cursor !== null && (periods.length < least || (end !== undefined && cursor <= end))) {
    if (periods.length === MAX_PERIODS)
      throw new InvalidValue(`fill_temporal: more than ${MAX_PERIODS} periods`)
    periods.push(cursor)
    cursor = nextStart(cursor, period, calendar)
    await pace.step()
  }
  return periods
}
