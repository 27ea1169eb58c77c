// Defaults of several new records: each has its own, so that a random token or a number that is drawn is no
// other record's.
import { isDeepStrictEqual } from 'node:util'
import { waits } from '../compute/waits.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { type Default, defaultValues, madeByFunctions } from './defaults.ts'

type Values = Record<string, unknown>

/**
 * Functions that waited for something and gave two records the same: they read it, and are asked once for all
 * records of a list. The others are asked for each.
 */
const sameForAll = new WeakSet<object>()

/**
 * As `defaultValues`, for records with given values that lack some: those of each, or the first for all where
 * they have the same.
 */
export async function defaultsOfEach(
  env: Environment,
  model: ModelDef,
  names: readonly string[],
  given: readonly Values[],
): Promise<readonly Values[]> {
  const first = await defaultValues(env, model, names)
  if (given.length < 2) return [first]
  const made = madeByFunctions(env, model, first).filter(({ make }) => !sameForAll.has(make))
  if (made.length === 0) return [first]
  const each = given.map(() => ({ ...first }))
  for (const one of made) {
    const lacking = each.filter((_, n) => given[n]?.[one.name] === undefined)
    await askForEach(env, one, lacking)
  }
  return each
}

/** Asks a function for the value of each but the first; one that waits, as long as it gives another one. */
async function askForEach(env: Environment, { name, make }: Default, each: readonly Values[]): Promise<void> {
  for (const [n, values] of each.entries()) {
    if (n === 0) continue
    const before = values[name]
    const value = make(env)
    const known = waits(make, value) ? await value : value
    if (known === undefined) delete values[name]
    else values[name] = known
    if (n > 1 || !(value instanceof Promise) || !isDeepStrictEqual(known, before)) continue
    sameForAll.add(make)
    return
  }
}
