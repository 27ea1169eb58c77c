// What a recomputation reads, read before it begins: columns and lists of the records that wait, and what
// stands behind them, in two flushes. It only fills the cache: whoever needs more asks for it.

import { oncePer } from '../../kit/once-per.ts'
import { Slot } from '../../kit/slot.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { type Leads, leadsMostly } from '../load/ahead.ts'
import { gather } from '../load/gather.ts'
import { addKept } from '../load/kept-paths.ts'
import { type GrowingTree, grow, type PathTree } from '../load/tree.ts'
import { currencyPath } from '../row/monetary.ts'
import { perFields, perModel } from '../unit/per-model.ts'

/** Records that wait at most: what is read of more would not stay in the cache until it is needed. */
const MOST = 4000

/** By unit: records of which a field's needs were read ahead. */
const done = new Slot<Map<FieldDef, Set<number>>>()

/**
 * Reads what all that waits will need, unless it was done for these records of `field`: what waits, and what
 * follows from it in the same models.
 */
export async function readAhead(env: Environment, field: FieldDef, ids: readonly number[]): Promise<void> {
  const seen = done.get(env.unit) ?? new Map<FieldDef, Set<number>>()
  done.set(env.unit, seen)
  const before = seen.get(field)
  if (before && ids.every((id) => before.has(id))) return
  const records = new Map<ModelDef, Set<number>>()
  let count = 0
  for (const [waits, waiting] of env.unit.pending) {
    const all = records.get(waits.model) ?? new Set<number>()
    count -= all.size
    records.set(waits.model, all.size ? all.union(waiting) : new Set(waiting))
    count += records.get(waits.model)?.size ?? 0
    seen.set(waits, seen.get(waits)?.union(waiting) ?? new Set(waiting))
  }
  if (count > MOST) return
  const trees = treesOf(env.unit.registry, env.unit.pending.keys())
  // What leads to records that wait themselves is read with these.
  const leads: Leads = (field) =>
    !(field.comodel && records.has(field.comodel)) &&
    (leadsMostly(field) || currenciesOf(field.model).has(field.name))
  const wanted = [...trees].map(([model, tree]) => ({ model, tree, ids: records.get(model) ?? [] }))
  await gather(env, wanted, { rounds: ROUNDS, leads, apart: records })
}

/** Flushes: what relations of the first one lead to is read in the next. */
const ROUNDS = 2

type Trees = ReadonlyMap<ModelDef, PathTree>

/** Sets of fields that wait, of which the trees are kept. */
const MOST_SETS = 500

/**
 * Paths to what these fields need, and what follows from them in the same models. They follow from the models
 * and are worked out once for a set of fields.
 */
const treesOf = perFields(MOST_SETS, makeTrees)

function makeTrees(registry: Registry, waiting: readonly FieldDef[]): Trees {
  const models = new Set(waiting.map((field) => field.model))
  const fields = new Set(waiting)
  for (const field of waiting) for (const follower of registry.followers(field)) fields.add(follower)
  const trees = new Map<ModelDef, GrowingTree>()
  for (const one of fields) {
    if (!models.has(one.model)) continue
    const tree = trees.get(one.model) ?? {}
    trees.set(one.model, tree)
    for (const path of pathsOf(one)) grow(tree, path)
  }
  // What leads from one that waits to another is mostly about the same records.
  for (const [model, tree] of [...trees])
    for (const [name, below] of Object.entries(tree)) {
      const comodel = model.fields.get(name)?.comodel
      const theirs = comodel && trees.get(comodel)
      if (theirs) merge(theirs, below)
    }
  return trees
}

/** Fields that say what amounts of a record are in. */
const currenciesOf = perModel(
  ({ fields }) =>
    new Set(
      [...fields.values()].flatMap((field) =>
        field.kind === 'monetary' ? (field.options.currency ?? 'currency_id') : [],
      ),
    ),
)

function merge(tree: GrowingTree, more: PathTree): void {
  for (const [name, below] of Object.entries(more)) {
    tree[name] ??= {}
    merge(tree[name], below)
  }
}

/**
 * Paths over what tables keep, to all that a stored computed field follows from, to what it was before, and
 * to what an amount is rounded to.
 */
export const pathsOf = oncePer((field: FieldDef): readonly (readonly string[])[] => {
  const found: string[][] = []
  const asked = [...(field.compute?.depends ?? []), ...(field.compute?.options.asks ?? [])]
  for (const path of asked) addKept(field.model, path.split('.'), found)
  if (field.column && !field.translate) found.push([field.name])
  const rounding = field.kind === 'monetary' ? currencyPath(field) : null
  if (rounding) found.push([...rounding])
  return found
})
