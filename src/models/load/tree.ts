// Dotted paths as a tree, what a level of it means for a model, and the paths over what tables keep that
// those by way of computed and related fields come down to.
import { ByList } from '../../kit/by-list.ts'
import { oncePer } from '../../kit/once-per.ts'
import type { FieldDef, ModelDef, RelationDef } from '../language/definitions.ts'
import { leadsToMany, leadsToOne } from '../language/field-options.ts'
import { isSharedByAll } from '../row/cache-key.ts'

export interface PathTree {
  readonly [name: string]: PathTree
}

export interface GrowingTree {
  [name: string]: GrowingTree
}

/** Trees that are kept, and letters of the paths of one. */
const [MOST_TREES, MOST_LETTERS] = [2000, 2000]

const trees = new ByList<string, PathTree>(MOST_TREES)

export function treeOf(paths: readonly string[]): PathTree {
  const cachedTree = trees.get(paths)
  if (cachedTree) return cachedTree
  const tree: GrowingTree = {}
  let letters = 0
  for (const path of paths) {
    grow(tree, path.split('.'))
    letters += path.length + 1
  }
  if (letters <= MOST_LETTERS) trees.set(paths, tree)
  return tree
}

export function grow(tree: GrowingTree, path: readonly string[]): void {
  let node = tree
  for (const name of path) {
    node[name] ??= {}
    node = node[name]
  }
}

/** Whether paths lead through a relation. */
export function isDeeper(below: PathTree): boolean {
  for (const _ in below) return true
  return false
}

export interface Step {
  readonly field: RelationDef
  readonly isMany: boolean
  readonly below: PathTree
  /** Whether paths lead through it. */
  readonly deeper: boolean
  /** Where the relation stands among the fields of its level. */
  readonly place: number
  /** The level of its targets; null until `targetLevel` is called. */
  level: Level | null
}

/** A field of a level, and where it stands among those. */
interface Placed {
  readonly field: FieldDef
  readonly place: number
}

export interface Level {
  /** A name that is no field of the model. */
  readonly unknown: string | undefined
  readonly fields: readonly FieldDef[]
  /** Those of them that a statement gives: what tables keep, and values with an SQL form. */
  readonly columns: readonly FieldDef[]
  /** Whether the value of each is the same for everybody, in their order. */
  readonly same: readonly boolean[]
  /** Those that lead nowhere. */
  readonly plain: readonly Placed[]
  readonly steps: readonly Step[]
  /** Those of them that a statement returns and that lead to further fields in a table. */
  readonly behind: readonly Step[]
  /** All relations by where they lead: what leads to one model is mostly about the same records. */
  readonly together: readonly (readonly Step[])[]
}

/** By tree and model: neither is kept for it. */
const levelsOf = oncePer((_: PathTree) => new WeakMap<ModelDef, Level>())

export function levelOf(model: ModelDef, tree: PathTree): Level {
  const levels = levelsOf(tree)
  const cached = levels.get(model)
  if (cached) return cached
  const level = makeLevel(model, tree)
  levels.set(model, level)
  return level
}

export function targetLevel(step: Step): Level {
  step.level ??= levelOf(step.field.comodel, step.below)
  return step.level
}

function makeLevel(model: ModelDef, tree: PathTree): Level {
  const [fields, plain, steps]: [FieldDef[], Placed[], Step[]] = [[], [], []]
  const names = Object.keys(tree)
  for (const name of names) {
    const field = model.fields.get(name)
    if (!field) continue
    const place = fields.push(field) - 1
    const below = tree[name] ?? {}
    if (field.comodel)
      steps.push({ field, isMany: !leadsToOne(field), below, deeper: isDeeper(below), place, level: null })
    else plain.push({ field, place })
  }
  const unknown = names.find((name) => !model.fields.has(name))
  const together = [...Map.groupBy(steps, ({ field }) => field.comodel).values()]
  const same = fields.map(isSharedByAll)
  const columns = fields.filter(
    (field) =>
      field.column || (field.stored ? leadsToMany(field) : field.compute?.options.sql && !field.comodel),
  )
  const behind = steps.filter(
    ({ field, deeper }) => deeper && field.comodel.hasTable && columns.includes(field),
  )
  return { unknown, fields, columns, same, plain, steps, behind, together }
}

/** Steps a path may take by way of fields that no table keeps. */
const DEEPEST = 8

/** Adds the paths over what tables keep that a path comes down to. */
export function addKept(model: ModelDef, names: readonly string[], paths: string[][]): void {
  follow(model, names, [], paths, 0)
}

function follow(
  model: ModelDef,
  names: readonly string[],
  prefix: readonly string[],
  paths: string[][],
  depth: number,
): void {
  if (depth > DEEPEST) return
  const path = [...prefix]
  let at: ModelDef | undefined = model
  for (const [i, name] of names.entries()) {
    const step: FieldDef | undefined = at?.fields.get(name)
    if (!at || !step || step.kind === 'properties') break
    // Values that have an expression are read by the statement.
    if (!step.stored && step.compute?.options.sql && i === names.length - 1) {
      path.push(name)
      break
    }
    if (!step.stored && (step.related || step.compute)) {
      const ways = step.related
        ? [[...step.related, ...names.slice(i + 1)]]
        : (step.compute?.depends ?? []).map((next) => next.split('.'))
      for (const way of ways) follow(at, way, path, paths, depth + 1)
      return
    }
    path.push(name)
    at = step.comodel
  }
  if (path.length) paths.push(path)
}

/** The tree over what tables keep that the paths of a level come down to. */
export const storedTree = oncePer((_: Level, model: ModelDef, tree: PathTree): PathTree => {
  const kept: GrowingTree = {}
  for (const path of pathsIn(tree)) {
    const paths: string[][] = []
    addKept(model, path, paths)
    for (const way of paths) grow(kept, way)
  }
  return kept
})

function* pathsIn(tree: PathTree): Iterable<readonly string[]> {
  for (const name in tree) {
    yield [name]
    for (const path of pathsIn(tree[name] ?? {})) yield [name, ...path]
  }
}
