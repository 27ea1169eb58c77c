// Written constraints: rules that must hold for every record after a change of what they look at.

import { ValidationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { LooseRecord } from '../language/behaviour.ts'
import type { Check, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadPaths } from '../load/load.ts'
import { assertCompanies } from './company-check.ts'
import type { Links } from './company-fit.ts'

/**
 * Runs the checks whose dependencies changed (`null`: all). Throws ValidationError with the check's message,
 * UserError where companies do not fit together. `links`: of records that were just made, as far as known.
 */
export async function runChecks(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  changed: ReadonlySet<string> | null,
  links?: Links,
): Promise<void> {
  const wanted = model.checks.filter(
    ({ rule }) => changed === null || rule.depends.some((path) => changed.has(present(path.split('.')[0]))),
  )
  await assertCompanies(env, model, ids, changed, links)
  if (wanted.length === 0) return
  const paths = [...new Set(wanted.flatMap(({ rule }) => rule.depends))]
  const records = (await loadPaths(env.sudo(), model, ids, paths)) as LooseRecord[]
  await assertChecks(env, wanted, records)
}

/** Throws ValidationError with the message of a check that does not hold. */
async function assertChecks(
  env: Environment,
  checks: readonly Check[],
  records: readonly LooseRecord[],
): Promise<void> {
  for (const { message, rule } of checks) {
    const results = rule.run(records, env)
    const holds = results instanceof Promise ? await results : results
    if (records.some((record) => holds.get(record.id) === false)) throw new ValidationError(message)
  }
}
