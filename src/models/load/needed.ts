// What has to be computed before fields are read: nothing, all that waits, or what these records wait for.
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/relations.ts'

/**
 * What of `stale` must be fresh for fields of some records to be read: nothing, all of it, or these records'
 * own. Whoever asks for the same fields again and again gives the same list of them.
 */
export function needed(
  env: Environment,
  fields: readonly FieldDef[],
  ids: ReadonlySet<number>,
  stale: FieldDef,
): boolean | ReadonlySet<number> {
  const { touched, own, inTurn } = bonds.get(fields)?.get(stale) ?? makeBond(env, fields, stale)
  const above = env.unit.computing.has(stale)
  if (!above && touched) return true
  if (!own) return false
  return above || !inTurn ? ids : true
}

/** How fields that are read hang on one that waits; follows from the models alone. */
interface Bond {
  /** Whether reading another of them needs the stale one to be fresh. */
  readonly touched: boolean
  /** Whether it is one of them. */
  readonly own: boolean
  /** Whether values of one record follow from those of another. */
  readonly inTurn: boolean
}

/** By the list of fields: those of levels are made once (tree.ts). */
const bonds = new WeakMap<readonly FieldDef[], Map<FieldDef, Bond>>()

function makeBond({ unit }: Environment, fields: readonly FieldDef[], stale: FieldDef): Bond {
  const followers = unit.registry.followers(stale)
  const touched = fields.some((field) => field !== stale && (followers.has(field) || looksFar(field)))
  const bond = { touched, own: fields.includes(stale), inTurn: followers.has(stale) }
  const known = bonds.get(fields) ?? new Map<FieldDef, Bond>()
  bonds.set(fields, known.set(stale, bond))
  return bond
}

/** Whether a field stands behind a relation, or code looks for it: it may follow from anything. */
const looksFar = (field: FieldDef): boolean =>
  leadsToMany(field) || (!field.stored && (field.related !== null || field.compute !== null))

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
