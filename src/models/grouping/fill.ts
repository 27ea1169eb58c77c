// Periods without records: `context.fill_temporal` puts them between the groups with counts of zero
// (spec/models-api.md section 7).
import { InvalidValue } from '../../errors.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { Pace } from '../../kit/pace.ts'
import type { Environment } from '../language/environment.ts'
import { wireAggregate } from './aggregates.ts'
import type { GroupTerm } from './order.ts'
import { type Calendar, nextStart, type Period, startOf } from './periods.ts'
import type { GroupRow, Groups } from './query.ts'
import { type AggregateSpec, type GroupSpec, isPeriodSpec } from './specs.ts'

/** The periods to fill, as the context gives them. */
export interface Fill {
  /** First and last period at least, as dates or moments; null: those of the groups. */
  readonly from: string | null
  readonly to: string | null
  /** Least number of periods. */
  readonly least: number
}

/** More periods than anybody can look at. */
const MAX_PERIODS = 5000

/** `fill_temporal` of the context, or null when nothing is to be filled. Throws InvalidValue. */
export function fillOf(env: Environment): Fill | null {
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

/**
 * The groups with those of missing periods, when the first spec is a period. Other keys of added groups are
 * unset.
 */
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
