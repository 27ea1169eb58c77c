// Columns of records that a query gives, read before anybody knows which records these are: whoever asks for
// them next finds them.
import type { ModelName } from '../contract/names.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import { type Among, fill } from './ahead.ts'
import { hasExpression } from './expressions.ts'
import { isQuiet } from './needed.ts'
import { treeOf } from './tree.ts'

/**
 * Reads columns of the records that a query gives, as the superuser sees them. It only fills the cache: what
 * has to be computed before, or has no expression, is left to whoever asks for it.
 */
export async function readAmong(
  env: Environment,
  model: ModelName,
  names: readonly string[],
  among: Among,
): Promise<void> {
  const su = env.sudo()
  const def = su.def(model)
  if (!isQuiet(su, def, treeOf(names))) return
  const fields = names.map((name) => fieldOf(def, name)).filter((field) => hasExpression(su, field))
  await fill(su, def, fields, among)
}
