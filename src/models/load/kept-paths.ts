// Paths by way of computed and related fields, as paths over what tables keep: what has to be read for them.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { type GrowingTree, grow, type PathTree } from './tree.ts'

/** Steps a path may take by way of fields that no table keeps. */
const DEEPEST = 8

/** Adds the paths over what tables keep that a path comes down to. */
export function addKept(model: ModelDef, names: readonly string[], found: string[][]): void {
  follow(model, names, [], found, 0)
}

function follow(
  model: ModelDef,
  names: readonly string[],
  prefix: readonly string[],
  found: string[][],
  depth: number,
): void {
  if (depth > DEEPEST) return
  const path = [...prefix]
  let here: ModelDef | undefined = model
  for (const [i, name] of names.entries()) {
    const step: FieldDef | undefined = here?.fields.get(name)
    if (!here || !step || step.kind === 'properties') break
    // What a statement can give by itself is read as it is.
    if (!step.stored && step.compute?.options.sql && i === names.length - 1) {
      path.push(name)
      break
    }
    if (!step.stored && (step.related || step.compute)) {
      const ways = step.related
        ? [[...step.related, ...names.slice(i + 1)]]
        : (step.compute?.depends ?? []).map((next) => next.split('.'))
      for (const way of ways) follow(here, way, path, found, depth + 1)
      return
    }
    path.push(name)
    here = step.comodel
  }
  if (path.length) found.push(path)
}

/** By tree and model: neither is kept for it. */
const trees = new WeakMap<PathTree, WeakMap<ModelDef, PathTree>>()

/** The paths of a tree in the same way. */
export function keptTree(model: ModelDef, tree: PathTree): PathTree {
  let of = trees.get(tree)
  if (!of) {
    of = new WeakMap()
    trees.set(tree, of)
  }
  const known = of.get(model)
  if (known) return known
  const made: GrowingTree = {}
  for (const path of pathsIn(tree)) {
    const found: string[][] = []
    addKept(model, path, found)
    for (const one of found) grow(made, one)
  }
  of.set(model, made)
  return made
}

function* pathsIn(tree: PathTree): Iterable<readonly string[]> {
  for (const name in tree) {
    yield [name]
    for (const path of pathsIn(tree[name] ?? {})) yield [name, ...path]
  }
}
