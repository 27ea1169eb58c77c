// What a method is going to look at, read before it begins: paths that it names, and what is recomputed when
// fields change that it is going to write. It only fills the cache: whoever needs more asks for it.
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsAnywhere } from '../load/ahead.ts'
import { gather } from '../load/gather.ts'
import { addKept } from '../load/kept-paths.ts'
import { isQuiet } from '../load/needed.ts'
import { type GrowingTree, grow, type PathTree } from '../load/tree.ts'
import { wholeLists } from './backwards.ts'
import { pathsOf } from './read-ahead.ts'

/** Flushes: nearly all comes with the first, which looks behind relations wherever they lead. */
const ROUNDS = 3

/** Records that are read ahead at once: of more, what is read first would not stay in the cache. */
const MOST = 500

/**
 * Reads what stands at the end of paths, and what follows when `changing` change. As the superuser sees it:
 * whoever shows any of it has to ask in the caller's name.
 */
export async function bringAhead(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  paths: readonly string[],
  changing: readonly string[] = [],
): Promise<void> {
  const su = env.sudo()
  if (ids.length === 0 || ids.length > MOST) return
  const tree = treeFor(su.unit.registry, model, paths, changing)
  if (isQuiet(su, model, tree))
    await gather(su, [{ model, ids, tree }], { rounds: ROUNDS, leads: leadsAnywhere })
}

/** By model and paths, which are those that code names. */
const treesOf = oncePer((_: Registry) => new Map<string, PathTree>())

function treeFor(
  registry: Registry,
  model: ModelDef,
  paths: readonly string[],
  changing: readonly string[],
): PathTree {
  const trees = treesOf(registry)
  const key = `${model.name} ${paths.join()} ${changing.join()}`
  const known = trees.get(key)
  if (known) return known
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

/** Relations that lead away at most: what is further off is not about the same records. */
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
    const there = path.reduceRight<Place | null>(stepBack, place)
    if (!there || there.way.length > FURTHEST) continue
    const names = there.way.map(({ name }) => name)
    const key = `${names.join('.')} ${follower.name}`
    if (seen.has(key)) continue
    seen.add(key)
    for (const one of pathsOf(follower)) addPath(tree, names, there.model, one)
    addFollowers(registry, tree, there, follower, seen)
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
  const found: string[][] = []
  addKept(model, names, found)
  for (const one of found) grow(tree, [...prefix, ...one])
}
