// Decides which pending fields must be computed before fields are read: none, all of them, or those of
// some records.
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/field-options.ts'
import { reachOf } from './reach.ts'
import { type Level, levelOf, type PathTree, type Step, targetLevel } from './tree.ts'

/**
 * Whether `stale` must be computed for all records, for some of them or not at all before fields of
 * records are read. Results are cached by the list of fields, so repeated callers give the same list.
 */
export function needed(
  env: Environment,
  fields: readonly FieldDef[],
  ids: ReadonlySet<number>,
  stale: FieldDef,
): boolean | ReadonlySet<number> {
  const { touched, included, inTurn } = dependencyOn(env, fields, stale)
  const above = env.unit.recomputation.computing.has(stale)
  if (!above && touched) return true
  if (!included) return false
  return above || !inTurn ? ids : true
}

/** The dependency of fields that are read on a pending one; follows from the models alone. */
interface Bond {
  /** Whether reading another of them needs the stale one to be fresh. */
  readonly touched: boolean
  /** Whether it is one of them. */
  readonly included: boolean
  /** Whether values of one record follow from those of another. */
  readonly inTurn: boolean
}

type Bonds = Map<FieldDef, Bond>

/** By the list of fields: those of levels are made once (tree.ts). */
const bondsOf = oncePer((_: readonly FieldDef[]): { readonly su: Bonds; readonly ruled: Bonds } => ({
  su: new Map(),
  ruled: new Map(),
}))

/** For the superuser, and for those whose rules may look at anything. */
function dependencyOn(env: Environment, fields: readonly FieldDef[], stale: FieldDef): Bond {
  const { su, ruled } = bondsOf(fields)
  const bonds = env.su ? su : ruled
  const cached = bonds.get(stale)
  if (cached) return cached
  const followers = env.unit.registry.followers(stale)
  const touches = (field: FieldDef): boolean => {
    if (field === stale) return false
    if (followers.has(field)) return true
    if (!looksFar(field)) return false
    const reach = env.su ? reachOf(field) : null
    return reach === null || reach.has(stale) || !reach.isDisjointFrom(followers)
  }
  const bond = {
    touched: fields.some(touches),
    included: fields.includes(stale),
    inTurn: followers.has(stale),
  }
  bonds.set(stale, bond)
  return bond
}

const looksFar = (field: FieldDef): boolean =>
  leadsToMany(field) || (!field.stored && (field.related !== null || field.compute !== null))

/** Whether fields of some records can be read as they are: nothing has to be computed before (`needed`). */
export function isFresh(env: Environment, fields: readonly FieldDef[], ids: Ids): boolean {
  const { pending, computing } = env.unit.recomputation
  for (const [stale, waiting] of pending) {
    const { touched, included, inTurn } = dependencyOn(env, fields, stale)
    if (!touched && !included) continue
    const above = computing.has(stale)
    if (!above && (touched || inTurn)) return false
    if (included) for (const id of ids) if (waiting.has(id)) return false
  }
  return true
}

/**
 * Whether no pending field has to be computed before paths are read, whichever records they lead to:
 * the reads of all levels may then leave together.
 */
export function needsNoRecomputation(env: Environment, model: ModelDef, tree: PathTree): boolean {
  const { pending } = env.unit.recomputation
  if (pending.size === 0) return true
  if (!env.su) return false
  for (const stale of pending.keys()) if (dependsOn(env, levelOf(model, tree), stale)) return false
  return true
}

/** By level: whether it or a deeper one may have to wait for a field. */
const hanging = oncePer((_: Level) => new Map<FieldDef, boolean>())

function dependsOn(env: Environment, level: Level, stale: FieldDef): boolean {
  const cached = hanging(level).get(stale)
  if (cached !== undefined) return cached
  const { touched, included } = dependencyOn(env, level.fields, stale)
  const behind = (step: Step) => step.deeper && dependsOn(env, targetLevel(step), stale)
  const hangs = touched || included || level.steps.some(behind)
  hanging(level).set(stale, hangs)
  return hangs
}
