// Columns of records that a query gives, read before anybody knows which records these are: whoever asks for
// them next finds them.
import { join, type Sql, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import { aboutValues, fieldsShape } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { columnsIn, fill } from './ahead.ts'
import { hasExpression } from './expressions.ts'
import { isQuiet } from './needed.ts'
import { treeOf } from './tree.ts'

/** A query of ids. */
export interface Among {
  /** What its text follows from besides the model. */
  readonly shape: string
  readonly values: readonly unknown[]
  /** The query, of a fragment for each value. */
  readonly ids: (values: readonly Sql[]) => Sql
}

/**
 * Reads columns of the records that a query gives, as the superuser sees them. It only fills the cache: what
 * has to be computed before, or has no expression, is left to whoever asks for it.
 */
export async function readAmong(
  env: Environment,
  model: ModelName,
  names: readonly string[],
  { shape, values, ids }: Among,
): Promise<void> {
  const su = env.sudo()
  const def = su.def(model)
  if (!isQuiet(su, def, treeOf(names))) return
  const fields = names.map((name) => fieldOf(def, name)).filter((field) => hasExpression(su, field))
  const whole = `among ${model} ${shape}: ${fieldsShape(fields)}`
  const statement = aboutValues(su, whole, values, (all) => {
    const scope = scopeOver(su, def)
    return sql`SELECT ${join(columnsIn(scope, fields))} FROM ${scope.from()} WHERE ${scope.id} IN (${ids(all)})`
  })
  await fill(su, statement, fields)
}
