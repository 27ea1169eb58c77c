// Reading records by their ids: rows in wire form, whole, in pieces, or one by one.

import { Pace } from '../../kit/pace.ts'
import type { Statement } from '../../sql/index.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertModel, hidden } from '../rights/judge.ts'
import { type Asked, fieldsShape, planned } from '../row/plans.ts'
import { ruleOf } from '../row/rule.ts'
import { scopeOver } from '../row/scope.ts'
import { type Answer, finish, plainObjects } from './answer.ts'
import { renderedRows } from './known-page.ts'
import { pieceRows, wholeRows } from './long-answer.ts'
import type { Reading } from './question.ts'
import { elementsOf, type Listed, Rendered, type WireRow } from './rendered.ts'
import { long, type Rest } from './rows.ts'
import { formShape, select } from './selection.ts'
import { IDS_MARK, idsValues } from './shapes.ts'
import { largeOnes } from './short/dictionary.ts'
import { isShort, shortForm } from './short/form.ts'
import { shortByIds, sizeShape, written } from './short/statements.ts'

/**
 * `read`: rows in the order of `ids`, repeated ids repeated, records that are gone left out.
 * Throws AccessError when a rule hides one of them (spec/wire.md section 9), PayloadTooLarge for more than an
 * answer holds. A LongAnswer only where it may be one. `asked`: what the records will be known by.
 */
export function readRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
  { mayBeLong, asked }: { readonly mayBeLong: boolean; readonly asked: Asked | null },
): Promise<Answer> {
  const distinct = ids.length > 1 ? new Set(ids) : null
  if (distinct && distinct.size < ids.length) return repeatedRows(env, model, ids, [...distinct], reading)
  if (ids.length <= wholeRows(env, reading.fields))
    return readForm(env, model, ids, reading, { asked }).then(answerIn)
  return mayBeLong ? longByIds(env, model, ids, reading) : inPieces(env, model, ids, reading)
}

const answerIn = ({ answer }: Given): Answer => answer

/** Each record is read once, and shown as often as it was asked for. */
async function repeatedRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  distinct: readonly number[],
  reading: Reading,
): Promise<Answer> {
  const times = new Map<number, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  const timesOf = (some: readonly number[]) =>
    some.reduce((sum, id) => sum + (times.get(id) ?? 0), 0) / some.length
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
  ids: readonly number[],
  reading: Reading,
  timesOf: (some: readonly number[]) => number = () => 1,
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

/**
 * As `readForm`, as objects, few records at a time. Throws PayloadTooLarge for more values than an answer
 * holds.
 */
export async function readObjects(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
): Promise<{ readonly rows: WireRow[]; readonly bare: readonly FieldDef[] }> {
  const all: WireRow[] = []
  let given: readonly FieldDef[] = []
  await eachPiece(env, ids, reading.fields, async (some, sole) => {
    const { answer, bare } = await readForm(env, model, some, reading, { sole })
    if (answer instanceof Rendered) env.unit.shown.addText(answer.json.length)
    const rows = plainObjects(answer)
    env.unit.shown.add(rows.length * (reading.fields.length + 1))
    await env.unit.shown.expect(0)
    for (const row of rows) all.push(row)
    given = bare
  })
  return { rows: all, bare: given }
}

/**
 * Few records at once, as text that is written here; null where that takes objects. As `readForm`; `asked`:
 * what the records will be known by.
 */
export async function readListed(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
  asked: Asked | null,
): Promise<Listed | null> {
  const width = reading.fields.length + 1
  if (!isShort(ids.length) || ids.length * width > WHOLE_CELLS) return null
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const { statement, rest } = idsPlan(env, model, ids, reading, asked)
  const { short } = rest
  if (!short) return null
  const list = await written(env, statement, short, ids, true)
  if (!list) return readListed(env, model, ids, reading, asked)
  if (list.counted) throw hidden(env, model, 'read')
  env.unit.shown.add(ids.length * width)
  return list.answer
}

/** Values that are read in one go. */
const WHOLE_CELLS = 20_000

async function eachPiece(
  env: Environment,
  ids: readonly number[],
  fields: readonly FieldDef[],
  work: (some: readonly number[], sole: boolean) => Promise<void>,
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

/** Rows as they are given, and the relations that were to be expanded and are bare ids. */
interface Given {
  readonly answer: Rendered | WireRow[]
  readonly bare: readonly FieldDef[]
}

/**
 * Rows as PostgreSQL renders them, relations expanded where it can do that; `bare` are those that it cannot.
 * `sole`: nothing more is read; `asked`: what the records will be known by.
 */
async function readForm(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
  call: { readonly sole?: boolean; readonly asked?: Asked | null },
): Promise<Given> {
  const { sole = true, asked = null } = call
  if (ids.length === 0) return { answer: [], bare: [] }
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const { statement, rest } = idsPlan(env, model, ids, reading, asked)
  const { short, slow, bare } = rest
  if (short) {
    const list = await written(env, statement, short, ids, sole)
    if (!list) return readForm(env, model, ids, reading, call)
    if (list.counted) throw hidden(env, model, 'read')
    return { answer: list.answer, bare: [] }
  }
  const isLast = sole && slow.length === 0 && bare.length === 0
  const { json } = await renderedRows(env, model, statement, isLast)
  return { answer: await finish(env, json, slow, reading.form), bare }
}

function idsPlan(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
  asked: Asked | null,
): { readonly statement: Statement; readonly rest: Rest } {
  const { fields, form, tight } = reading
  const shape = `read ${model.name} ${fieldsShape(fields)} ${formShape(form)} ${sizeShape(ids)} ${tight} ${largeOnes()}`
  const make = (marked: boolean) => {
    const some = marked ? IDS_MARK : ids
    const named = { ids: some, most: ids.length }
    const made = isShort(ids.length) && shortByIds(env, model, named, (scope) => shortForm(scope, reading))
    if (made) return made
    const { from, columns, slow, bare, hiddenOnes } = byIds(env, model, some, reading)
    return {
      statement: sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text, ${hiddenOnes} FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
      rest: { short: null, slow, bare },
    }
  }
  return planned<Rest>(env, shape, idsValues(ids), make, asked)
}

/** What `read` is made of: the rows of the ids, their columns, and how many a rule hides. */
function byIds(env: Environment, model: ModelDef, ids: readonly number[], { fields, form }: Reading) {
  const scope = scopeOver(env, model)
  const { columns, slow, bare } = select(scope, fields, form)
  const rule = ruleOf(scope, model, 'read')
  const hiddenOnes = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : sql`0`
  const from = sql`unnest(${idList(ids)}) WITH ORDINALITY AS u(id, ord) JOIN ${scope.from()} ON ${scope.id} = u.id`
  return { columns, slow, bare, rule, hiddenOnes, from }
}

/** Rules are judged for all before the first row goes out, and once more while they do. */
async function longByIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  reading: Reading,
): Promise<Answer> {
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const { columns, slow, rule, hiddenOnes, from } = byIds(env, model, ids, reading)
  const judged = rule ? await env.query<[number]>(sql`SELECT ${hiddenOnes} FROM ${from}`) : []
  if ((judged[0]?.[0] ?? 0) > 0) throw hidden(env, model, 'read')
  const seen = rule ? sql` WHERE ${rule}` : sql``
  const rows = sql`${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${seen}`
  return long(env, { row: raw('r'), from: rows, order: raw('u.ord'), slow }, reading)
}
