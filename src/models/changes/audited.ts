// Changes of audited fields, written to the audit log with what was there before and what is there at the end
// of the call (docs/decisions/0091): below every way to write, as every writer notes its changes here.
import { Slot } from '../../kit/slot.ts'
import { and, id, idList, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { AuditedLater } from '../language/audited.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { ChangeKind, Unit } from '../language/unit.ts'
import { type AuditNote, entriesOf, insertEntries, isBinding, keepingImages } from './audit-entries.ts'

// Notes that a call takes one by one and handles together before COMMIT: each waits with a hook of its own,
// so that a savepoint that is undone takes back its notes and no others.

/** Notes of a call that are handled together before COMMIT. Rolling back to a savepoint drops its notes. */
export class CommitNotes<T extends object> {
  /** Bounded by the hooks, which live as long as their call. */
  readonly #notes = new WeakMap<() => Promise<void>, T>()

  waiting({ ending: { beforeCommit } }: Pick<Unit, 'ending'>): T[] {
    const notes: T[] = []
    for (const hook of beforeCommit) {
      const note = this.#notes.get(hook)
      if (note) notes.push(note)
    }
    return notes
  }

  /** Adds a note; the first hook of the call hands all notes to its `handle`. */
  add(unit: Pick<Unit, 'ending'>, note: T, handle: (notes: readonly T[]) => void | Promise<void>): void {
    const hook = async () => {
      if (!this.#notes.has(hook)) return
      const notes = this.waiting(unit)
      for (const other of unit.ending.beforeCommit) this.#notes.delete(other)
      await handle(notes)
    }
    this.#notes.set(hook, note)
    unit.ending.beforeCommit.push(hook)
  }
}

const changes = new CommitNotes<AuditNote>()
/** Records that a unit created, by model: later changes of the same call are part of their creation. */
const created = new Slot<Map<ModelDef, Set<number>>>()
/** Fields with a state that a unit changed of any record: only then its notes are looked through for others. */
const moved = new Slot<Set<FieldDef>>()
const settings = new Slot<number>()

/** Called before records of any model are made, changed or removed. */
export function noteAudited(
  env: Environment,
  model: ModelDef,
  kind: ChangeKind,
  ids: Ids,
  fields: readonly FieldDef[],
): void {
  const { auditing } = model
  // Databases in the making, and work of the server's own, leave no entries.
  if (!auditing || ids.length === 0 || env.unit.rights.version === 'unrestricted') return
  const fresh = createdOf(env.unit, model)
  if (kind === 'c') {
    for (const record of ids) fresh.add(record)
    if (auditing.create) keep({ model, kind, ids, fields: auditing.create, before: null, env })
    return
  }
  const older = fresh.size ? ids.filter((record) => !fresh.has(record)) : ids
  if (older.length === 0) return
  if (kind === 'd') {
    if (auditing.unlink) capture(env, model, kind, older, auditing.unlink)
    return
  }
  const always = fields.filter((field) => auditing.always.has(field))
  if (always.length) noteWritten(env, model, older, always)
  for (const later of auditing.later) noteLater(env, model, later, older, fields)
}

function createdOf(unit: Unit, model: ModelDef): Set<number> {
  const models = created.obtain(unit, () => new Map())
  const ids = models.get(model) ?? new Set()
  models.set(model, ids)
  return ids
}

/** Notes fields that count in some states. PostgreSQL is asked for a state that the cache does not have. */
function noteLater(
  env: Environment,
  model: ModelDef,
  later: AuditedLater,
  ids: Ids,
  fields: readonly FieldDef[],
): void {
  // Other fields that are written together with the state belong to that change.
  if (!later.through && fields.includes(later.state)) {
    moved.set(env.unit, (moved.get(env.unit) ?? new Set()).add(later.state))
    keep({ model, kind: 'u', ids, fields: [later.state], before: null, env })
  }
  const counting = fields.filter((field) => later.fields.has(field))
  if (counting.length === 0) return
  const moving = movingIn(env.unit, later.state)
  const binding: number[] = []
  const unknown: number[] = []
  for (const record of ids) {
    const document = later.through ? cached(env, later.through, record) : record
    if (typeof document === 'number' && moving.has(document)) continue
    const state = typeof document === 'number' ? cached(env, later.state, document) : undefined
    if (state === undefined) unknown.push(record)
    else if (later.in.has(String(state))) binding.push(record)
  }
  if (binding.length) noteWritten(env, model, binding, counting)
  if (unknown.length) capture(env, model, 'u', unknown, counting, isBinding(later))
}

/** Documents whose state this unit has changed, and not taken back. */
function movingIn(unit: Unit, state: FieldDef): ReadonlySet<number> {
  const moving = new Set<number>()
  if (!moved.get(unit)?.has(state)) return moving
  for (const { fields, before, ids, kind } of changes.waiting(unit))
    if (kind === 'u' && before === null && fields[0] === state)
      for (const document of ids) moving.add(document)
  return moving
}

/** A value of the cache, before it is written; undefined where the cache has none. */
function cached({ unit }: Environment, field: FieldDef, record: number): unknown {
  if (field.translate || field.options.companyDependent || unit.recomputation.pending.get(field)?.has(record))
    return undefined
  const values = unit.cache.of(field, '')
  return values.has(record) ? (values.get(record) ?? null) : undefined
}

/** Kinds whose values in the cache are those that PostgreSQL writes in JSON. */
const cachedAsJson = new Set(['selection', 'many2one'])

function noteWritten(env: Environment, model: ModelDef, ids: Ids, fields: readonly FieldDef[]): void {
  const images = fields.every(({ kind }) => cachedAsJson.has(kind)) ? cachedImages(env, ids, fields) : null
  if (!images) capture(env, model, 'u', ids, fields)
  else keep({ model, kind: 'u', ids, fields, before: { json: JSON.stringify(images) }, env })
}

function cachedImages(
  env: Environment,
  ids: Ids,
  fields: readonly FieldDef[],
): Record<number, Record<string, unknown>> | null {
  const images: Record<number, Record<string, unknown>> = {}
  for (const record of ids) {
    const image: Record<string, unknown> = {}
    for (const field of fields) {
      const value = cached(env, field, record)
      if (value === undefined) return null
      image[field.name] = value || null
    }
    images[record] = image
  }
  return images
}

/** Keeps rows in a setting of the transaction: it writes no table, and savepoints undo it. */
function capture(
  env: Environment,
  model: ModelDef,
  kind: ChangeKind,
  ids: Ids,
  fields: readonly FieldDef[],
  condition = TRUE,
): void {
  const setting = nextSetting(env.unit)
  const which = and([sql`t."id" = ANY(${idList(ids)})`, condition])
  env.unit.send(keepingImages(setting, model, fields, { from: sql`${id(model.table)} t`, which }))
  keep({ model, kind, ids, fields, before: { setting }, env })
}

function nextSetting(unit: Unit): string {
  const place = (settings.get(unit) ?? 0) + 1
  settings.set(unit, place)
  return `comptoir.audited_${place}`
}

/** Removes rows by a condition (`which`) over the row `t`, and audits them like rows removed by id. */
export function removeAudited(env: Environment, model: ModelDef, which: Sql): void {
  const { auditing } = model
  const unlink = auditing?.unlink
  if (!unlink || env.unit.rights.version === 'unrestricted') {
    env.unit.send(sql`DELETE FROM ${id(model.table)} t WHERE ${which}`)
    return
  }
  const setting = nextSetting(env.unit)
  const kept = keepingImages(setting, model, unlink, { from: raw('t') })
  env.unit.send(sql`WITH t AS (DELETE FROM ${id(model.table)} t WHERE ${which} RETURNING t.*) ${kept}`)
  keep({ model, kind: 'd', ids: [], fields: unlink, before: { setting }, env })
}

function keep(note: AuditNote): void {
  const { unit } = note.env
  changes.add(unit, note, (notes) => {
    // A method may act in the name of several users.
    const groups = Map.groupBy(
      notes.filter(({ kind, before }) => kind === 'c' || before !== null),
      ({ model, kind, env: { uid } }) => `${kind}${model.name} ${uid}`,
    )
    const entries = [...groups.values()].flatMap((alike) => entriesOf(alike) ?? [])
    if (entries.length) unit.send(insertEntries(entries))
  })
}
