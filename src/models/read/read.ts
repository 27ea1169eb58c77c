// Reading records by their ids: rows in wire form, whole, in pieces, or one by one.

import { Pace } from '../../kit/pace.ts'
import { only } from '../../kit/present.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertModel, hiddenRecordsError } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import { cachedPlan, fieldsShape, type Planned, planned, type RequestKey } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { pieceRows, wholeRows } from './long-answer.ts'
import { elementsOf, type Listed, type Reading, Rendered, type WireRow } from './rendered.ts'
import { type Answer, finish, long, plainObjects, type Rest } from './rows.ts'
import { formShape, select } from './selection.ts'
import { IDS_MARK, idsValues } from './shapes.ts'
import { largeTableCount } from './short/dictionary.ts'
import { isShort, shortForm } from './short/form.ts'
import { shortByIds, shortJson, sizeShape } from './short/statements.ts'

/**
 * `read`: rows in the order of `ids`, repeated ids repeated, without missing records.
 * Throws AccessError when a rule hides one of them (spec/wire.md section 9), PayloadTooLarge for more than an
 * answer holds. A LongAnswer only where it may be one. The plan is cached for `request`.
 */
export async function readRows(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  request: RequestKey | null,
  { reading, mayBeLong }: { readonly reading: () => Reading; readonly mayBeLong: boolean },
): Promise<Answer> {
  const plan = cachedPlan<Rest>(request)
  const rows = plan && (await rowsBy(env, model, ids, plan, reading, true))
  if (rows) return rows.answer
  const distinct = ids.length > 1 ? new Set(ids) : null
  const wanted = reading()
  if (distinct && distinct.size < ids.length) return repeatedRows(env, model, ids, [...distinct], wanted)
  if (ids.length <= wholeRows(env, wanted.fields))
    return (await readForm(env, model, ids, wanted, { request })).answer
  return mayBeLong ? longByIds(env, model, ids, wanted) : inPieces(env, model, ids, wanted)
}

async function repeatedRows(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  distinct: Ids,
  reading: Reading,
): Promise<Answer> {
  const times = new Map<number, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  const timesOf = (some: Ids) => some.reduce((sum, id) => sum + (times.get(id) ?? 0), 0) / some.length
  const { json } = await inPieces(env, model, distinct, reading, timesOf)
  const texts = new Map(elementsOf(json).map((text) => [Number(/^\{"id":(\d+)/.exec(text)?.[1]), text]))
  return new Rendered(`[${ids.flatMap((id) => texts.get(id) ?? []).join(',')}]`)
}

/**
 * All rows as one text, of which PostgreSQL makes and code fills in few at a time; rows of `some` are shown
 * `timesOf` times on the average, and count as often before more are read.
 */
export async function inPieces(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  reading: Reading,
  timesOf: (some: Ids) => number = () => 1,
): Promise<Rendered> {
  const texts: string[] = []
  await eachPiece(env, ids, reading.fields, async (some) => {
    const { answer } = await readForm(env, model, some, reading, { sole: false })
    const text = (answer instanceof Rendered ? answer.json : JSON.stringify(answer)).slice(1, -1)
    env.unit.shown.addText(Math.ceil(text.length * timesOf(some)))
    await env.unit.shown.expect(0)
    if (text) texts.push(text)
    env.unit.cache.clear()
  })
  return new Rendered(`[${texts.join(',')}]`)
}

/** As `readForm`, as objects, few records at a time. Throws PayloadTooLarge. */
export async function readObjects(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  reading: Reading,
): Promise<{ readonly rows: WireRow[]; readonly bare: readonly FieldDef[] }> {
  const all: WireRow[] = []
  let bareFields: readonly FieldDef[] = []
  await eachPiece(env, ids, reading.fields, async (some, sole) => {
    const { answer, bare } = await readForm(env, model, some, reading, { sole })
    if (answer instanceof Rendered) env.unit.shown.addText(answer.json.length)
    const rows = plainObjects(answer)
    env.unit.shown.add(rows.length * (reading.fields.length + 1))
    await env.unit.shown.expect(0)
    for (const row of rows) all.push(row)
    bareFields = bare
  })
  return { rows: all, bare: bareFields }
}

/**
 * Few records at once, as text that is written in JavaScript; null where that takes objects. The plan is
 * cached for `request`. Throws as `readForm`.
 */
export async function readListed(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  reading: Reading,
  request: RequestKey | null,
): Promise<Listed | null> {
  if (!isShort(ids.length) || ids.length * (reading.fields.length + 1) > WHOLE_CELLS) return null
  assertModel(env, model, 'read')
  if (env.unit.recomputation.pending.size) await flush(env)
  const plan = idsPlan(env, model, ids, reading, request)
  if (!plan.rest.short) return null
  return (await shortList(env, model, ids, plan)) ?? readListed(env, model, ids, reading, request)
}

/** A short list by its plan; null if it has none, or if it must be planned again. Throws as `readForm`. */
export async function shortList(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  { statement, rest: { short } }: Planned<Rest>,
): Promise<Listed | null> {
  const list = short && (await shortJson(env, statement, short, ids, true))
  if (!list) return null
  if (list.counted) throw hiddenRecordsError(env, model, 'read')
  env.unit.shown.add(list.answer.count * short.width)
  return list.answer
}

const WHOLE_CELLS = 20_000

async function eachPiece(
  env: Environment,
  ids: Ids,
  fields: readonly FieldDef[],
  work: (some: Ids, sole: boolean) => Promise<void>,
): Promise<void> {
  const whole = wholeRows(env, fields)
  const most =
    ids.length <= whole && fields.length * ids.length <= WHOLE_CELLS ? whole : pieceRows(env, fields)
  const pace = new Pace()
  await env.unit.shown.expect(ids.length * (fields.length + 1))
  for (let from = 0; from < ids.length; from += most) {
    await work(ids.slice(from, from + most), ids.length <= most)
    await pace.step()
  }
}

interface ReadForm {
  readonly answer: Rendered | WireRow[]
  readonly bare: readonly FieldDef[]
}

/**
 * Rows as PostgreSQL renders them, relations expanded where it can do that. `sole`: nothing else is read; the
 * plan is cached for `request`. Throws AccessError when a rule hides one of the records.
 */
async function readForm(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  reading: Reading,
  call: { readonly sole?: boolean; readonly request?: RequestKey | null },
): Promise<ReadForm> {
  const { sole = true, request = null } = call
  if (ids.length === 0) return { answer: [], bare: [] }
  assertModel(env, model, 'read')
  if (env.unit.recomputation.pending.size) await flush(env)
  const plan = idsPlan(env, model, ids, reading, request)
  const rows = await rowsBy(env, model, ids, plan, () => reading, sole)
  return rows ?? readForm(env, model, ids, reading, call)
}

async function rowsBy(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  { statement, rest: { short, slow, bare } }: Planned<Rest>,
  reading: () => Reading,
  sole: boolean,
): Promise<ReadForm | null> {
  if (short) {
    const list = await shortJson(env, statement, short, ids, sole)
    if (list?.counted) throw hiddenRecordsError(env, model, 'read')
    return list && { answer: list.answer, bare: [] }
  }
  const isLast = sole && slow.length === 0 && bare.length === 0
  const [json, hiddenRows] = only(await env.unit.run<[string, number]>(statement, isLast))
  if (hiddenRows > 0) throw hiddenRecordsError(env, model, 'read')
  return { answer: slow.length ? await finish(env, json, slow, reading().form) : new Rendered(json), bare }
}

function idsPlan(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  reading: Reading,
  request: RequestKey | null,
): Planned<Rest> {
  const { fields, form, tight } = reading
  const shape = `read ${model.name} ${fieldsShape(fields)} ${formShape(form)} ${sizeShape(ids)} ${tight} ${largeTableCount()}`
  const make = (marked: boolean) => {
    const some = marked ? IDS_MARK : ids
    const named = { ids: some, most: ids.length }
    const short = isShort(ids.length) && shortByIds(env, model, named, (scope) => shortForm(scope, reading))
    if (short) return short
    const { from, columns, slow, bare, hiddenOnes } = byIds(env, model, some, reading)
    return {
      statement: sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text, ${hiddenOnes} FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
      rest: { short: null, slow, bare },
    }
  }
  return planned<Rest>(env, shape, idsValues(ids), make, request)
}

function byIds(env: Environment, model: ModelDef, ids: Ids, { fields, form }: Reading) {
  const scope = scopeOver(env, model)
  const { columns, slow, bare } = select(scope, fields, form)
  const rule = ruleOf(scope, model, 'read')
  const hiddenOnes = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : sql`0`
  const from = scope.from(sql`unnest(${idList(ids)}) WITH ORDINALITY AS u(id, ord)`)
  return { columns, slow, bare, rule, hiddenOnes, from }
}

/** Rules are judged for all before the first row goes out, and once more while they do. */
async function longByIds(env: Environment, model: ModelDef, ids: Ids, reading: Reading): Promise<Answer> {
  assertModel(env, model, 'read')
  if (env.unit.recomputation.pending.size) await flush(env)
  const { columns, slow, rule, hiddenOnes, from } = byIds(env, model, ids, reading)
  const judged = rule ? await env.query<[number]>(sql`SELECT ${hiddenOnes} FROM ${from}`) : []
  if ((judged[0]?.[0] ?? 0) > 0) throw hiddenRecordsError(env, model, 'read')
  const seen = rule ? sql` WHERE ${rule}` : sql``
  const rows = sql`${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${seen}`
  return long(env, { row: raw('r'), from: rows, order: raw('u.ord'), slow }, reading)
}
