// One statement for the groups of a domain: keys and aggregates inside, names and order of the related
// records outside.
import { InvalidValue } from '../../errors.ts'
import { isNothing, unquoted } from '../../kit/nothing.ts'
import { mapInTurns } from '../../kit/pace.ts'
import { shown } from '../../kit/text.ts'
import { limits } from '../../limits.ts'
import { id, join, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import { parseDomain } from '../domain/index.ts'
import { zoneOf } from '../domain/zone.ts'
import { decimalSql } from '../kinds/shared.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import type { Row } from '../language/unit.ts'
import { loadPaths } from '../load/load.ts'
import { type Query, searchPlan } from '../read/search.ts'
import { raisesRightsVersion } from '../rights/tables.ts'
import { cachedPlan, planned, type RequestKey } from '../row/plans.ts'
import { aggregateSql, compileHaving, isHaving, scaleSql, wireAggregate } from './aggregates.ts'
import { groupKeyOf, key, keySql, targetOf } from './keys.ts'
import { type GroupTerm, orderBy, targetScope } from './order.ts'
import { type Calendar, monthFormats, weekStart } from './periods.ts'
import type { AggregateSpec, GroupSpec } from './specs.ts'

export interface GroupOptions {
  readonly having?: unknown
  readonly order?: readonly GroupTerm[]
  readonly limit?: unknown
  readonly offset?: unknown
  /** Count the groups beyond the window too. */
  readonly counted?: boolean
  /** Nothing else will be asked in this call. */
  readonly last?: boolean
  /** The form that aggregates are wanted in: decimals as text, lists of moments. */
  readonly typed?: Typed | null
  readonly request?: RequestKey | null
}

export interface GroupRow {
  /** In the order of the specs. */
  readonly keys: readonly unknown[]
  readonly count: number
  /** Wire forms, in the order of the aggregates. */
  readonly aggregates: readonly unknown[]
}

export interface Groups {
  readonly rows: readonly GroupRow[]
  /** Number of groups without the window; only when it was asked for. */
  readonly length: number
  /** In the order of the specs: names of records by id; undefined where keys are plain values. */
  readonly names: readonly (ReadonlyMap<unknown, unknown> | undefined)[]
  readonly calendar: Calendar
}

async function calendarOf(env: Environment, groups: readonly GroupSpec[]): Promise<Calendar> {
  const weeks = groups.some(({ granularity }) => granularity === 'week')
  return {
    zone: zoneOf(env),
    weekStart: weeks ? await weekStart(env) : 1,
    lang: env.lang,
    formats: monthFormats(env.unit.rights),
  }
}

/** Throws InvalidValue for specs, orders and windows that do not hold, AccessError without read access. */
export async function readGroups(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  options: GroupOptions = {},
): Promise<Groups> {
  const calendar = await calendarOf(env, groups)
  const query = await searchPlan(env, model, domain)
  const spec = { groups, aggregates, calendar, options }
  const make = (marked: boolean) => {
    const { statement, rest } = composed(env, query.compile(marked), spec)
    return { statement, rest: { ...rest, groups, aggregates, calendar } }
  }
  // The first day of a week is remembered with the rights of all, where the call itself changes none.
  const request = options.request && !raisesRightsVersion(env.unit) ? options.request : null
  const { statement, rest } = planned(env, groupsShape(query.shape, spec), query.values, make, request)
  const { named, sole, offset } = rest
  const rows = await env.unit.run(statement, sole)
  let length = options.counted ? Number(rows[0]?.at(-1) ?? 0) : rows.length
  if (options.counted && rows.length === 0 && offset) {
    const { inner } = composed(env, query.compile(), spec)
    const [counted] = await env.query(sql`SELECT count(*) FROM (${inner}) AS "g"`)
    length = Number(counted?.[0] ?? 0)
  }
  const table = await groupsIn(rows, rest)
  const names: Groups['names'][number][] = []
  for (const [i, group] of groups.entries())
    names.push(named[i] ? table.names[i] : await namesOf(env, group, rows, i))
  return { ...table, length, names }
}

/** The groups of a request whose plan is cached, with what was asked; null for others. */
export async function cachedGroups(
  env: Environment,
  request: RequestKey | null,
): Promise<{ readonly table: Groups; readonly asked: GroupsRest } | null> {
  const plan = cachedPlan<GroupsRest>(request)
  if (!plan?.rest.sole) return null
  const rows = await env.unit.run(plan.statement, true)
  return { table: await groupsIn(rows, plan.rest), asked: plan.rest }
}

async function groupsIn(
  rows: readonly Row[],
  { groups, aggregates, calendar, named }: GroupsRest,
): Promise<Groups> {
  const width = groups.length
  const groupIn = (row: Row): GroupRow => {
    const keys: unknown[] = []
    for (const [i, group] of groups.entries()) keys.push(groupKeyOf(group, row[i]))
    const values: unknown[] = []
    for (const [i, aggregate] of aggregates.entries())
      values.push(wireAggregate(aggregate, row[2 * width + 1 + i]))
    return { keys, count: row[2 * width] as number, aggregates: values }
  }
  return {
    rows: await mapInTurns(rows, groupIn),
    length: rows.length,
    names: named.map((isNamed, i) =>
      isNamed ? new Map(rows.map((row) => [row[i], row[width + i]])) : undefined,
    ),
    calendar,
  }
}

/** Null if the plan cannot be cached: the meaning of a property is stored on another record. */
function groupsShape(
  searchShape: string | null,
  { groups, aggregates, calendar, options }: Asked,
): string | null {
  if (searchShape === null || groups.some(({ property }) => property)) return null
  const { having, order, limit, offset, counted, typed } = options
  const specs = groups.map(({ spec }) => spec)
  const measures = aggregates.map(({ key, field, func }) => [key, field?.name, func])
  return `groups ${searchShape} ${JSON.stringify([specs, measures, having, order, limit, offset, counted, typed, calendar, limits.cells])}`
}

export type GroupsRest = Composed['rest'] & Omit<Asked, 'options'>

interface Asked {
  readonly groups: readonly GroupSpec[]
  readonly aggregates: readonly AggregateSpec[]
  readonly calendar: Calendar
  readonly options: GroupOptions
}

interface Composed {
  /** Rows of keys, names, the count, aggregates, and the number of all groups where it was asked for. */
  readonly statement: Sql
  readonly inner: Sql
  readonly rest: {
    readonly offset: number
    /** In the order of the specs: whether the statement returns the name of the related record. */
    readonly named: readonly boolean[]
    /** Nothing else will be asked in this call. */
    readonly sole: boolean
  }
}

function composed(
  env: Environment,
  { scope, where }: Query,
  { groups, aggregates, calendar, options }: Asked,
): Composed {
  const keys = groups.map((group, i) => keySql(scope, group, i, calendar))
  const columns: Sql[] = keys.map(({ value }, i) => sql`${value} AS ${key(i)}`)
  columns.push(sql`count(*) AS "n"`)
  for (const [i, aggregate] of aggregates.entries())
    columns.push(sql`${aggregateSql(scope, aggregate, options.typed)} AS ${id(`a${i}`)}`)
  // Groups are ordered by numbers: these become text outside.
  const texts = aggregates.map((aggregate, i) => {
    const scale = scaleSql(scope, aggregate, options.typed)
    if (!scale) return null
    columns.push(sql`${scale} AS ${id(`s${i}`)}`)
    const number = sql`"g".${id(`a${i}`)}`
    return sql`CASE WHEN ${number} IS NOT NULL THEN ${decimalSql(number, sql`"g".${id(`s${i}`)}`)} END`
  })

  // Related records are joined to the groups, not to the rows they are made of; joins of their own nest
  // within that join.
  const targets = groups.map((group, i) => targetScope(env, group, i))
  const order = orderBy(scope, groups, aggregates, targets, options.order ?? [], columns)
  const having = isHaving(options.having) ? compileHaving(scope, parseDomain(options.having)) : TRUE
  const names = targets.map((target) => target?.named.displayName() ?? null)
  const joins = targets.map((target, i) =>
    target ? sql` LEFT JOIN ${target.scope.from()} ON ${target.scope.id} = "g".${key(i)}` : sql``,
  )

  const by = groups.length ? sql` GROUP BY ${raw(groups.map((_, i) => i + 1).join(', '))}` : sql``
  const inner = sql`SELECT ${join(columns)} FROM ${scope.from()}${join(
    keys.map((k) => k.join ?? sql``),
    '',
  )} WHERE ${where}${by}${having === TRUE ? sql`` : sql` HAVING ${having}`}`
  const outer = [
    ...groups.map((_, i) => sql`"g".${key(i)}`),
    ...names.map((name) => name ?? raw('NULL')),
    raw('"g"."n"'),
    ...texts.map((text, i) => text ?? sql`"g".${id(`a${i}`)}`),
  ]
  if (options.counted) outer.push(raw('count(*) OVER ()'))
  const { window, offset } = windowOf(options, groups.length + aggregates.length + 1)
  const sole = (options.last ?? false) && targets.every((target, i) => !target || names[i] !== null)
  const statement = sql`SELECT ${join(outer)} FROM (${inner}) AS "g"${join(joins, '')}${order.length ? sql` ORDER BY ${join(order)}` : sql``}${window}`
  return { statement, inner, rest: { offset, named: names.map((name) => name !== null), sole } }
}

/** LIMIT and OFFSET of rows of so many cells. Throws InvalidValue. */
function windowOf(options: GroupOptions, cells: number): { readonly window: Sql; readonly offset: number } {
  // More groups than an answer shows are refused when they are shown.
  const most = Math.floor(limits.cells / cells) + 1
  const limit = whole('limit', options.limit)
  const offset = whole('offset', options.offset)
  const window = sql`${limit ? sql` LIMIT ${Math.min(limit, most)}` : raw(` LIMIT ${most}`)}${offset ? sql` OFFSET ${offset}` : sql``}`
  return { window, offset }
}

async function namesOf(env: Environment, group: GroupSpec, rows: readonly Row[], index: number) {
  const model = targetOf(group)
  if (!model) return undefined
  const ids = [...new Set(rows.flatMap((row) => (row[index] as number | null) ?? []))]
  const named = await loadPaths(env.sudo(), model, ids, ['display_name'])
  return new Map<unknown, unknown>(named.map((record) => [record.id, record.display_name]))
}

/** A count from outside: nothing and 0 mean none, digits are a number. Throws InvalidValue. */
export function whole(name: string, input: unknown): number {
  const value = unquoted(input)
  if (isNothing(value)) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new InvalidValue(`Invalid ${name}: ${shown(value)}`)
  return value
}
