// Loading: declared paths of many records at once, one query a model and level, from the cache where it knows
// them.

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import { idOrValue } from '../kinds/shared.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { guardRecords } from '../row/access.ts'
import { together } from '../unit/reads.ts'
import { filesValues, isFile, originalOf } from './binaries.ts'
import { byId, loadFromCache, type Plain, plainRecords, putTargets, targetsOf } from './cached.ts'
import { type Known, loadColumns } from './columns.ts'
import { needed, needsNoRecomputation } from './pending-fields.ts'
import { prefetch } from './prefetch.ts'
import { isDeeper, levelOf, type PathTree, type Step, storedTree, treeOf } from './tree.ts'

/** Plain objects with the paths' values, in the order of `ids`; records that are gone are left out. */
export function loadPaths(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  paths: readonly string[],
): Promise<Plain[]> {
  try {
    const cachedRecords = loadedPaths(env, model, ids, paths)
    return cachedRecords ? Promise.resolve(cachedRecords) : readPaths(env, model, ids, paths)
  } catch (error) {
    return Promise.reject(error)
  }
}

async function readPaths(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  paths: readonly string[],
): Promise<Plain[]> {
  const unique = uniqueOf(ids)
  return inOrder(await readTree(env, model, unique, treeOf(paths)), unique, ids)
}

/** As `loadPaths` for the superuser, at once; null where something is to be asked for or computed. */
const loadedPaths = (env: Environment, model: ModelDef, ids: Ids, paths: readonly string[]) =>
  ids.length === 0 ? [] : loadedTree(env, model, ids, treeOf(paths))

export function loadedTree(env: Environment, model: ModelDef, ids: Ids, tree: PathTree): Plain[] | null {
  if (ids.length === 0) return []
  const unique = uniqueOf(ids)
  const cachedRecords = loadFromCache(env, model, unique, tree)
  return cachedRecords && inOrder(cachedRecords, unique, ids)
}

function uniqueOf(ids: Ids): Ids {
  for (let n = 1; n < ids.length; n++) if (Number(ids[n]) <= Number(ids[n - 1])) return [...new Set(ids)]
  return ids
}

/** The records of `unique`, in its order, as often as their ids stand in `ids`. */
function inOrder(records: Plain[], unique: Ids, ids: Ids): Plain[] {
  if (unique.length === ids.length) return records
  const recordsById = byId(records)
  return ids.flatMap((id) => recordsById.get(id) ?? [])
}

/** As `loadTree`; levels that need not wait for each other are read together before. */
async function readTree(env: Environment, model: ModelDef, ids: Ids, tree: PathTree): Promise<Plain[]> {
  if (env.su) {
    const kept = storedTree(levelOf(model, tree), model, tree)
    if (isDeep(kept) && needsNoRecomputation(env, model, kept)) {
      await prefetch(env, [{ model, ids, tree: kept }], { rounds: DEEPEST })
      const cachedRecords = loadFromCache(env, model, ids, tree)
      if (cachedRecords) return cachedRecords
    }
  }
  return [...(await loadTree(env, model, ids, tree)).values()]
}

const DEEPEST = 10

const isDeep = (tree: PathTree): boolean => Object.values(tree).some(isDeeper)

async function loadTree(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  tree: PathTree,
): Promise<Map<number, Plain>> {
  const level = levelOf(model, tree)
  if (level.unknown !== undefined)
    throw new InvalidValue(`Invalid field ${shown(level.unknown)} on model ${model.name}`, {
      code: 'unknown_field',
      about: { model: model.name, field: level.unknown },
    })
  if (ids.length === 0) return new Map()
  if (!env.su) await guardRecords(env, model, ids, 'read')
  const values = await loadFields(env, model, ids, level.fields, tree)
  const records = plainRecords(values.existing, level, values.of)
  const [first, ...more] = level.together
  if (first && more.length === 0) await relate(env, first, records, values.of)
  else if (first && needsNoRecomputation(env, model, tree))
    await together(...level.together.map((steps) => relate(env, steps, records, values.of)))
  else for (const steps of level.together) await relate(env, steps, records, values.of)
  return records
}

/** Loads the targets of relations to one model, and puts them into their place. */
async function relate(
  env: Environment,
  steps: readonly Step[],
  records: ReadonlyMap<number, Plain>,
  of: Known,
): Promise<void> {
  for (const { field, isMany, below, deeper } of steps) {
    const column = present(of.get(field))
    const { comodel } = field
    const targets = deeper ? targetsOf(isMany, column, records.keys()) : null
    const near = targets && loadFromCache(env, comodel, targets, below)
    const targetsById = near ? byId(near) : targets && (await loadTree(env, comodel, targets, below))
    putTargets(field.name, isMany, column, records.values(), targetsById ?? undefined)
  }
}

const NOTHING: PathTree = {}

interface Loaded {
  readonly existing: Ids
  readonly of: Known
}

/** Code values of fields by record id: many2ones as ids, x2manys as arrays of ids. */
export async function loadFields(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  fields: readonly FieldDef[],
  tree: PathTree = NOTHING,
): Promise<Loaded> {
  if (env.unit.recomputation.pending.size) {
    const idSet = new Set(ids)
    await env.unit.registry.engine.flush(env, (stale) => needed(env, fields, idSet, stale))
  }
  const { of, computed, existing } = await loadColumns(env, model, ids, fields, tree)
  const files = computed.filter((field) => !field.compute && (isFile(field) || isSmaller(field)))
  const unread = existing.filter((id) => files.some((field) => !of.get(field)?.has(id)))
  if (unread.length) await loadFiles(env, model, files, unread, of)
  // The targets of the relations of several fields are loaded in one walk; each field then takes them
  // from the cache.
  const walked = computed.filter((field) => isWalked(field))
  if (walked.length > 1) await walk(env, model, existing, walked)
  for (const field of computed) {
    const column = present(of.get(field))
    const wanted = existing.filter((id) => !column.has(id))
    const values = await slowValues(env, field, wanted)
    for (const id of wanted) column.set(id, idsOnly(values.get(id) ?? null))
  }
  return { existing, of }
}

/** Computed relations may be given as records. */
const idsOnly = (value: unknown): unknown => (Array.isArray(value) ? value.map(idOrValue) : idOrValue(value))

/** Values that need code: computed ones by their function, related ones by walking their path. */
async function slowValues(env: Environment, field: FieldDef, ids: Ids): Promise<Map<number, unknown>> {
  if (ids.length === 0) return new Map()
  if (field.compute) return env.unit.registry.engine.compute(env, field, ids)
  if (field.related) return present((await walk(env, field.model, ids, [field])).get(field))
  return new Map(ids.map((record) => [record, null]))
}

const isWalked = (field: FieldDef): boolean =>
  field.related !== null && !field.compute && !isFile(field) && !isSmaller(field)

async function walk(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  fields: readonly FieldDef[],
): Promise<Map<FieldDef, Map<number, unknown>>> {
  const paths = fields.map((field) => present(field.related))
  const dotted = paths.map((path) => path.join('.'))
  const records = await loadPaths(env.sudo(), model, ids, dotted)
  return new Map(
    fields.map((field, i) => [
      field,
      new Map(records.map((record) => [record.id, endOf(record, present(paths[i]))])),
    ]),
  )
}

function endOf(record: Plain, path: readonly string[]): unknown {
  let value: unknown = record
  for (const step of path) value = value === null ? null : (value as Plain)[step]
  return value ?? null
}

/**
 * Contents of fields' own files, in one query. An image that is small enough is its own smaller version:
 * where such a field has no file, its original is read.
 */
async function loadFiles(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  ids: Ids,
  of: Known,
): Promise<void> {
  const filesByField = await filesValues(env, fields, ids)
  const lacking = ids.filter((id) =>
    fields.some((field) => isSmaller(field) && !filesByField.get(field.name)?.has(id)),
  )
  const originals = new Set(fields.flatMap((field) => originalOf(field) ?? []))
  const unread = [...originals].filter((field) => !fields.includes(field))
  const others = lacking.length && unread.length ? (await loadFields(env, model, lacking, unread)).of : of
  // Originals come first.
  for (const field of [...fields].sort((one, other) => Number(isSmaller(one)) - Number(isSmaller(other)))) {
    const [column, ownFiles, original] = [
      present(of.get(field)),
      filesByField.get(field.name),
      originalOf(field),
    ]
    for (const id of ids) {
      if (column.has(id)) continue
      const value = ownFiles?.has(id)
        ? ownFiles.get(id)
        : original && (others.get(original) ?? of.get(original))?.get(id)
      column.set(id, value ?? null)
    }
  }
}

const isSmaller = (field: FieldDef): boolean => originalOf(field) !== null
