// What has to be computed before fields are read: nothing, all that waits, or what these records wait for.
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/relations.ts'

/**
 * What of `stale` must be fresh for fields of some records to be read: nothing, all of it, or these records'
 * own.
 */
export function needed(
  env: Environment,
  fields: readonly FieldDef[],
  ids: ReadonlySet<number>,
  stale: FieldDef,
): boolean | ReadonlySet<number> {
  const above = env.unit.computing.has(stale)
  if (!above && fields.some((wanted) => wanted !== stale && touches(env, wanted, stale))) return true
  if (!fields.includes(stale)) return false
  return above || !env.unit.registry.followers(stale).has(stale) ? ids : true
}

/** Whether reading `wanted` needs `stale` to be fresh: what it follows, or anything behind a relation. */
function touches(env: Environment, wanted: FieldDef, stale: FieldDef): boolean {
  return (
    env.unit.registry.followers(stale).has(wanted) ||
    (wanted.related !== null && !wanted.stored) ||
    leadsToMany(wanted) ||
    (wanted.compute !== null && !wanted.stored)
  )
}

/** Whether fields of some records can be read as they are: nothing has to be computed before. */
export function isFresh(env: Environment, fields: readonly FieldDef[], ids: readonly number[]): boolean {
  const own = new Set(ids)
  for (const [stale, waiting] of env.unit.pending) {
    const wanted = needed(env, fields, own, stale)
    if (wanted === true ? !env.unit.computing.has(stale) : wanted && !wanted.isDisjointFrom(waiting))
      return false
  }
  return true
}
