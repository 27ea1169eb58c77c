// Pages and records by specification that were asked for before, found by the form of what is asked, as other
// searches are (known.ts): where nothing is left to do behind their statement.
import { only } from '../../kit/present.ts'
import type { Statement } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Typed } from '../language/wishes.ts'
import { hidden } from '../rights/judge.ts'
import { type Asked, callerKey, type Plan, statementOf } from '../row/plans.ts'
import { areNames, askedAbout, countIn, isOrder, jsonOf } from './known.ts'
import { type Listed, Rendered } from './rendered.ts'
import type { Rest } from './rows.ts'
import { reachOf } from './search.ts'
import { CLASSIC } from './selection.ts'
import { isShort, TOGETHER } from './short/form.ts'
import { written } from './short/statements.ts'

/** The parameters of `web_search_read` as a key and values; null where they are not in their common form. */
export function askedPage(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): Asked | null {
  const { domain, specification, order } = params
  const [limit, skipped, most] = [params.limit, params.offset, params.count_limit].map(countIn)
  if (!isShort(limit) || skipped == null || most == null || !isOrder(order)) return null
  const fields = jsonOf(specification)
  if (fields === null) return null
  const reach = skipped ? reachOf({ limit, offset: skipped }) : 0
  const rest = JSON.stringify([order || null, limit, reach, most, typed])
  return askedAbout(env, model, domain, `web_search_read [${fields},${rest}]`, skipped)
}

/** The same of `web_read`: its value is the ids. */
export function askedRecords(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  specification: unknown,
  typed: Typed | null,
): Asked | null {
  const fields = isShort(ids.length) ? jsonOf(specification) : null
  return fields === null ? null : askedByIds(env, model, ids, `web_read [${fields},${JSON.stringify(typed)}]`)
}

/** The same of `read`. */
export function askedRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  { fields, load }: Record<string, unknown>,
  typed: Typed | null,
): Asked | null {
  if (!isShort(ids.length) || !areNames(fields) || (ids.length > 1 && new Set(ids).size < ids.length))
    return null
  return askedByIds(env, model, ids, `read ${JSON.stringify([fields, load === CLASSIC, typed])}`)
}

function askedByIds(env: Environment, model: ModelDef, ids: readonly number[], what: string): Asked | null {
  if (env.unit.pending.size) return null
  const key = callerKey(env, `${what} as asked ${ids.length >= TOGETHER} ${model.name}`)
  return key === null ? null : { key, values: [ids] }
}

/** A list of a known page, and what was counted with it; null where its plan holds no more. */
export async function readKnownPage(
  env: Environment,
  plan: Plan<Rest>,
  { values }: Asked,
  ids: readonly number[] | null = null,
): Promise<{ readonly rows: Listed; readonly total: number | null } | null> {
  const { short } = plan.rest
  const list = short && (await written(env, statementOf(plan, values), short, ids, true))
  if (!list) return null
  const { answer, counted } = list
  env.unit.shown.add(answer.count * short.width)
  return { rows: answer, total: counted }
}

/** As `readKnownPage`, of records by their ids. Throws AccessError when a rule hides one of them. */
export async function readKnownRecords(
  env: Environment,
  model: ModelDef,
  page: Plan<Rest>,
  { asked, ids }: { readonly asked: Asked; readonly ids: readonly number[] },
): Promise<Listed | null> {
  const found = await readKnownPage(env, page, asked, ids)
  if (found?.total) throw hidden(env, model, 'read')
  return found?.rows ?? null
}

/** As `readKnownRecords`, for `read`: nothing is counted as shown, and PostgreSQL may have made the JSON. */
export async function readKnownRows(
  env: Environment,
  model: ModelDef,
  plan: Plan<Rest>,
  { asked, ids }: { readonly asked: Asked; readonly ids: readonly number[] },
): Promise<Rendered | null> {
  const statement = statementOf(plan, asked.values)
  const { short } = plan.rest
  if (!short) return renderedRows(env, model, statement, true)
  const list = await written(env, statement, short, ids, true)
  if (list?.counted) throw hidden(env, model, 'read')
  return list?.answer ?? null
}

/** Rows by ids as PostgreSQL renders them. Throws AccessError when a rule hides one of them. */
export async function renderedRows(
  env: Environment,
  model: ModelDef,
  statement: Statement,
  sole: boolean,
): Promise<Rendered> {
  const row = only(await env.unit.run<[string, number]>(statement, sole))
  if (row[1] > 0) throw hidden(env, model, 'read')
  return new Rendered(row[0])
}
