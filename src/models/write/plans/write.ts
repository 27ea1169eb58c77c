// Writes by a cached plan: of plain values on which nothing depends. The question whether the caller may
// write the records asks modules too whether the write concerns them (docs/notes/writes.md, 72).
import { idList, join, literal, raw, type Sql, sql } from '../../../sql/index.ts'
import { noteChange } from '../../changes/note.ts'
import type { Question } from '../../language/deferred.ts'
import type { Change, Ids, LooseVals, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { Scope } from '../../language/scope.ts'
import { guardRecords, isMomentary, ruleOf } from '../../row/access.ts'
import type { Destination } from '../../row/destinations.ts'
import { type Cached, cached, isSameValue, planCache } from '../../row/plans.ts'
import { scopeOver } from '../../row/scope.ts'
import { prepareVals, spendTexts, weightOf } from '../../row/values.ts'
import { ASSERTION_FAILED, refusal } from '../../unit/refusing.ts'
import { recordsIn, update } from '../update.ts'
import { leads } from '../write.ts'
import { bytesOfPlan, type Columns, columnFor, columnsFor, hooksOf, MOST_TEXT, shapeKey } from './shape.ts'

/** Records of a write: more take the general path. */
const MOST_RECORDS = 100

/** Attempts to learn a shape whose write concerned a module: the records may have been the reason. */
const MOST_TRIES = 3

/** Writes of a shape that take the general path after one concerned a module. */
const BELIEVED = 20

/** An entry of the plan cache. */
interface Shape extends Cached {
  /** Null until the general path did what a plan would do; after `MOST_TRIES` for good. */
  readonly plan: WritePlan | null
  readonly tries: number
  /** Writes that take the general path. */
  left: number
}

/** By the plan of the shape, or on the general path (`whole`); only for a unit that read nothing. */
export async function writePlanned(
  env: Environment,
  model: ModelDef,
  { ids, vals }: Change,
  whole: () => Promise<void>,
): Promise<void> {
  const key = ids.length && ids.length <= MOST_RECORDS ? shapeKey(env, model, 'write', vals) : null
  const shape = key === null ? undefined : cached<Shape>(key)
  if (key === null || (shape && !shape.plan && shape.tries >= MOST_TRIES)) return whole()
  if (shape?.plan) {
    if (shape.left-- > 0) return whole()
    const refused = () => {
      shape.left = BELIEVED
    }
    if (await write(shape.plan, env, model, { ids, vals: vals as LooseVals, refused })) {
      shape.left = 0
      return
    }
    shape.left = BELIEVED
    return whole()
  }
  const hooks = hooksOf(env)
  const isFirst = !env.unit.changes?.length
  await whole()
  if (isFirst && hooksOf(env) === hooks && env.unit.recomputation.pending.size === 0)
    learn(key, env, model, vals as LooseVals, ids)
}

/**
 * The columns of the values; null where they take the general path. So do values that do not fit: it
 * reports first that the caller may not write the records.
 */
function fittingColumns(
  { destinations }: WritePlan,
  env: Environment,
  model: ModelDef,
  { ids, vals }: { readonly ids: Ids; readonly vals: LooseVals },
): Columns | null {
  try {
    const columns = columnsFor(destinations, prepared(env, model, vals, ids))
    return columns && weightOf({ columns }) * ids.length <= MOST_TEXT ? columns : null
  } catch {
    return null
  }
}

/** False where the records or the values take the general path, and nothing is done. */
async function write(
  plan: WritePlan,
  env: Environment,
  model: ModelDef,
  { ids, vals, refused }: { readonly ids: Ids; readonly vals: LooseVals; refused(): void },
): Promise<boolean> {
  const { unit } = env
  const columns = fittingColumns(plan, env, model, { ids, vals })
  if (!columns) return false
  const questions = ids.length === 1 ? plan.one : plan.many
  if (questions) {
    const isAsserted = unit.credential.assert({ ...questions.assertion(ids), refused })
    if (!isAsserted && (await unit.credential.ask(questions.question(ids))) !== 0) return false
  } else await guardRecords(env, model, ids, 'write', 'refuse')
  spendTexts(env, { columns }, ids.length)
  const fields = [...columns.keys()]
  noteChange(env, model, 'u', ids, fields)
  update(env, model, ids, { columns })
  if (unit.insertions.has(model.table)) unit.cache.forgetWritten(model, fields, ids)
  unit.authorized.forget()
  return true
}

/** Keeps the plan of a shape if the general path reported this change alone. */
function learn(key: string, env: Environment, model: ModelDef, vals: LooseVals, ids: Ids): void {
  const plan = writePlan(env, model, vals, ids)
  const changes = env.unit.changes?.rows() ?? []
  const [only] = changes
  const names = (fields: readonly string[]) => fields.toSorted().join()
  const isAlone =
    changes.length === 0 ||
    (changes.length === 1 &&
      only?.op === 'u' &&
      only.model === model.name &&
      isSameValue(
        only.ids,
        ids.toSorted((a, b) => a - b),
      ) &&
      names(only.fields) === names([...(plan?.destinations.keys() ?? [])]))
  const tries = plan ? (cached<Shape>(key)?.tries ?? 0) + 1 : MOST_TRIES
  const bytes = bytesOfPlan(plan?.destinations.size ?? 0)
  const shape: Shape = { plan: isAlone ? plan : null, tries, left: 0, bytes }
  planCache.set(key, shape)
}

export interface WritePlan {
  /** Of all values once the model prepared them, by name: columns. */
  readonly destinations: ReadonlyMap<string, Destination>
  /** About one record and about several; null where no module has any: `guardRecords` is enough. */
  readonly one: Questions | null
  readonly many: Questions | null
}

/** Whether the caller may write the records and no module is concerned by them, in two forms. */
interface Questions {
  /** Gives 0 if so. */
  readonly question: (ids: Ids) => Question
  /** Fails if not. */
  readonly assertion: (ids: Ids) => Question
}

/** The plan for values of this shape; null where more follows from them than the columns. */
export function writePlan(env: Environment, model: ModelDef, vals: LooseVals, ids: Ids): WritePlan | null {
  const names = new Set(Object.keys(vals))
  const rows: ((scope: Scope) => Sql)[] = []
  for (const concerns of model.hooks.concerns.write) {
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

export function prepared(
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
  ids: Ids,
): Record<string, unknown> {
  const copy = { ...vals }
  prepareVals(env, model, copy, ids)
  return copy
}

/** Null where a computed field, a check or another record depends on one of them. */
function independentColumns(
  env: Environment,
  model: ModelDef,
  vals: LooseVals,
): WritePlan['destinations'] | null {
  const { triggers } = env.unit.registry
  const looked = new Set(
    model.hooks.checks.flatMap(({ rule }) => rule.depends.map((path) => path.split('.', 1)[0])),
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
    return (some: Ids) => ({
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
