// Reads of the same records that are asked for in one turn of the event loop are one statement.
import { idList, join, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Scope } from '../language/scope.ts'
import type { Row, Unit } from '../language/unit.ts'

/** Records of which reads are put together: more are a long list of ids to compare. */
const MOST = 200

/** What is asked of some records of a model so far. */
interface Asked {
  readonly expressions: Sql[]
  /** The scope that joined other tables, if one did: two would do it under the same names. */
  scope: Scope
  readonly rows: Promise<readonly Row[]>
}

const waiting = new WeakMap<Unit, Map<string, Asked>>()

/** Rows of ids and values; those of this reader begin at `first`. */
export interface Found {
  readonly rows: readonly Row[]
  readonly first: number
}

/** Values of expressions over the scope's row, of those of the records that there are. */
export async function readInOne(
  env: Environment,
  scope: Scope,
  expressions: readonly Sql[],
  ids: readonly number[],
): Promise<Found> {
  if (ids.length > MOST) return { rows: await env.query(statementOf(scope, expressions, ids)), first: 1 }
  const own = waiting.get(env.unit) ?? new Map<string, Asked>()
  waiting.set(env.unit, own)
  const key = `${scope.model.name} ${scope.alias} ${ids.join()}`
  let asked = own.get(key)
  if (!asked || (asked.scope.joined && scope.joined)) {
    asked = ask(env, scope, ids, () => own.delete(key))
    own.set(key, asked)
  }
  const first = asked.expressions.length + 1
  asked.expressions.push(...expressions)
  if (scope.joined) asked.scope = scope
  return { rows: await asked.rows, first }
}

/** Leaves when whatever goes on by promises that are settled has asked for what it needs. */
function ask(env: Environment, scope: Scope, ids: readonly number[], leaves: () => void): Asked {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>()
  const asked: Asked = { expressions: [], scope, rows: promise }
  process.nextTick(() => {
    leaves()
    env.query(statementOf(asked.scope, asked.expressions, ids)).then(resolve, reject)
  })
  return asked
}

const statementOf = (scope: Scope, expressions: readonly Sql[], ids: readonly number[]): Sql =>
  sql`SELECT ${join([scope.id, ...expressions])} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(ids)})`
