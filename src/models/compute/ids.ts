// Ids of records that are not there yet: drawn for one model, or reserved for all that a call will make.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import { literal, raw, type Sql, type Statement, sql } from '../../sql/index.ts'
import { noteUndefined } from '../changes/log.ts'
import type { ModelName } from '../contract/names.ts'
import type { Question } from '../language/deferred.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Unit } from '../language/unit.ts'
import { aboutValues } from '../row/plans.ts'
import { ASSERTION_FAILED, refusal } from '../unit/refusing.ts'

const idsFor = (env: Environment, model: ModelDef, count: number | Sql) =>
  sql`SELECT ${raw(nextOf(env, model))} FROM generate_series(1, (SELECT ${count}::int))`

const oneId = (env: Environment, model: ModelDef): string => `nextval(${sequenceOf(env, model)})::int`

/** An id, negative where a query without values gives rows. */
const signed = (id: string, query: Statement | null): string =>
  query ? `CASE WHEN EXISTS(${query.text}) THEN -${id} ELSE ${id} END` : id

async function drawOne(env: Environment, model: ModelDef, query: Statement | null): Promise<number> {
  const first = singleIdQuestion(env, model, (id) => signed(id, query))
  if (!first) return (await env.unit.credential.ask(questionForId(env, model, query))) as number
  const [id, sequence] = (await env.unit.credential.ask(first)) as [string, string]
  noteSequence(env, model, sequence)
  return Number(id)
}

/** Ids for `count` records to be inserted, in ascending order; those that were reserved, where these do. */
export async function allocateIds(env: Environment, model: ModelDef, count: number): Promise<number[]> {
  if (hasReserved(env, model, count)) {
    await drawPlannedIds(env)
    return reservedOf(env).get(model)?.splice(0, count) ?? []
  }
  if (count === 1) return [await drawOne(env, model, null)]
  const rows = await env.unit.run<[number]>(
    aboutValues(env, `ids of ${model.name} by ${sequenceOf(env, model)}`, [count], ([wanted]) =>
      idsFor(env, model, wanted ?? count),
    ),
  )
  return rows.map((row) => row[0]).sort((a, b) => a - b)
}

/**
 * As `allocateIds`, and whether a query, which has no values, gives rows: one statement for both, as a
 * statement more costs as much as its answer. `count` ids are drawn.
 */
export async function allocateAndQuery(
  env: Environment,
  model: ModelDef,
  count: number,
  query: Statement,
): Promise<readonly [ids: number[], isFound: boolean]> {
  const { text } = query
  if (count === 1) {
    const drawn = await drawOne(env, model, query)
    return [[Math.abs(drawn)], drawn < 0]
  }
  const rows = await env.unit.run<[number, boolean]>(
    aboutValues(env, `ids of ${model.name} by ${sequenceOf(env, model)} and ${text}`, [count], ([wanted]) => {
      const ids = idsFor(env, model, wanted ?? count)
      return sql`SELECT i.id, EXISTS(${raw(text)}) FROM (${ids}) AS i(id)`
    }),
  )
  return [rows.map((row) => row[0]).sort((a, b) => a - b), rows[0]?.[1] === true]
}

/** The question for one id, negative where `definitions`, a query without values, returns rows. */
const questionForId = (env: Environment, model: ModelDef, definitions: Statement | null): Question => ({
  column: definitions
    ? `(SELECT ${signed('i.id', definitions)} FROM (SELECT ${oneId(env, model)}) AS i(id))`
    : oneId(env, model),
  values: [],
})

/** The id of a new row in its INSERT; fails (`ASSERTION_FAILED`) where the query gives rows. */
export const deferredId = (env: Environment, model: ModelDef, definitions: Statement | null): string =>
  definitions
    ? `(CASE WHEN EXISTS(${definitions.text}) THEN ${refusal(ASSERTION_FAILED).compile().text} ELSE ${oneId(env, model)}::text END)::int`
    : oneId(env, model)

/** The next of several ids; a sequence that is looked for is looked for once. */
const nextOf = (env: Environment, model: ModelDef): string =>
  `nextval((SELECT ${sequenceOf(env, model)}))::int`

const reserved = new Slot<Map<ModelDef, number[]>>()

const reservedOf = ({ unit }: Environment) => reserved.obtain(unit, () => new Map())

/** Whether ids for that many records of a model were reserved, or will be with those of others. */
export const hasReserved = (env: Environment, model: ModelDef, count: number): boolean =>
  (reserved.get(env.unit)?.get(model)?.length ?? 0) + (foreseen.get(env.unit)?.get(model)?.count ?? 0) >=
  count

/** Ids of a model that were reserved, at once; null where there are not that many, or others are drawn first. */
export function takeReserved(env: Environment, model: ModelDef, count: number): number[] | null {
  const drawnIds = reserved.get(env.unit)?.get(model)
  if (!drawnIds || drawnIds.length < count || foreseen.get(env.unit)?.size) return null
  return drawnIds.splice(0, count)
}

/** Number of ids of a model that will be needed, and the query for property definitions. */
export interface Foreseen {
  readonly count: number
  readonly definitions: Statement | null
}

const foreseen = new Slot<Map<ModelDef, Foreseen>>()

/** Says what ids will be needed: they are drawn together when the first of them is. */
export function planIds({ unit }: Environment, wanted: ReadonlyMap<ModelDef, Foreseen>): void {
  foreseen.set(unit, new Map(wanted))
}

/** Whether ids of a model are going to be drawn together with others. */
export const hasPlannedIds = ({ unit }: Environment, model: ModelDef): boolean =>
  (foreseen.get(unit)?.get(model)?.count ?? 0) > 0

/** A record that was foreseen needs no id of those. */
export function skipPlannedId({ unit }: Environment, model: ModelDef): void {
  const all = foreseen.get(unit)
  const demand = all?.get(model)
  if (demand) all?.set(model, { ...demand, count: demand.count - 1 })
}

/** Draws what was foreseen, if that has not been done, and asks whether there are property definitions. */
export async function drawPlannedIds(env: Environment): Promise<void> {
  const { unit } = env
  const wanted = [...(foreseen.get(unit) ?? [])].filter(([, { count }]) => count > 0)
  if (wanted.length === 0) return
  foreseen.set(unit, new Map())
  const existence = wanted.map(([, { definitions }]) =>
    definitions ? `EXISTS(${definitions.text})::int` : '0',
  )
  const counts = wanted.map(([model, { count }]) => [model, count] as const)
  const isDefined = await drawTogether(env, counts, existence)
  for (const [i, [, { definitions }]] of wanted.entries())
    if (definitions && !isDefined[i]) noteUndefined(unit, definitions)
}

/**
 * Draws ids of several models, which are reserved then, and asks for numbers that expressions without values
 * give (`ahead`): all in one statement, with the credential's check where that has not left.
 */
async function drawTogether(
  env: Environment,
  wanted: readonly (readonly [model: ModelDef, count: number])[],
  ahead: readonly string[],
): Promise<Ids> {
  const models = wanted.map(([model]) => model)
  const ids = models.map(
    (model, n) => `ARRAY(SELECT ${nextOf(env, model)} FROM generate_series(1, (SELECT $${n + 1}::int)))`,
  )
  const numbers = `(${[...(ahead.length ? [`ARRAY[${ahead.join(', ')}]`] : []), ...ids].join(' || ')})`
  const unnamed = withoutSequenceName(env, models)
  const answer = (await env.unit.credential.ask({
    column: unnamed.length ? `(${numbers}::text[] || ${namesOf(unnamed)})` : numbers,
    values: wanted.map(([, count]) => count),
  })) as readonly (number | string)[]
  if (unnamed.length) noteNames(env, unnamed, answer.slice(answer.length - unnamed.length) as string[])
  const drawn = answer.slice(0, answer.length - unnamed.length).map(Number)
  let next = ahead.length
  for (const [model, count] of wanted) {
    const fresh = drawn.slice(next, next + count).toSorted((a, b) => a - b)
    reservedOf(env).set(model, [...(reservedOf(env).get(model) ?? []), ...fresh])
    next += count
  }
  return drawn.slice(0, ahead.length)
}

const noteNames = (env: Environment, models: readonly ModelDef[], names: readonly string[]): void => {
  for (const [n, model] of models.entries()) noteSequence(env, model, present(names[n]))
}

/**
 * Draws ids for records of several models that the call is about to create, in one statement, so that
 * their INSERTs can be buffered. Unused ids leave gaps, as after a rollback.
 */
export function reserveIds(env: Environment, counts: ReadonlyMap<ModelName, number>): Promise<void> {
  return reserveIdsOf(env, new Map([...counts].map(([name, count]) => [env.def(name), count])))
}

/** Ids that the next `create` of `count` records of a model takes, in its order, after `reserveIds`. */
export function reservedIds(env: Environment, name: ModelName, count: number): Ids {
  const ids = (reserved.get(env.unit)?.get(env.def(name)) ?? []).slice(0, count)
  if (ids.length < count) throw new Error(`Reserve ${count} ids of ${name} before asking for them.`)
  return ids
}

async function reserveIdsOf(env: Environment, counts: ReadonlyMap<ModelDef, number>): Promise<void> {
  const wanted = [...counts].filter(([, count]) => count > 0)
  if (wanted.length) await drawTogether(env, wanted, [])
}

// Names of the sequences of ids: a look-up by table costs PostgreSQL a twentieth of the creation of a
// contact, and is done once for a database and its models. Names and not object ids: those differ once a
// database was moved to another server with the same address.

/** As expressions, by database and model: a table that is made anew comes with other models. */
const sequencesIn = oncePer((_database: object) => new WeakMap<ModelDef, string>())

const sequenceNameOf = ({ database }: Pick<Unit, 'database'>, model: ModelDef): string | undefined =>
  sequencesIn(database).get(model)

/** A model's sequence, as an expression. */
export const sequenceOf = ({ unit }: Pick<Environment, 'unit'>, model: ModelDef): string =>
  sequenceNameOf(unit, model) ?? `${searched(model)}::regclass`

const searched = ({ table }: ModelDef): string =>
  sql`pg_get_serial_sequence(${literal(`"${table}"`)}, 'id')`.compile().text

/**
 * The question for one id and the name of its sequence, as texts; null where that is known. `shown`: the
 * expression of the id.
 */
export function singleIdQuestion(
  { unit }: Environment,
  model: ModelDef,
  shown: (id: string) => string,
): Question | null {
  if (sequenceNameOf(unit, model) !== undefined) return null
  const sequenceName = `(SELECT ${searched(model)} AS name OFFSET 0) AS s`
  const drawn = `(SELECT nextval(s.name::regclass), s.name FROM ${sequenceName}) AS i(id, name)`
  return { column: `(SELECT ARRAY[(${shown('i.id')})::text, i.name] FROM ${drawn})`, values: [] }
}

/** Those of some models whose sequences are not known by name. */
export const withoutSequenceName = (
  { unit }: Environment,
  models: readonly ModelDef[],
): readonly ModelDef[] => models.filter((model) => sequenceNameOf(unit, model) === undefined)

export const namesOf = (models: readonly ModelDef[]): string => `ARRAY[${models.map(searched).join(', ')}]`

/** Keeps a name as PostgreSQL returned it. */
export function noteSequence({ unit: { database } }: Environment, model: ModelDef, name: string): void {
  sequencesIn(database).set(model, `${literal(name).compile().text}::regclass`)
}
