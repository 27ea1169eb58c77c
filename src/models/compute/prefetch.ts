// Prefetch for computed fields and methods, before they run: columns and lists of their records, and of
// the records that these lead to, in a few flushes. It only fills the cache.

import { oncePer, oncePerList } from '../../kit/once-per.ts'
import { Slot } from '../../kit/slot.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { needsNoRecomputation } from '../load/pending-fields.ts'
import { prefetch } from '../load/prefetch.ts'
import { type Leads, leadsAnywhere, leadsMostly } from '../load/prefetch-related.ts'
import { addKept, type GrowingTree, grow, type PathTree } from '../load/tree.ts'
import { currencyPath } from '../row/monetary.ts'
import { wholeLists } from './dependents.ts'

/** Records that wait at most: what is read of more would not stay in the cache until it is needed. */
const MOST = 4000

/** By unit: records of which a field's needs were read ahead. */
const done = new Slot<Map<FieldDef, Set<number>>>()

/** Reads what pending fields, and what follows from them in their models, need; once per record. */
export async function prefetchPending(env: Environment, field: FieldDef, ids: Ids): Promise<void> {
  const seen = done.obtain(env.unit, () => new Map())
  const before = seen.get(field)
  if (before && ids.every((id) => before.has(id))) return
  const records = new Map<ModelDef, Set<number>>()
  let count = 0
  for (const [waits, waiting] of env.unit.recomputation.pending) {
    const all = records.get(waits.model) ?? new Set<number>()
    count -= all.size
    records.set(waits.model, all.size ? all.union(waiting) : new Set(waiting))
    count += records.get(waits.model)?.size ?? 0
    seen.set(waits, seen.get(waits)?.union(waiting) ?? new Set(waiting))
  }
  if (count > MOST) return
  const trees = treesOf(env.unit.registry, env.unit.recomputation.pending.keys())
  // Links to records that wait themselves are read with these.
  const leads: Leads = (field) =>
    !(field.comodel && records.has(field.comodel)) &&
    (leadsMostly(field) || currenciesOf(field.model).has(field.name))
  const wanted = [...trees].map(([model, tree]) => ({ model, tree, ids: records.get(model) ?? [] }))
  await prefetch(env, wanted, { rounds: ROUNDS, leads, apart: records })
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
const treesOf = oncePerList(MOST_SETS, makeTrees)

function makeTrees(registry: Registry, waiting: readonly FieldDef[]): Trees {
  const models = new Set(waiting.map((field) => field.model))
  const fields = new Set(waiting)
  for (const field of waiting) for (const follower of registry.followers(field)) fields.add(follower)
  const trees = new Map<ModelDef, GrowingTree>()
  for (const field of fields) {
    if (!models.has(field.model)) continue
    const tree = trees.get(field.model) ?? {}
    trees.set(field.model, tree)
    for (const path of pathsOf(field)) grow(tree, path)
  }
  // Links between records that wait mostly lead to the same records.
  for (const [model, tree] of [...trees])
    for (const [name, below] of Object.entries(tree)) {
      const comodel = model.fields.get(name)?.comodel
      const theirs = comodel && trees.get(comodel)
      if (theirs) merge(theirs, below)
    }
  return trees
}

const currenciesOf = oncePer(
  ({ fields }: ModelDef) =>
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
  const paths: string[][] = []
  const declared = [...(field.compute?.depends ?? []), ...(field.compute?.options.asks ?? [])]
  for (const path of declared) addKept(field.model, path.split('.'), paths)
  if (field.column && !field.translate) paths.push([field.name])
  const rounding = field.kind === 'monetary' ? currencyPath(field) : null
  if (rounding) paths.push([...rounding])
  return paths
})

/** Flushes: nearly all values come with the first, which follows all relations. */
const METHOD_ROUNDS = 3

/** Records that are read ahead at once: of more, what is read first would not stay in the cache. */
const METHOD_RECORDS = 500

/**
 * Reads what stands at the end of paths, and what follows when `changing` change, as the superuser sees it:
 * values that are shown are read in the caller's name.
 */
export async function prefetchFor(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  paths: readonly string[],
  changing: readonly string[] = [],
): Promise<void> {
  const su = env.sudo()
  if (ids.length === 0 || ids.length > METHOD_RECORDS) return
  const tree = treeFor(su.unit.registry, model, paths, changing)
  if (needsNoRecomputation(su, model, tree))
    await prefetch(su, [{ model, ids, tree }], { rounds: METHOD_ROUNDS, leads: leadsAnywhere })
}

/** By model and paths, which are those that code names. */
const methodTrees = oncePer((_: Registry) => new Map<string, PathTree>())

function treeFor(
  registry: Registry,
  model: ModelDef,
  paths: readonly string[],
  changing: readonly string[],
): PathTree {
  const trees = methodTrees(registry)
  const key = `${model.name} ${paths.join()} ${changing.join()}`
  const existing = trees.get(key)
  if (existing) return existing
  const tree: GrowingTree = {}
  for (const path of [...paths, ...changing]) addPath(tree, [], model, path.split('.'))
  for (const path of changing) {
    const names = path.split('.')
    let place: Place | undefined = { model, way: [] }
    for (const name of names.slice(0, -1)) {
      const step: FieldDef | undefined = place?.model.fields.get(name)
      place = place && step?.comodel ? { model: step.comodel, way: [...place.way, step] } : undefined
    }
    const field = place?.model.fields.get(names.at(-1) ?? '')
    if (place && field) addFollowers(registry, tree, place, field, new Set())
  }
  trees.set(key, tree)
  return tree
}

/** Records as they are reached from those that the tree begins with. */
interface Place {
  readonly model: ModelDef
  readonly way: readonly FieldDef[]
}

const FURTHEST = 2

/** Adds what fields need that follow from one, at any number of removes. */
function addFollowers(
  registry: Registry,
  tree: GrowingTree,
  place: Place,
  field: FieldDef,
  seen: Set<string>,
): void {
  for (const { field: follower, path } of registry.triggers.get(field) ?? []) {
    const origin = path.reduceRight<Place | null>(stepBack, place)
    if (!origin || origin.way.length > FURTHEST) continue
    const names = origin.way.map(({ name }) => name)
    const key = `${names.join('.')} ${follower.name}`
    if (seen.has(key)) continue
    seen.add(key)
    for (const followerPath of pathsOf(follower)) addPath(tree, names, origin.model, followerPath)
    addFollowers(registry, tree, origin, follower, seen)
  }
}

/** Where the records are from which a step leads here; null where no relation leads to them. */
function stepBack(place: Place | null, step: FieldDef): Place | null {
  if (!place) return null
  if (step.kind === 'many2one') {
    const [list] = wholeLists(step)
    return list ? { model: step.model, way: [...place.way, list] } : null
  }
  if (step.kind !== 'one2many') return null
  const last = place.way.at(-1)
  if (last === step || (last?.kind === 'one2many' && last.inverse === step.inverse))
    return { model: step.model, way: place.way.slice(0, -1) }
  const back = step.comodel.fields.get(step.inverse)
  return back?.kind === 'many2one' && back.column ? { model: step.model, way: [...place.way, back] } : null
}

function addPath(
  tree: GrowingTree,
  prefix: readonly string[],
  model: ModelDef,
  names: readonly string[],
): void {
  const paths: string[][] = []
  addKept(model, names, paths)
  for (const path of paths) grow(tree, [...prefix, ...path])
}
