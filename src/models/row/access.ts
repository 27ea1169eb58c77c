// The one place where rules meet records, for every path to data that names records by id.
import { present } from '../../kit/present.ts'
import { idList, literal, raw, type Sql, type Statement, settled, sql, TRUE } from '../../sql/index.ts'
import type { Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Operation } from '../language/rights.ts'
import type { Scope } from '../language/scope.ts'
import { assertModel, hiddenRecordsError, missingRecordsError } from '../rights/judge.ts'
import { ASSERTION_FAILED, failingIf, refusal, refusing } from '../unit/refusing.ts'
import { aboutRecords, aboutValues } from './plans.ts'
import { scopeOver } from './scope.ts'

/**
 * Throws AccessError when one of the records is hidden from the user, and MissingError when one is gone and
 * `missing` is 'refuse'. `last`: see `Unit.query`. Without rules in force nothing is asked and nothing is
 * missing (spec/wire.md section 9, "ids that do not exist").
 */
export async function assertRecords(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  operation: Operation,
  options: { readonly missing?: 'refuse' | 'skip'; readonly last?: boolean } = {},
): Promise<void> {
  assertModel(env, model, operation)
  if (env.su || ids.length === 0) return
  const seen = env.unit.authorized.of(env, model, operation)
  const unseen = [...new Set(ids)].filter((id) => !seen.has(id))
  if (unseen.length === 0) return
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule) return
  const rows = await env.query<[number, unknown]>(
    sql`SELECT ${scope.id}, ${rule} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(unseen)})`,
    options.last,
  )
  if (rows.some((row) => row[1] !== true)) throw hiddenRecordsError(env, model, operation)
  if (rows.length < unseen.length && options.missing === 'refuse')
    throw missingRecordsError(
      model,
      unseen,
      rows.map(([id]) => id),
    )
  for (const row of rows) seen.add(row[0])
}

/** Violations for records that are named by id, by the number that a check returns. */
const HIDDEN = 1
const GONE = 2

/**
 * As `assertRecords`, sent before the statements that it guards and not awaited (`Unit.check`): nothing
 * that the call does lasts if it fails. `missing`: as there, or the error for records that are gone,
 * whether or not rules are in force.
 */
export async function guardRecords(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  operation: Operation,
  missing?: 'refuse' | (() => Error),
): Promise<void> {
  assertModel(env, model, operation)
  if (ids.length === 0 || (env.su && typeof missing !== 'function')) return
  const seen = env.unit.authorized.of(env.su ? SUPERUSER : env, model, operation)
  const unseen = [...new Set(ids)].filter((one) => !seen.has(one))
  if (unseen.length === 0) return
  const strict = typeof missing === 'function' ? 'always' : missing
  const guard: Guard = { env, model, operation, strict }
  if (!assertedFirst(guard, unseen)) {
    const statement = statementOf(guard, unseen)
    if (!statement) return
    env.unit.buffer.post(statement, (wrong) => {
      if (wrong === HIDDEN) return hiddenRecordsError(env, model, operation)
      // Which of several it is, PostgreSQL does not say.
      return typeof missing === 'function'
        ? missing()
        : missingRecordsError(model, unseen.length === 1 ? unseen : [])
    })
  }
  for (const unseenId of unseen) seen.add(unseenId)
}

/** The key of a check without rules: it has found that records exist, and no more. */
const SUPERUSER = { uid: 0, companyIds: [] }

interface Guard {
  readonly env: Environment
  readonly model: ModelDef
  readonly operation: Operation
  /** When records that are gone are refused: where rules are in force, or always. */
  readonly strict: 'refuse' | 'always' | undefined
}

/**
 * Whether an optimistic assertion says that nothing is wrong with the only one of them, in one statement
 * with the check of the credential; after a failure the call is repeated, and refused with the reason.
 */
function assertedFirst(guard: Guard, [onlyId = 0, ...more]: Ids): boolean {
  const { env, strict } = guard
  if (more.length || !strict || !env.unit.credential.mayAssertFirst) return false
  const column = aboutValues(env, `${shapeOf(guard)} asserted`, [onlyId], ([id]) => {
    const seen = seenOne(guard, present(id))
    return seen && sql`(CASE WHEN ${seen} THEN '0' ELSE ${refusal(ASSERTION_FAILED)} END)::int`
  })
  if (!column || column.each) return false
  return env.unit.credential.assert({ column: column.text, values: column.values, refused: () => undefined })
}

/** A statement that fails for records that are hidden or gone; null where nothing can be wrong with them. */
function statementOf(guard: Guard, ids: Ids): Statement | null {
  const [firstId = 0] = ids
  return ids.length === 1
    ? aboutValues(guard.env, `${shapeOf(guard)} one`, [firstId], ([id]) => wrongOne(guard, present(id)))
    : aboutRecords(guard.env, shapeOf(guard), ids, (some) => wrongAmong(guard, some))
}

const shapeOf = ({ model, operation, strict }: Guard) => `guard ${model.name} ${operation} ${strict}`

/**
 * Whether a record may be seen, NULL where it does not exist; null where nothing can be wrong with it.
 * Nothing is counted: that would cost twice as much.
 */
function seenOne({ env, model, operation, strict }: Guard, id: Sql): Sql | null {
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule && strict !== 'always') return null
  return sql`(SELECT (${rule ?? TRUE}) IS TRUE FROM ${scope.from()} WHERE ${scope.id} = ${id}::int)`
}

function wrongOne(guard: Guard, id: Sql): Sql | null {
  const seen = seenOne(guard, id)
  const absent = guard.strict ? refusal(GONE) : literal('0')
  return (
    seen &&
    sql`SELECT (CASE WHEN v.seen THEN '0' WHEN v.seen IS NULL THEN ${absent} ELSE ${refusal(HIDDEN)} END)::int
    FROM (SELECT ${seen} AS seen OFFSET 0) AS v`
  )
}

function wrongAmong({ env, model, operation, strict }: Guard, ids: Sql): Sql | null {
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule && strict !== 'always') return null
  const where = sql`WHERE ${scope.id} = ANY(${ids})`
  if (!strict)
    return refusing(
      sql`SELECT ${raw(String(HIDDEN))} FROM ${scope.from()} ${where} AND (${rule}) IS NOT TRUE`,
    )
  const hidden = rule ? sql`count(*) FILTER (WHERE (${rule}) IS NOT TRUE)` : raw('0')
  const wrong = sql`CASE WHEN v.hidden > 0 THEN ${raw(String(HIDDEN))} ELSE ${raw(String(GONE))} END`
  return sql`SELECT ${failingIf(wrong)}
    FROM (SELECT ${hidden} AS hidden, count(*) AS there FROM ${scope.from()} ${where}) AS v
    WHERE v.hidden > 0 OR v.there < cardinality(${ids})`
}

// Record rules as conditions over a row: the one place where they join a query (spec/wire.md section 9).

/**
 * The rules of `operation` on a model as a condition over `scope`, or null when none hold. They are judged as
 * the superuser: rules hide nothing from each other.
 */
export function ruleOf(scope: Scope, model: ModelDef, operation: Operation): Sql | null {
  const { env } = scope
  const rules = env.su ? null : env.unit.rights.rules(env, model, operation)
  const condition = rules && env.unit.registry.engine.condition(scope.privileged(), rules)
  return condition && settled(condition)
}

/** Whether the rules of `operation` compare with the clock, and so hold for this moment alone. */
export const isMomentary = (env: Environment, model: ModelDef, operation: Operation): boolean =>
  ruleOf(scopeOver(env, model), model, operation)?.compile().momentary === true
