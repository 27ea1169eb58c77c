// Changes of audited fields, written to the audit log with what was there before and what is there at the end
// of the call (docs/decisions/0092): below every way to write, as every writer notes its changes here.

import { Slot } from '../../kit/slot.ts'
import { and, id, idList, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { AuditedLater } from '../language/audited.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { ChangeKind, Unit } from '../language/unit.ts'
import { type AuditNote, entriesOf, insertOf, isBinding, keepingImages } from './audit-entries.ts'

/** Notes by the hooks that write them: a savepoint that is undone takes these back. */
const waiting = new WeakMap<() => Promise<void>, AuditNote>()

/** Records that a unit made of a model: what becomes of them until the end of the call is their making. */
const made = new Slot<Map<ModelDef, Set<number>>>()
/** Settings that a unit used. */
const settings = new Slot<number>()

/** Called before records of any model are made, changed or removed. */
export function noteAudited(
  env: Environment,
  model: ModelDef,
  kind: ChangeKind,
  ids: readonly number[],
  fields: readonly FieldDef[],
): void {
  const { auditing } = model
  // Databases in the making, and work of the server's own, leave no entries.
  if (!auditing || ids.length === 0 || env.unit.rights.version === 'unrestricted') return
  const fresh = madeOf(env.unit, model)
  if (kind === 'c') {
    for (const one of ids) fresh.add(one)
    if (auditing.create) keep(env, { model, kind, ids, fields: auditing.create, before: null, env })
    return
  }
  const there = fresh.size ? ids.filter((one) => !fresh.has(one)) : ids
  if (there.length === 0) return
  if (kind === 'd') {
    if (auditing.unlink) capture(env, model, kind, there, auditing.unlink)
    return
  }
  const always = fields.filter((field) => auditing.always.has(field))
  if (always.length) noteWritten(env, model, there, always)
  for (const later of auditing.later) noteLater(env, model, later, there, fields)
}

function madeOf(unit: Unit, model: ModelDef): Set<number> {
  const all = made.get(unit) ?? new Map<ModelDef, Set<number>>()
  made.set(unit, all)
  const known = all.get(model)
  if (known) return known
  const fresh = new Set<number>()
  all.set(model, fresh)
  return fresh
}

/** Fields that count in some states: where the cache knows the state, nothing is asked for it. */
function noteLater(
  env: Environment,
  model: ModelDef,
  later: AuditedLater,
  ids: readonly number[],
  fields: readonly FieldDef[],
): void {
  // What the deed writes that changes the state belongs to that deed.
  if (!later.through && fields.includes(later.state))
    keep(env, { model, kind: 'u', ids, fields: [later.state], before: null, env })
  const counting = fields.filter((field) => later.fields.has(field))
  if (counting.length === 0) return
  const moving = movingIn(env.unit, later.state)
  const binding: number[] = []
  const unknown: number[] = []
  for (const one of ids) {
    const document = later.through ? known(env, later.through, one) : one
    if (typeof document === 'number' && moving.has(document)) continue
    const state = typeof document === 'number' ? known(env, later.state, document) : undefined
    if (state === undefined) unknown.push(one)
    else if (later.in.has(String(state))) binding.push(one)
  }
  if (binding.length) noteWritten(env, model, binding, counting)
  if (unknown.length) capture(env, model, 'u', unknown, counting, isBinding(later))
}

/** Documents whose state this unit has changed, and not taken back. */
function movingIn(unit: Unit, state: FieldDef): ReadonlySet<number> {
  const moving = new Set<number>()
  for (const { fields, before, ids, kind } of notesOf(unit))
    if (kind === 'u' && before === null && fields[0] === state) for (const one of ids) moving.add(one)
  return moving
}

const notesOf = (unit: Unit): AuditNote[] => unit.beforeCommit.flatMap((hook) => waiting.get(hook) ?? [])

/** A value as the cache has it, before it is written; undefined where it is not known. */
function known({ unit }: Environment, field: FieldDef, record: number): unknown {
  if (field.translate || field.options.companyDependent || unit.pending.get(field)?.has(record))
    return undefined
  const values = unit.cache.of(field, '')
  return values.has(record) ? (values.get(record) ?? null) : undefined
}

/** Kinds whose values the cache has as PostgreSQL writes them in JSON. */
const alike = new Set(['selection', 'many2one'])

function noteWritten(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
): void {
  const images = fields.every(({ kind }) => alike.has(kind)) ? imagesAtHand(env, ids, fields) : null
  if (!images) capture(env, model, 'u', ids, fields)
  else keep(env, { model, kind: 'u', ids, fields, before: { json: JSON.stringify(images) }, env })
}

function imagesAtHand(
  env: Environment,
  ids: readonly number[],
  fields: readonly FieldDef[],
): Record<number, Record<string, unknown>> | null {
  const images: Record<number, Record<string, unknown>> = {}
  for (const one of ids) {
    const image: Record<string, unknown> = {}
    for (const field of fields) {
      const value = known(env, field, one)
      if (value === undefined) return null
      image[field.name] = value || null
    }
    images[one] = image
  }
  return images
}

/**
 * Keeps rows as they are in a setting of the transaction, which nobody waits for: no table is written, and a
 * savepoint that is undone takes it back.
 */
function capture(
  env: Environment,
  model: ModelDef,
  kind: ChangeKind,
  ids: readonly number[],
  fields: readonly FieldDef[],
  condition = TRUE,
): void {
  const setting = nextSetting(env.unit)
  const which = and([sql`t."id" = ANY(${idList(ids)})`, condition])
  env.unit.send(keepingImages(setting, model, fields, { from: sql`${id(model.table)} t`, which }))
  keep(env, { model, kind, ids, fields, before: { setting }, env })
}

function nextSetting(unit: Unit): string {
  const place = (settings.get(unit) ?? 0) + 1
  settings.set(unit, place)
  return `comptoir.audited_${place}`
}

/**
 * Removes rows that nobody named by id, and writes them down as others that are removed; `which`: a condition
 * over the row `t`.
 */
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
  keep(env, { model, kind: 'd', ids: [], fields: unlink, before: { setting }, env })
}

/** The first hook of a call writes all that are there. */
function keep(env: Environment, note: AuditNote): void {
  const { unit } = env
  const hook = async () => {
    if (!waiting.has(hook)) return
    const notes = notesOf(unit)
    for (const one of unit.beforeCommit) waiting.delete(one)
    const entries = [...Map.groupBy(notes, ({ model, kind }) => `${kind}${model.name}`).values()].flatMap(
      (alike) => entriesOf(alike.filter(({ kind, before }) => kind === 'c' || before !== null)) ?? [],
    )
    if (entries.length) unit.send(insertOf(entries))
  }
  waiting.set(hook, note)
  unit.beforeCommit.push(hook)
}
