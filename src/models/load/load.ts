// Loading: declared paths of many records at once, one query a model and level, from the cache where it knows
// them.
import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { guardRecords } from '../row/access.ts'
import { atOnce } from '../unit/together.ts'
import type { PathTree } from './ahead.ts'
import { filesValues, fileValues, isFile, originalOf } from './binaries.ts'
import { type Known, loadColumns } from './columns.ts'
import { needed } from './needed.ts'

type Plain = { id: number } & Record<string, unknown>

/** Plain objects with the paths' values, in the order of `ids`; records that are gone are left out. */
export async function loadPaths(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  paths: readonly string[],
): Promise<Plain[]> {
  if (ids.length === 0) return []
  const tree: PathTree = {}
  for (const path of paths) {
    let here = tree
    for (const name of path.split('.')) {
      here[name] ??= {}
      here = here[name]
    }
  }
  const found = await loadTree(env, model, [...new Set(ids)], tree)
  return ids.flatMap((id) => found.get(id) ?? [])
}

async function loadTree(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  tree: PathTree,
): Promise<Map<number, Plain>> {
  const fields = Object.keys(tree).map((name) => fieldOf(model, name))
  if (ids.length === 0) return new Map()
  if (!env.su) await guardRecords(env, model, ids, 'read')
  const values = await loadFields(env, model, ids, fields, tree)
  const records = new Map<number, Plain>()
  for (const id of values.existing) records.set(id, { id })
  const relations = new Map<ModelDef, FieldDef[]>()
  for (const field of fields) {
    const known = values.of.get(field) as Map<number, unknown>
    if (field.comodel) relations.set(field.comodel, [...(relations.get(field.comodel) ?? []), field])
    else
      for (const record of records.values())
        record[field.name] = known.get(record.id) ?? field.type.fromColumn(field, null)
  }
  const relateAll = async (some: readonly FieldDef[]) => {
    for (const field of some)
      await relate(
        env,
        field,
        values.of.get(field) as Map<number, unknown>,
        tree[field.name] as PathTree,
        records,
      )
  }
  // What leads to one model is mostly about the same records.
  await atOnce(env, ...[...relations.values()].map((some) => () => relateAll(some)))
  return records
}

/** Puts related records, loaded as far as the paths go, into the place of their ids. */
async function relate(
  env: Environment,
  field: FieldDef,
  known: Map<number, unknown>,
  below: PathTree,
  records: Map<number, Plain>,
): Promise<void> {
  const comodel = field.comodel as ModelDef
  const many = !leadsToOne(field)
  const targets = new Set<number>()
  for (const id of records.keys()) {
    const value = known.get(id)
    if (many) for (const target of (value as readonly number[] | null) ?? []) targets.add(target)
    else if (value) targets.add(value as number)
  }
  const deeper = Object.keys(below).length > 0
  const found = deeper ? await loadTree(env, comodel, [...targets], below) : null
  const one = (target: number): Plain | undefined => (found ? found.get(target) : { id: target })
  for (const record of records.values()) {
    const value = known.get(record.id)
    if (many)
      record[field.name] = ((value as readonly number[] | null) ?? []).flatMap((target) => one(target) ?? [])
    else record[field.name] = value ? (one(value as number) ?? null) : null
  }
}

function fieldOf(model: ModelDef, name: string): FieldDef {
  const field = model.fields.get(name)
  if (!field)
    throw new InvalidValue(`Invalid field ${shown(name)} on model ${model.name}`, {
      code: 'unknown_field',
      about: { model: model.name, field: name },
    })
  return field
}

interface Loaded {
  readonly existing: readonly number[]
  readonly of: Known
}

/** Code values of fields by record id: many2ones as ids, x2manys as arrays of ids. */
export async function loadFields(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  tree: PathTree = {},
): Promise<Loaded> {
  if (env.unit.pending.size) {
    const own = new Set(ids)
    await env.unit.registry.engine.flush(env, (stale) => needed(env, fields, own, stale))
  }
  const { of, computed, there } = await loadColumns(env, model, ids, fields, tree)
  const files = computed.filter((field) => isFile(field) || originalOf(field) !== null)
  if (files.length > 1) await loadFiles(env, files, there, of)
  // What several fields find behind relations is loaded in one walk; each then takes it from the cache.
  const walked = computed.filter((field) => isWalked(field))
  if (walked.length > 1) await walk(env, model, there, walked)
  for (const field of computed) {
    const known = of.get(field) as Map<number, unknown>
    const wanted = there.filter((id) => !known.has(id))
    const values = await slowValues(env, field, wanted)
    for (const id of wanted) known.set(id, idsOnly(values.get(id) ?? null))
  }
  return { existing: there, of }
}

/** Computed relations may be given as records. */
function idsOnly(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((v) => (typeof v === 'object' && v !== null && 'id' in v ? v.id : v))
  return typeof value === 'object' && value !== null && 'id' in value ? (value as { id: number }).id : value
}

/**
 * Values that need code: computed ones by their function, related ones by walking their path, attachments by
 * theirs.
 */
async function slowValues(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, unknown>> {
  if (ids.length === 0) return new Map()
  if (field.compute) return env.unit.registry.engine.compute(env, field, ids)
  if (isFile(field) || originalOf(field)) return contents(env, field, ids)
  if (field.related) return (await walk(env, field.model, ids, [field])).get(field) as Map<number, unknown>
  return new Map(ids.map((record) => [record, null]))
}

/** Related fields that neither a function nor a file gives. */
const isWalked = (field: FieldDef): boolean =>
  field.related !== null && !field.compute && !isFile(field) && originalOf(field) === null

/** Values at the end of the paths of related fields. */
async function walk(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
): Promise<Map<FieldDef, Map<number, unknown>>> {
  const paths = fields.map((field) => field.related as readonly string[])
  const records = await loadPaths(
    env.sudo(),
    model,
    ids,
    paths.map((path) => path.join('.')),
  )
  return new Map(
    fields.map((field, i) => [
      field,
      new Map(records.map((record) => [record.id, endOf(record, paths[i] as readonly string[])])),
    ]),
  )
}

function endOf(record: Plain, path: readonly string[]): unknown {
  let value: unknown = record
  for (const step of path) value = value === null ? null : (value as Plain)[step]
  return value ?? null
}

/** Contents of several fields' files, in one query. */
async function loadFiles(
  env: Environment,
  fields: readonly FieldDef[],
  ids: readonly number[],
  of: Known,
): Promise<void> {
  const all = new Set(
    fields
      .flatMap((field) => originalOf(field) ?? [])
      .filter(isFile)
      .concat(fields),
  )
  const found = await filesValues(env, [...all], ids)
  for (const field of fields) {
    const known = of.get(field) as Map<number, unknown>
    const own = found.get(field.name)
    const original = originalOf(field)
    // An original that is no file has values of another kind, which are asked for field by field.
    if (original && !isFile(original)) continue
    for (const id of ids) {
      const value = own?.has(id) ? own.get(id) : original && found.get(original.name)?.get(id)
      if (!known.has(id)) known.set(id, value ?? null)
    }
  }
}

/** Contents of files. An image that is small enough is its own smaller version. */
async function contents(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, unknown>> {
  const found = await fileValues(env, field, ids)
  const original = originalOf(field)
  const rest = original ? ids.filter((record) => !found.has(record)) : []
  const others =
    original && rest.length
      ? (await loadFields(env, field.model, rest, [original])).of.get(original)
      : undefined
  return new Map(
    ids.map((record) => [record, (found.has(record) ? found.get(record) : others?.get(record)) ?? null]),
  )
}
