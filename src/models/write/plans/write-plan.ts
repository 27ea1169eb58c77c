// Plans of writes: what follows from the shape of the values, worked out once for a caller.

import { idList, join, literal, raw, type Sql, sql } from '../../../sql/index.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { Question } from '../../language/flush-parts.ts'
import type { Scope } from '../../language/scope.ts'
import type { Destination } from '../../row/destinations.ts'
import { isMomentary, ruleOf } from '../../row/rule.ts'
import { scopeOver } from '../../row/scope.ts'
import { prepareVals } from '../../row/values.ts'
import { ASSERTION_FAILED, refusal } from '../../unit/refusing.ts'
import { recordsIn } from '../update.ts'
import { leads } from '../write.ts'
import { columnFor, type Vals } from './shape.ts'

export interface WritePlan {
  /** Of all values once the model prepared them, by name: columns. */
  readonly destinations: ReadonlyMap<string, Destination>
  /**
   * The questions about one record and about several; null where no module has any: `guardRecords` is
   * enough.
   */
  readonly one: Questions | null
  readonly many: Questions | null
}

/** Whether the caller may write the records and no module is concerned by them, in two forms. */
interface Questions {
  /** Gives 0 if so. */
  readonly question: (ids: readonly number[]) => Question
  /** Fails if not. */
  readonly assertion: (ids: readonly number[]) => Question
}

/** The plan for values of this shape; null where more follows from them than the columns. */
export function writePlan(
  env: Environment,
  model: ModelDef,
  vals: Vals,
  ids: readonly number[],
): WritePlan | null {
  const names = new Set(Object.keys(vals))
  const rows: ((scope: Scope) => Sql)[] = []
  for (const concerns of model.concerns.write) {
    const concerned = concerns(names, env)
    if (concerned === true) return null
    if (concerned) rows.push(concerned)
  }
  const destinations = model.hasTable ? independentColumns(env, model, prepared(env, model, vals, ids)) : null
  if (!destinations) return null
  if (rows.length && isMomentary(env, model, 'write')) return null
  const questions = (isOne: boolean) => (rows.length ? questionsFor(env, model, rows, isOne) : null)
  return { destinations, one: questions(true), many: questions(false) }
}

/** The values as the model prepares them. */
export function prepared(
  env: Environment,
  model: ModelDef,
  vals: Vals,
  ids: readonly number[],
): Record<string, unknown> {
  const copy = { ...vals }
  prepareVals(env, model, copy, ids)
  return copy
}

/** Null where a computed field, a check or another record depends on one of them. */
function independentColumns(env: Environment, model: ModelDef, vals: Vals): WritePlan['destinations'] | null {
  const { triggers } = env.unit.registry
  const looked = new Set(
    model.checks.flatMap(({ rule }) => rule.depends.map((path) => path.split('.', 1)[0])),
  )
  const destinations = new Map<string, Destination>()
  for (const name of Object.keys(vals)) {
    const destination = columnFor(env, model, name)
    if (!destination) return null
    const { field } = destination
    if (field.compute || leads(field) || triggers.has(field) || looked.has(name)) return null
    destinations.set(name, destination)
  }
  return destinations.size ? destinations : null
}

function questionsFor(
  env: Environment,
  model: ModelDef,
  rows: readonly ((scope: Scope) => Sql)[],
  isOne: boolean,
): Questions {
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, 'write')
  const mark: readonly number[] = []
  const count: readonly number[] = []
  const stands = rows.map((concerned) => sql`(${concerned(scope)}) IS NOT FALSE`)
  const wrong = join([...(rule ? [sql`(${rule}) IS NOT TRUE`] : []), ...stands], ' OR ')
  // One record is not counted, which costs twice as much.
  const areRight = isOne
    ? sql`(SELECT NOT (${wrong}) FROM ${scope.from()} WHERE ${scope.id} = ${mark}::int)`
    : sql`(SELECT count(*) FILTER (WHERE ${wrong}) = 0 AND count(*) >= ${count}::int FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(mark)}))`
  const questionOf = (right: Sql, otherwise: Sql) => {
    const { text, values } = sql`(CASE WHEN ${areRight} THEN ${right} ELSE ${otherwise} END)::int`.compile()
    return (some: readonly number[]) => ({
      column: text,
      values: values.map((value) =>
        value === mark ? recordsIn(some) : value === count ? some.length : value,
      ),
    })
  }
  return {
    question: questionOf(raw('0'), raw('1')),
    assertion: questionOf(literal('0'), refusal(ASSERTION_FAILED)),
  }
}
