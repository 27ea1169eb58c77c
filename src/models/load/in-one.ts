// Reads of the same records that are asked for in one turn of the event loop are one statement, which is
// composed once for a caller and a set of values.
import { Slot } from '../../kit/slot.ts'
import { join, type Statement, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Row } from '../language/unit.ts'
import { isOneForAll } from '../row/held.ts'
import { aboutRecords, callerNumber } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { isBehind, linkedValue, type Value, valueSql } from './joined.ts'

/** Records of which reads are put together: more are a long list of ids to compare. */
const MOST = 200

/** What is asked of some records of a model so far. */
interface Asked {
  /** For whom: others join with fields that are the same for everybody. */
  env: Environment
  /** Whether some of the fields may be others for somebody else. */
  isOwn: boolean
  /** Where a value stands in a row. */
  readonly places: Map<Value, number>
  readonly rows: Promise<readonly Row[]>
}

/** By unit, and by model and records. */
const waiting = new Slot<Map<string, Asked[]>>()

/** Rows that begin with the id, and where in them a value stands. */
export interface Found {
  readonly rows: Promise<readonly Row[]>
  readonly places: ReadonlyMap<Value, number>
}

/** Values that have an expression, of those of the records that there are. */
export function readInOne(
  env: Environment,
  model: ModelDef,
  values: readonly Value[],
  ids: readonly number[],
): Found {
  if (ids.length > MOST) {
    const places = placesOf(values)
    return { rows: env.unit.run(statementOf(env, model, places, ids)), places }
  }
  let own = waiting.get(env.unit)
  if (!own) {
    own = new Map()
    waiting.set(env.unit, own)
  }
  const key = `${model.name} ${ids.join()}`
  const before = own.get(key)
  const isOwn = !values.every((value) => isOneForAll(linkedValue(value)))
  let asked = before?.find((one) => !(isOwn && one.isOwn) || isSameCaller(one.env, env))
  if (asked) {
    placesOf(values, asked.places)
    if (isOwn && !asked.isOwn) Object.assign(asked, { env, isOwn })
  } else {
    asked = ask(env, model, values, isOwn, ids, () => own.delete(key))
    if (before) before.push(asked)
    else own.set(key, [asked])
  }
  return asked
}

function isSameCaller(one: Environment, other: Environment): boolean {
  if (one === other) return true
  const caller = callerNumber(one)
  return caller !== null && caller === callerNumber(other)
}

/** Puts values behind those that have a place; with what comes behind a link, the link. */
function placesOf(values: readonly Value[], places = new Map<Value, number>()): Map<Value, number> {
  for (const value of values) {
    if (places.has(value)) continue
    if (isBehind(value)) placesOf([value.link], places)
    places.set(value, places.size + 1)
  }
  return places
}

/** Leaves when whatever goes on by promises that are settled has asked for what it needs. */
function ask(
  env: Environment,
  model: ModelDef,
  values: readonly Value[],
  isOwn: boolean,
  ids: readonly number[],
  leaves: () => void,
): Asked {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>()
  const asked: Asked = { env, isOwn, places: placesOf(values), rows: promise }
  process.nextTick(() => {
    leaves()
    try {
      env.unit.run(statementOf(asked.env, model, asked.places, ids)).then(resolve, reject)
    } catch (error) {
      reject(error)
    }
  })
  return asked
}

function statementOf(
  env: Environment,
  model: ModelDef,
  places: ReadonlyMap<Value, number>,
  ids: readonly number[],
): Statement {
  let shape = ''
  for (const value of places.keys()) shape += isBehind(value) ? `${value.text},` : `${value.name},`
  return aboutRecords(env, `load ${model.name} ${shape}`, ids, (some) => {
    const scope = scopeOver(env, model)
    const columns = [...places.keys()].map((value) => scope.tally.apart(() => valueSql(scope, value)))
    return sql`SELECT ${join([scope.id, ...columns])} FROM ${scope.from()} WHERE ${scope.id} = ANY(${some})`
  })
}
