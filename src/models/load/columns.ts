// The values of columns and SQL forms that the cache does not have, of many records in one query; not those
// that a read under way returns, nor lists of records that the session created without lines.

import { mapInTurns } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import { touchesOf } from '../changes/log.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToMany } from '../language/field-options.ts'
import type { Row, Unit } from '../language/unit.ts'
import { together } from '../unit/reads.ts'
import { existing } from './links.ts'
import { type Leads, prefetchRelated } from './prefetch-related.ts'
import type { PathTree } from './tree.ts'
import { cachedValuesOf, hasExpression, keeping, readValues, type Value } from './values.ts'

/** Values by field and record: maps of the unit's cache. */
export type Known = ReadonlyMap<FieldDef, Map<number, unknown>>

const NOTHING: PathTree = {}

/** Values that are kept in a row: of more, others have their turns meanwhile. */
const MANY = 10_000

interface Gap {
  readonly of: Map<FieldDef, Map<number, unknown>>
  /** Fields that have an expression. */
  readonly columns: FieldDef[]
  /** Records of which something is not known. */
  readonly missing: Set<number>
  /** Fields that take code. */
  readonly computed: FieldDef[]
  /** Reads of others that bring something, and of which records. */
  readonly late: Map<Promise<unknown>, Ids>
}

interface Columns {
  readonly of: Known
  /** Fields that take code. */
  readonly computed: readonly FieldDef[]
  /** Which of the records there are. */
  readonly existing: Ids
}

/**
 * Loads values that need no code, and prefetches the targets of relations in `tree`; returns the fields
 * that need code, and the records that exist. Synchronous if the cache has all of it.
 */
export function loadColumns(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  fields: readonly FieldDef[],
  tree: PathTree = NOTHING,
  leads?: Leads,
): Columns | Promise<Columns> {
  const gap = gapOf(env, model, ids, fields)
  const { of, columns, computed, late } = gap
  if (fields.length && columns.length === 0 && computed.length === 0 && late.size === 0)
    return { of, computed, existing: ids }
  return filled(env, model, ids, gap, fields.length === 0, tree, leads)
}

const presentIn = (env: Environment, model: ModelDef) => env.unit.cache.of(fieldOf(model, 'id'), '')

async function filled(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  gap: Gap,
  idsOnly: boolean,
  tree: PathTree,
  leads?: Leads,
): Promise<Columns> {
  const { of, columns, missing, computed, late } = gap
  const present = presentIn(env, model)
  let existingIds = ids
  if (columns.length || (idsOnly && ids.some((id) => !present.has(id)))) {
    const wanted = columns.length ? missing : new Set(ids)
    const { reads, along } = prefetchRelated(env, model, wanted, columns, tree, leads)
    const values = along.length ? [...columns, ...along] : columns
    const reading = read(env, model, values, [...wanted], present, of)
    const done = reads.length ? together(reading, ...reads).then(([found]) => found) : reading
    const places = columns.flatMap((field) => of.get(field) ?? [])
    const seen = await bring(env.unit, places, wanted, done)
    existingIds = ids.filter((id) => seen.has(id) || !wanted.has(id))
  } else if (computed.length) {
    // Without a column among the fields, no read may have found out whether the records exist.
    const unseen = ids.filter((id) => !present.has(id))
    for (const id of await existing(env, model, unseen)) present.set(id, id)
    if (unseen.length) existingIds = ids.filter((id) => present.has(id))
  }
  for (const [done, awaited] of late) {
    await done
    const gone = new Set(awaited.filter((id) => !present.has(id)))
    if (gone.size) existingIds = existingIds.filter((id) => !gone.has(id))
  }
  return { of, computed, existing: existingIds }
}

function gapOf(env: Environment, model: ModelDef, ids: Ids, fields: readonly FieldDef[]): Gap {
  const gap: Gap = { of: new Map(), columns: [], missing: new Set(), computed: [], late: new Map() }
  for (const field of fields) look(env, gap, ids, field, true)
  // Columns that several computed fields depend on are loaded in the same statement.
  if (gap.computed.length > 1)
    for (const field of ownColumns(model, gap.computed))
      if (!gap.of.has(field)) look(env, gap, ids, field, false)
  return gap
}

const NO_LINES: Ids = Object.freeze([])

/** Adds the values of a field that are missing; `always`: the caller needs them. */
function look(env: Environment, gap: Gap, ids: Ids, field: FieldDef, always: boolean): void {
  const cached = cachedValuesOf(env, field)
  if (always) gap.of.set(field, cached)
  let unknown = ids
  if (cached.size) {
    const missing: number[] = []
    for (const id of ids) if (!cached.has(id)) missing.push(id)
    unknown = missing
  }
  if (unknown.length === 0) return
  if (leadsToMany(field) && isEmptyYet(env, field, unknown)) {
    for (const id of unknown) cached.set(id, NO_LINES)
    return
  }
  const done = onTheWay(env.unit, cached, unknown)
  if (done) gap.late.set(done, unknown)
  else if (hasExpression(env, field)) {
    gap.of.set(field, cached)
    gap.columns.push(field)
    if (gap.missing.size < ids.length) for (const id of unknown) gap.missing.add(id)
  } else if (always) gap.computed.push(field)
}

/** Puts the values of the records into the cache; gives the ids of those that there are. */
async function read(
  env: Environment,
  model: ModelDef,
  values: readonly Value[],
  ids: Ids,
  seen: Map<number, unknown>,
  of: Known,
): Promise<ReadonlySet<number>> {
  const { rows, places } = readValues(env, model, values, ids)
  const list = await rows
  const existing = new Set<number>()
  const keepValues = keeping(env, values, places, of)
  const keep = (row: Row) => {
    const record = row[0] as number
    existing.add(record)
    seen.set(record, record)
    keepValues(row)
  }
  if (list.length * values.length > MANY) await mapInTurns(list, keep)
  else for (const row of list) keep(row)
  return existing
}

/** Columns of the record, and SQL forms, that computed fields declare, also through others. */
function ownColumns(model: ModelDef, fields: readonly FieldDef[]): FieldDef[] {
  const seen = new Set<FieldDef>(fields)
  const columns: FieldDef[] = []
  // A set that grows while it is gone through is gone through to its end.
  for (const field of seen) {
    if (field.column || (field.compute?.options.sql && !leadsToMany(field))) {
      if (field.kind !== 'properties') columns.push(field)
      continue
    }
    for (const path of field.compute?.depends ?? []) {
      const next = model.fields.get(present(path.split('.', 1)[0]))
      if (next) seen.add(next)
    }
  }
  return columns
}

interface OnTheWay {
  readonly ids: ReadonlySet<number>
  readonly done: Promise<unknown>
}

/** By session, and by the map of the cache that the values will be in. */
const coming = new Slot<Map<ReadonlyMap<number, unknown>, OnTheWay>>()

/** The read that will return the values of all these records; null without one. */
function onTheWay(unit: Unit, place: ReadonlyMap<number, unknown>, ids: Ids): Promise<unknown> | null {
  const loading = coming.get(unit)?.get(place)
  return loading && ids.every((id) => loading.ids.has(id)) ? loading.done : null
}

/** Waits for a read, which other reads may wait for too. */
function bring<T>(
  unit: Unit,
  places: readonly ReadonlyMap<number, unknown>[],
  ids: ReadonlySet<number>,
  done: Promise<T>,
): Promise<T> {
  const loading = { ids, done }
  const all = coming.obtain(unit, () => new Map())
  for (const place of places) all.set(place, loading)
  const clear = () => {
    for (const place of places) if (all.get(place) === loading) all.delete(place)
  }
  done.then(clear, clear)
  return done
}

/**
 * Whether no many2one or link can lead to these records, which are targets of `step`: the session created
 * them and no such links, and other sessions cannot see them. SQL of a module may have created some.
 */
export function isUnlinked(env: Environment, step: FieldDef, ids: Ids): boolean {
  const { unit } = env
  if (!step.comodel || step.options.companyDependent || !unit.cache.hasNewRows(step.comodel, ids))
    return false
  if (step.link) return !unit.insertions.has(step.link.table)
  return step.kind === 'many2one' && step.column && touchesOf(unit, step.model) === 0
}

/** Whether lists of these records are empty, for the same reason. */
function isEmptyYet(env: Environment, list: FieldDef, ids: Ids): boolean {
  if (list.compute || list.related) return false
  const { unit } = env
  if (list.link) return unit.cache.hasNewRows(list.model, ids) && !unit.insertions.has(list.link.table)
  const back = list.kind === 'one2many' ? list.comodel.fields.get(list.inverse) : undefined
  return back?.comodel === list.model && isUnlinked(env, back, ids)
}
