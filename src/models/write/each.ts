// Records that get values of their own, many at once, through what modules put around every write.
import type { WriteChange } from '../language/behaviour.ts'
import type { Change, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertVals } from '../row/values.ts'
import { recordsOf } from '../unit/environment.ts'
import { authorizeWrite } from './authorize.ts'
import { writePlanned } from './plans/write.ts'
import { unquotedVals } from './unquoted-vals.ts'

/**
 * Writes values that differ from record to record, all of them together. Of several changes of a record the
 * later ones come later.
 */
export async function writeEach(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<void> {
  const wanted = changes.filter(({ ids }) => ids.length > 0)
  const parts = rounds(wanted)
  if (parts.length > 1) env.unit.quota.spend('rounds', parts.length)
  for (const round of parts) await writeTogether(env, model, round)
}

/** One write, through every module's wrap: no record occurs twice in it. The rest is as in `writeChanges`. */
export function writeTogether(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const judging = authorizeWrite(env, model, changes)
  return judging ? judging.then(() => written(env, model, changes)) : written(env, model, changes)
}

function written(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const [only, more] = changes
  return only && !more && env.unit.isUntouched
    ? writePlanned(env, model, only, () => writeThrough(env, model, changes))
    : writeThrough(env, model, changes)
}

function writeThrough(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void> {
  const prepared: WriteChange[] = changes.map(({ ids, vals }) => ({
    ids,
    vals: unquotedVals(model, assertVals(vals)),
  }))
  return model.hooks.writing(
    recordsOf(
      env,
      model,
      prepared.flatMap(({ ids }) => ids),
    ) as never,
    prepared,
  )
}

/** The changes, in their order, split so that no record occurs twice in a part. */
function rounds(changes: readonly Change[]): Change[][] {
  const parts: Change[][] = []
  let seen = new Set<number>()
  for (const change of changes) {
    if (parts.length === 0 || change.ids.some((id) => seen.has(id))) {
      parts.push([])
      seen = new Set()
    }
    parts.at(-1)?.push(change)
    for (const id of change.ids) seen.add(id)
  }
  return parts
}
