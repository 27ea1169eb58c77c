// Searching: a domain, the rules of the user, archived records, order and window, made into one statement.
import { InvalidValue } from '../../errors.ts'
import { only } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import { and, id, join, limited, type Sql, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import { activeDomain, compileDomain, needsPreparation, parseDomain, prepareDomain } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { CountKind, Environment, Preferences } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Scope } from '../language/scope.ts'
import type { Tree } from '../language/tree.ts'
import { assertModel } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import { compileOrder } from '../row/order.ts'
import { cachedPlan, type Planned, planned, type RequestKey, type Values } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { together } from '../unit/reads.ts'
import { asksOfFew, resolveFew } from './of-few.ts'
import { countIn, domainKey, lastRowOf } from './request-keys.ts'
import { domainShape, withValues } from './shapes.ts'

export interface Query {
  readonly scope: Scope
  readonly where: Sql
}

interface SearchPlan {
  /** Model and domain without values; null where plans cannot be kept. */
  readonly shape: string | null
  readonly values: Values | null
  /** With marks in the place of its values, if wanted. */
  compile(marked?: boolean): Query
}

/** Throws AccessError without read access, InvalidValue for a bad domain. */
export async function searchQuery(env: Environment, model: ModelDef, domain: Tree): Promise<Query> {
  return (await searchPlan(env, model, domain)).compile()
}

/**
 * As `searchQuery`; what is wrong with the domain is found out by compiling it. At once unless something has
 * to be asked or stored before. With a limit PostgreSQL must know how many records a condition leaves.
 */
export function searchPlan(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  { limit }: SearchOptions = {},
): SearchPlan | Promise<SearchPlan> {
  assertModel(env, model, 'read')
  const tree = env.activeTest ? activeDomain(env, model, domain) : domain
  const isResolved = Boolean(limit) && asksOfFew(env, model, tree)
  return isResolved || needsPreparation(model, tree) || env.unit.recomputation.pending.size
    ? preparedPlan(env, model, tree, isResolved)
    : planOf(env, model, tree)
}

async function preparedPlan(
  env: Environment,
  model: ModelDef,
  tree: Tree,
  isResolved: boolean,
): Promise<SearchPlan> {
  const prepared = needsPreparation(model, tree) ? await prepareDomain(env, model, tree) : tree
  if (env.unit.recomputation.pending.size) await flush(env)
  const resolved = isResolved ? await resolveFew(env, model, prepared) : prepared
  const plan = planOf(env, model, resolved)
  if (resolved === tree) return plan
  return { ...plan, values: plan.values && { ...plan.values, areFound: true } }
}

function planOf(env: Environment, model: ModelDef, tree: Tree): SearchPlan {
  if (!model.hasRows) throw new InvalidValue(`Records of ${model.label} (${model.name}) cannot be searched.`)
  const domainForm = domainShape(env, model, tree)
  const compile = (marked = false) => {
    const scope = scopeOver(env, model)
    const rule = ruleOf(scope, model, 'read')
    const condition = compileDomain(scope, marked && domainForm ? domainForm.marked() : tree)
    return { scope, where: rule ? and([condition, rule]) : condition }
  }
  return domainForm
    ? { shape: `${model.name} ${domainForm.shape}`, values: domainForm.values, compile }
    : { shape: null, values: null, compile }
}

/** Stands for an offset where a plan is made. */
const OFFSET_MARK = 1_999_999_999

export function windowValues(values: Values | null, { offset }: SearchOptions): Values | null {
  return values && offset ? withValues(values, [offset, OFFSET_MARK]) : values
}

/**
 * The part of a window that belongs to a plan's shape: everything but the offset itself. An order that
 * is no text stands for the order of the model.
 */
export function windowShape(options: SearchOptions): string {
  const { order = null, limit = null, offset = 0 } = options
  return `${JSON.stringify(order)} ${JSON.stringify(limit)} ${offset ? lastRowOf(limit, offset) : 0}`
}

/** ` ORDER BY … LIMIT … OFFSET …` of a query's rows; the order always ends in id. */
export function windowOf(scope: Scope, { order = null, limit = null, offset = 0 }: SearchOptions): Sql {
  const by = sql` ORDER BY ${join(compileOrder(scope, order || null, { ruled: true }))}`
  return sql`${by}${limitOf(limit)}${offsetOf(offset)}`
}

/** `SELECT id …` of a page, in order, or other columns; with a mark in the place of its offset, if wanted. */
export function pageOf(
  { scope, where }: Query,
  options: SearchOptions,
  marked = false,
  names: readonly string[] = ['id'],
): Sql {
  const { order = null, limit = null } = options
  const offset = marked && options.offset ? OFFSET_MARK : options.offset
  const reach = options.offset ? lastRowOf(limit, options.offset) : null
  const rows = (window: SearchOptions, columns: readonly string[]) => {
    const by = windowOf(scope, window)
    return sql`SELECT ${join(columns.map((name) => scope.column(name)))} FROM ${scope.from()} WHERE ${where}${by}`
  }
  if (reach === null) return rows({ order, limit, offset }, names)
  const within = (columns: readonly string[]) =>
    sql`SELECT w.* FROM (${rows({ order, limit: reach }, columns)}) AS w${limitOf(limit)}${offsetOf(offset)}`
  if (reach < FAR || !scope.model.hasTable || names.every((name) => name === 'id')) return within(names)
  const page = sql`SELECT p."id", row_number() OVER () AS place FROM (${within(['id'])}) AS p`
  const columns = join(names.map((name) => sql`r.${id(name)}`))
  return sql`SELECT ${columns} FROM (${page}) AS u JOIN ${id(scope.model.table)} AS r ON r."id" = u."id" ORDER BY u.place`
}

/**
 * From this number of rows on, a page is found by ids alone: an index with the columns of the
 * conditions skips rows without reading the table.
 */
const FAR = 4096

function limitOf(limit: unknown): Sql {
  const max = positive('limit', limit)
  return max ? limited(max) : sql``
}

function offsetOf(offset: unknown): Sql {
  const skip = positive('offset', offset)
  return skip ? sql` OFFSET ${skip}` : sql``
}

/** A count given by a client, 0 for none. Throws InvalidValue for anything else. */
function positive(name: string, value: unknown): number {
  const count = countIn(value)
  if (count === null) throw new InvalidValue(`Invalid ${name}: ${shown(value)}`)
  return count
}

export async function searchIds(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  options: SearchOptions,
): Promise<number[]> {
  const plan = await searchPlan(env, model, domain, options)
  const shape = plan.shape && `search ${plan.shape} ${windowShape(options)}`
  const { statement } = planned(env, shape, windowValues(plan.values, options), (marked) => {
    const page = pageOf(plan.compile(marked), options, marked)
    // One array: rows would be objects of the driver, one by one.
    return { statement: sql`SELECT ARRAY(${page})`, rest: null }
  })
  const rows = await env.unit.run<[number[]]>(statement, true)
  return only(rows)[0]
}

export async function countRecords(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  limit: unknown,
): Promise<number> {
  const { statement } = await countPlan(env, model, domain, limit, null)
  return only(await env.unit.run<[number]>(statement, true))[0]
}

export async function countPlan(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  limit: unknown,
  request: RequestKey | null,
): Promise<Planned<null>> {
  const query = await searchPlan(env, model, domain)
  const shape = query.shape && `search_count ${query.shape} ${positive('limit', limit)}`
  const make = (marked: boolean) => ({ statement: countOf(query.compile(marked), limit), rest: null })
  return planned(env, shape, query.values, make, request)
}

export function countOf({ scope, where }: Query, limit: unknown): Sql {
  const max = positive('limit', limit)
  const fromWhere = sql`FROM ${scope.from()} WHERE ${where}`
  return max
    ? sql`SELECT count(*)::int FROM (SELECT 1 ${fromWhere}${limitOf(max)}) AS found`
    : sql`SELECT count(*)::int ${fromWhere}`
}

// Counts of the records of a domain: `search_count`, and the total that a caller wishes with a page, counted
// or estimated by PostgreSQL.

export async function searchCount(
  env: Environment,
  model: ModelDef,
  { domain, limit }: Record<string, unknown>,
): Promise<number> {
  const most = countIn(limit)
  const request = most === null ? null : domainKey(env, model, domain, `search_count [${most}]`)
  const { statement } =
    cachedPlan<null>(request) ?? (await countPlan(env, model, parseDomain(domain), limit, request))
  return only(await env.unit.run<[number]>(statement, true))[0]
}

/** Records that are counted before PostgreSQL's estimate is used. */
const COUNTED = 10_000

/** Runs `work`, and in the same trip counts the records of the domain if the caller wishes. */
export async function counted<T>(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  { count, tell }: Preferences,
  work: () => Promise<T>,
): Promise<T> {
  if (count === null) return work()
  const [result, total] = await together(work(), totalOf(env, model, domain, count))
  tell('preference-applied', `count=${count}`)
  tell('total-count', String(total))
  return result
}

async function totalOf(env: Environment, model: ModelDef, domain: Tree, kind: CountKind): Promise<number> {
  if (kind === 'exact') return countRecords(env, model, domain, null)
  if (kind === 'planned') return estimate(env, model, domain)
  const records = await countRecords(env, model, domain, COUNTED + 1)
  // An estimate may be less than the number of records that were counted.
  return records <= COUNTED ? records : Math.max(records, await estimate(env, model, domain))
}

/** PostgreSQL's estimate of the rows that the statement, with its rules, would give. */
async function estimate(env: Environment, model: ModelDef, domain: Tree): Promise<number> {
  const { scope, where } = await searchQuery(env, model, domain)
  const row = only(
    await env.query<[string]>(sql`EXPLAIN (FORMAT JSON) SELECT 1 FROM ${scope.from()} WHERE ${where}`),
  )
  const [{ Plan: top }] = JSON.parse(row[0]) as [{ Plan: { 'Plan Rows': number } }]
  return top['Plan Rows']
}
