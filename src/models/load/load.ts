// Loading: declared paths of many records at once, one query a model and level, from the cache where it knows
// them.

import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import type { Sql } from '../../sql/index.ts'
import { idList, join, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/relations.ts'
import type { Scope } from '../language/scope.ts'
import { guardRecords } from '../row/access.ts'
import { variantOf } from '../row/held.ts'
import { rowsOf, scopeOver } from '../row/scope.ts'
import { filesValues, fileValues, isFile, originalOf } from './binaries.ts'
import { linkedIds } from './links.ts'

interface PathTree {
  [name: string]: PathTree
}
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
  const values = await loadFields(env, model, ids, fields)
  const records = new Map<number, Plain>()
  for (const id of values.existing) records.set(id, { id })
  for (const field of fields) {
    const known = values.of.get(field) as Map<number, unknown>
    const below = tree[field.name] as PathTree
    if (!field.comodel) {
      for (const record of records.values())
        record[field.name] = known.get(record.id) ?? field.type.fromColumn(field, null)
      continue
    }
    await relate(env, field, known, below, records)
  }
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
  readonly of: ReadonlyMap<FieldDef, Map<number, unknown>>
}

/** Code values of fields by record id: many2ones as ids, x2manys as arrays of ids. */
export async function loadFields(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
): Promise<Loaded> {
  if (env.unit.pending.size) {
    const own = new Set(ids)
    await env.unit.registry.engine.flush(env, (stale) => needed(env, fields, own, stale))
  }
  const of = new Map<FieldDef, Map<number, unknown>>()
  const columns: { field: FieldDef; expression: Sql }[] = []
  const computedOnes: FieldDef[] = []
  const scope = scopeOver(env, model)
  let missing = new Set<number>()
  for (const field of fields) {
    const known = env.unit.cache.of(field, variantOf(env, field))
    of.set(field, known)
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length === 0) continue
    const expression = scope.tally.apart(() => expressionOf(scope, field))
    if (expression) {
      columns.push({ field, expression })
      missing = missing.union(new Set(unknown))
    } else computedOnes.push(field)
  }
  // What several computed fields declare is loaded in the same go.
  if (computedOnes.length > 1) {
    for (const field of ownColumns(model, computedOnes)) {
      if (of.has(field)) continue
      const known = env.unit.cache.of(field, variantOf(env, field))
      const unknown = ids.filter((id) => !known.has(id))
      const expression = unknown.length ? scope.tally.apart(() => scope.value(field)) : null
      if (!expression) continue
      of.set(field, known)
      columns.push({ field, expression })
      missing = missing.union(new Set(unknown))
    }
  }
  const present = env.unit.cache.of(model.fields.get('id') as FieldDef, '')
  let there = ids
  if (columns.length || (fields.length === 0 && ids.some((id) => !present.has(id)))) {
    const wanted = columns.length ? missing : new Set(ids)
    const rows = await env.query(
      sql`SELECT ${join([scope.id, ...columns.map((c) => c.expression)])} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList([...wanted])})`,
    )
    const found = new Set<number>()
    for (const row of rows) {
      const record = row[0] as number
      found.add(record)
      present.set(record, record)
      for (const [i, { field }] of columns.entries()) of.get(field)?.set(record, codeValue(field, row[i + 1]))
    }
    there = ids.filter((id) => found.has(id) || !wanted.has(id))
  } else if (computedOnes.length) {
    // Without a column among the fields nobody may have looked yet whether the records are there.
    const unseen = ids.filter((id) => !present.has(id))
    for (const id of await existing(env, model, unseen)) present.set(id, id)
    there = unseen.length ? ids.filter((id) => present.has(id)) : ids
  }
  const files = computedOnes.filter((field) => isFile(field) || originalOf(field) !== null)
  if (files.length > 1) await loadFiles(env, files, there, of)
  // What several fields find behind relations is loaded in one walk; each then takes it from the cache.
  const walked = computedOnes.filter((field) => isWalked(field))
  if (walked.length > 1) await walk(env, model, there, walked)
  for (const field of computedOnes) {
    const known = of.get(field) as Map<number, unknown>
    const wanted = there.filter((id) => !known.has(id))
    const values = await slowValues(env, field, wanted)
    for (const id of wanted) known.set(id, idsOnly(values.get(id) ?? null))
  }
  return { existing: there, of }
}

function codeValue(field: FieldDef, value: unknown): unknown {
  if (leadsToOne(field)) return value ?? null
  if (field.comodel) return value ?? []
  return field.type.fromColumn(field, value)
}

/** Computed relations may be given as records. */
function idsOnly(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((v) => (typeof v === 'object' && v !== null && 'id' in v ? v.id : v))
  return typeof value === 'object' && value !== null && 'id' in value ? (value as { id: number }).id : value
}

function expressionOf(scope: Scope, field: FieldDef): Sql | null {
  if (leadsToMany(field)) {
    const links = linkedIds(scope, field)
    return links && sql`ARRAY(${links})`
  }
  return scope.value(field)
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
  of: ReadonlyMap<FieldDef, Map<number, unknown>>,
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

/**
 * Columns of the same record, and what has an SQL form, that computed fields declare, by way of others too.
 */
function ownColumns(model: ModelDef, fields: readonly FieldDef[]): FieldDef[] {
  const seen = new Set<FieldDef>(fields)
  const columns: FieldDef[] = []
  // A set that grows while it is gone through is gone through to its end.
  for (const field of seen) {
    if (field.column || field.compute?.options.sql) {
      if (field.kind !== 'properties') columns.push(field)
      continue
    }
    for (const path of field.compute?.depends ?? []) {
      const next = model.fields.get(path.split('.', 1)[0] as string)
      if (next) seen.add(next)
    }
  }
  return columns
}

/**
 * What of `stale` must be fresh for fields of some records to be read: nothing, all of it, or these records'
 * own.
 */
function needed(
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

/** Ids of a model that exist. */
export async function existing(env: Environment, model: ModelDef, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await env.query(sql`SELECT "id" FROM ${rowsOf(model)} AS t WHERE "id" = ANY(${idList(ids)})`)
  const found = new Set(rows.map((row) => row[0]))
  return ids.filter((record) => found.has(record))
}
