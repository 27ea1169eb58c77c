// Values of records, read into the cache by one statement: of records by their ids, with what their links
// lead to, or of all records that a query gives.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import { idList, join, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToMany } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Row } from '../language/unit.ts'
import { isSharedByAll, variantOf } from '../row/cache-key.ts'
import { aboutValues, callerNumber, callerOf } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { linkedIdsSql } from './links.ts'
import { needsNoRecomputation } from './pending-fields.ts'
import { treeOf } from './tree.ts'

/** A value of the target of a link. */
export class TargetValue {
  readonly link: Value
  readonly field: FieldDef
  /** The path to the value. */
  readonly name: string

  constructor(link: Value, field: FieldDef) {
    this.link = link
    this.field = field
    this.name = `${link.name}.${field.name}`
  }
}

/** A value that comes with a record: its own, or that of the one record to which a link of it leads. */
export type Value = FieldDef | TargetValue

const fieldIn = (value: Value): FieldDef => (value instanceof TargetValue ? value.field : value)

const behindOf = oncePer((_: Value) => new Map<FieldDef, TargetValue>())

/** The value of a field of a link's target; each is one object, by which its place in a row is found. */
export function relatedValue(link: Value, field: FieldDef): TargetValue {
  const value = behindOf(link).get(field) ?? new TargetValue(link, field)
  behindOf(link).set(field, value)
  return value
}

/** The value as an expression. Throws Error for one that needs code. */
const valueSql = (scope: Scope, value: Value): Sql =>
  present(
    value instanceof TargetValue
      ? expressionOrNull(targetOf(scope, value.link), value.field)
      : expressionOrNull(scope, value),
  )

/** The row to which a link leads. */
const targetOf = (scope: Scope, link: Value): Scope =>
  link instanceof TargetValue ? targetOf(scope, link.link).join(link.field) : scope.join(link)

/** Where values stand in a row. */
type Places = ReadonlyMap<Value, number>

/** Adds places for values, and for the links that values are read through. */
function placesOf(values: readonly Value[], places = new Map<Value, number>()): Map<Value, number> {
  for (const value of values) {
    if (places.has(value)) continue
    if (value instanceof TargetValue) placesOf([value.link], places)
    places.set(value, places.size + 1)
  }
  return places
}

/** A query of the records whose values are read. */
interface Among {
  /** All that its text follows from besides the model. */
  readonly shape: string
  readonly values: readonly unknown[]
  /** The query of ids, of a fragment for each value. */
  readonly ids: (values: readonly Sql[]) => Sql
}

/** Gives the id and the values of each record; `ids`: what its id is compared with. */
function statementOf(
  env: Environment,
  model: ModelDef,
  places: Places,
  { shape, values, ids }: Among,
): Statement {
  let names = ''
  for (const { name } of places.keys()) names += `${name},`
  return aboutValues(env, `${shape} in ${model.name}: ${names}`, values, (all) => {
    const scope = scopeOver(env, model)
    const columns = [...places.keys()].map((value) => scope.cost.countedApart(() => valueSql(scope, value)))
    const from = sql`${join([scope.id, ...columns])} FROM ${scope.from()}`
    return sql`SELECT ${from} WHERE ${scope.id} ${ids(all)}`
  })
}

const byIds = (ids: Ids): Among => ({
  shape: 'load',
  values: [ids],
  ids: ([some]) => sql`= ANY(${idList(some ?? [])})`,
})

/** Where the cache has the values of a field for an environment. */
export const cachedValuesOf = (env: Environment, field: FieldDef): Map<number, unknown> =>
  env.unit.cache.of(field, variantOf(env, field))

/**
 * Puts the values of a row into the cache, unless it has them. Values of a reader go to the maps that it
 * looked into before the statement (`of`): the cache may have let go of these meanwhile.
 */
export function keeping(
  env: Environment,
  values: readonly Value[],
  places: Places,
  of?: ReadonlyMap<FieldDef, Map<number, unknown>>,
): (row: Row) => void {
  const columns = values.map((value) => ({
    field: fieldIn(value),
    cachedValues:
      (value instanceof TargetValue ? undefined : of?.get(value)) ?? cachedValuesOf(env, fieldIn(value)),
    record: value instanceof TargetValue ? present(places.get(value.link)) : 0,
    place: present(places.get(value)),
  }))
  return (row) => {
    for (const { field, cachedValues, record, place } of columns) {
      const id = row[record]
      if (typeof id === 'number' && !cachedValues.has(id))
        cachedValues.set(id, field.type.fromColumn(field, row[place]))
    }
  }
}

/** Puts into the cache what fields with an expression are, of the records that a query gives. */
export async function fillCache(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  { ids, ...among }: Among,
): Promise<void> {
  const places = placesOf(fields)
  const inQuery = { ...among, ids: (values: readonly Sql[]) => sql`IN (${ids(values)})` }
  const rows = await env.unit.run(statementOf(env, model, places, inQuery))
  const keep = keeping(env, fields, places)
  for (const row of rows) keep(row)
}

/**
 * Reads columns of the records that a query selects, as superuser, into the cache. Values that are
 * pending, or that have no SQL form, are left to the code that reads them.
 */
export async function readAmong(
  env: Environment,
  model: ModelName,
  names: readonly string[],
  among: Among,
): Promise<void> {
  const su = env.sudo()
  const def = su.def(model)
  if (!needsNoRecomputation(su, def, treeOf(names))) return
  const fields = names.map((name) => fieldOf(def, name)).filter((field) => hasExpression(su, field))
  await fillCache(su, def, fields, among)
}

/** Records whose reads are batched: more are a long list of ids to compare. */
const MOST = 200

/** Values to read of some records of a model. */
interface Batch {
  /** For whom: others join with fields that are the same for everybody. */
  env: Environment
  /** Whether some of the fields may be others for somebody else. */
  isOwn: boolean
  readonly places: Map<Value, number>
  readonly rows: Promise<readonly Row[]>
}

/** By unit, and by model and records. */
const waiting = new Slot<Map<string, Batch[]>>()

/** Rows that begin with the id, and where in them a value stands. */
interface Found {
  readonly rows: Promise<readonly Row[]>
  readonly places: Places
}

/**
 * Values that have an expression, of those of the records that there are. Reads of the same records in one
 * turn of the event loop are one statement.
 */
export function readValues(env: Environment, model: ModelDef, values: readonly Value[], ids: Ids): Found {
  if (ids.length > MOST) {
    const places = placesOf(values)
    return { rows: env.unit.run(statementOf(env, model, places, byIds(ids))), places }
  }
  const batches = waiting.obtain(env.unit, () => new Map())
  const key = `${model.name} ${ids.join()}`
  const others = batches.get(key) ?? []
  const isOwn = !values.every((value) => isSharedByAll(fieldIn(value)))
  let batch = others.find((other) => !(isOwn && other.isOwn) || isSameCaller(other.env, env))
  if (batch) {
    placesOf(values, batch.places)
    if (isOwn && !batch.isOwn) Object.assign(batch, { env, isOwn })
  } else {
    batch = batchOf(env, model, placesOf(values), isOwn, ids, () => batches.delete(key))
    batches.set(key, [...others, batch])
  }
  return batch
}

function isSameCaller(first: Environment, other: Environment): boolean {
  if (first === other) return true
  const caller = callerNumber(first)
  return caller !== null && caller === callerNumber(other)
}

/** Sent on the next tick, once all promises that are settled have registered their reads. */
function batchOf(
  env: Environment,
  model: ModelDef,
  places: Map<Value, number>,
  isOwn: boolean,
  ids: Ids,
  leaves: () => void,
): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>()
  const batch: Batch = { env, isOwn, places, rows: promise }
  process.nextTick(() => {
    leaves()
    try {
      env.unit.run(statementOf(batch.env, model, places, byIds(ids))).then(resolve, reject)
    } catch (error) {
      reject(error)
    }
  })
  return batch
}

// A field as a column of a statement that loads it.

/** Null for values that need code. */
export function expressionOrNull(scope: Scope, field: FieldDef): Sql | null {
  if (leadsToMany(field)) {
    const links = linkedIdsSql(scope, field)
    return links && sql`ARRAY(${links})`
  }
  return scope.value(field)
}

/** Whether a field has an expression, for who asks. */
export function hasExpression(env: Environment, field: FieldDef): boolean {
  if (field.column) return true
  const answers = callerOf(env)?.expressions
  const cachedAnswer = answers?.get(field)
  if (cachedAnswer !== undefined) return cachedAnswer
  const has = expressionOrNull(scopeOver(env, field.model), field) !== null
  answers?.set(field, has)
  return has
}
