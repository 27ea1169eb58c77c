// Computed before the row is there: stored computed fields of new records that follow from given values and
// from other records.
// The row is then written once, and not again for each of them.

import { join, literal, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import { withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/relations.ts'
import { companyDefault } from '../row/company-values.ts'
import { heldAsGiven, variantOf } from '../row/held.ts'
import type { Sorted } from '../row/values.ts'
import { cleanComputed, linkedIds } from './store.ts'
import { computeTogether, sourceOf } from './values.ts'

const idsFor = (model: ModelDef, count: number) =>
  sql`SELECT nextval(pg_get_serial_sequence(${literal(`"${model.table}"`)}, 'id'))::int FROM generate_series(1, (SELECT ${count}::int))`

/** Ids for `count` records to be inserted, in ascending order; those that were reserved, where these do. */
export async function allocateIds(env: Environment, model: ModelDef, count: number): Promise<number[]> {
  if (hasReserved(env, model, count)) return reservedOf(env).get(model)?.splice(0, count) ?? []
  const rows = await env.query(idsFor(model, count))
  return rows.map((row) => row[0] as number).sort((a, b) => a - b)
}

/** Ids that a call reserved and has not used yet. */
const reserved = new WeakMap<Environment['unit'], Map<ModelDef, number[]>>()

function reservedOf({ unit }: Environment): Map<ModelDef, number[]> {
  const own = reserved.get(unit) ?? new Map<ModelDef, number[]>()
  reserved.set(unit, own)
  return own
}

/** Whether ids for that many records of a model were reserved. */
export const hasReserved = (env: Environment, model: ModelDef, count: number): boolean =>
  (reserved.get(env.unit)?.get(model)?.length ?? 0) >= count

/**
 * Reserves ids for records of several models that the call is going to make, in one statement: their INSERTs
 * need not be waited for then. What is not used is a gap in the ids, as after a call that is undone.
 */
export async function reserveIds(env: Environment, counts: ReadonlyMap<ModelName, number>): Promise<void> {
  const wanted = [...counts].filter(([, count]) => count > 0).map(([name, n]) => [env.def(name), n] as const)
  if (wanted.length === 0) return
  const [row = []] = await env.query(
    sql`SELECT ${join(wanted.map(([model, count]) => sql`ARRAY(${idsFor(model, count)})`))}`,
  )
  for (const [i, [model]] of wanted.entries()) {
    const fresh = (row[i] as number[]).toSorted((a, b) => a - b)
    reservedOf(env).set(model, [...(reservedOf(env).get(model) ?? []), ...fresh])
  }
}

/**
 * Stored computed fields of a model that may be computed before the insert, in the order of their
 * dependencies.
 */
export function precomputable(env: Environment, model: ModelDef): FieldDef[] {
  const known = cached.get(model)
  if (known) return known
  const order = env.unit.registry.computeOrder
  const candidates = [...model.fields.values()].filter(
    (f) =>
      f.compute &&
      !f.translate &&
      !f.options.companyDependent &&
      (f.options.precompute ? f.column || f.link !== null : f.compute.pure && heldAsGiven(f)),
  )
  candidates.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
  const ready = new Set<FieldDef>()
  for (const field of candidates)
    if (field.compute?.depends.every((path) => reachable(model, path.split('.'), ready))) ready.add(field)
  cached.set(model, [...ready])
  return [...ready]
}

const cached = new WeakMap<ModelDef, FieldDef[]>()

/** The same, those of one function together, where the first of them stands. */
function precomputedTogether(env: Environment, model: ModelDef): readonly (readonly FieldDef[])[] {
  const known = groups.get(model)
  if (known) return known
  const made = [...Map.groupBy(precomputable(env, model), sourceOf).values()]
  groups.set(model, made)
  return made
}

const groups = new WeakMap<ModelDef, readonly (readonly FieldDef[])[]>()

/** Whether a path starts in something that is known of a record that is not there yet. */
function reachable(
  model: ModelDef,
  [first, ...rest]: readonly string[],
  ready: ReadonlySet<FieldDef>,
): boolean {
  const field = model.fields.get(first as string)
  if (!field) return false
  if (field.name === 'id') return true
  if (field.related && !field.stored) return reachable(model, [...field.related, ...rest], ready)
  if (field.compute) return ready.has(field)
  // Lines come after the record; none are there yet, and those that come make the field stale.
  if (leadsToMany(field)) return true
  return (heldAsGiven(field) || (field.kind === 'monetary' && field.column)) && !field.automatic
}

/**
 * Computes what can be computed and adds it to the columns; the cache then knows the new records as if they
 * had been read.
 * Gives computed links, which are to be made once the records are there.
 */
export async function precompute(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): Promise<Links> {
  remember(env, model, ids, sorted)
  const su = env.sudo()
  const links: Links = new Map()
  for (const together of precomputedTogether(env, model)) {
    const given = (field: FieldDef, i: number) =>
      sorted[i]?.columns.has(field) || sorted[i]?.lines.has(field) || hasLines(field, sorted[i])
    for (const field of together) keep(env, field, ids, sorted)
    const open = ids.filter((_, i) => together.some((field) => !given(field, i)))
    if (open.length === 0) continue
    const values = await computeTogether(su, together, open, true)
    const markup = await cleanComputed(env, values)
    for (const field of together) {
      const of = values.get(field)
      const known = env.unit.cache.of(field, variantOf(su, field))
      for (const [i, id] of ids.entries()) {
        if (given(field, i) || !of?.has(id)) continue
        if (field.link) {
          const linked = linkedIds(of.get(id))
          links.set(field, (links.get(field) ?? new Map<number, readonly number[]>()).set(id, linked))
          known.set(id, linked)
          continue
        }
        const value = of.get(id)
        const plain = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
        const column = withCleaned(markup, () => field.type.toColumn(field, plain ?? false))
        sorted[i]?.columns.set(field, column)
        known.set(id, leadsToOne(field) ? column : field.type.fromColumn(field, column))
      }
    }
  }
  return links
}

/** Computed links of new records, by field and record. */
export type Links = Map<FieldDef, Map<number, readonly number[]>>

/** Keeps what was given for a computed field, for those that follow from it. */
function keep(env: Environment, field: FieldDef, ids: readonly number[], sorted: readonly Sorted[]): void {
  const known = env.unit.cache.of(field, variantOf(env.sudo(), field))
  for (const [i, id] of ids.entries()) {
    const values = sorted[i]
    if (values?.columns.has(field)) {
      const value = values.columns.get(field) ?? null
      known.set(id, leadsToOne(field) ? value : field.type.fromColumn(field, value))
    }
  }
}

/** Whether lines that the field looks at are about to be made. */
export function hasLines(field: FieldDef, values: Sorted | undefined): boolean {
  if (!values?.lines.size) return false
  const looked = new Set(field.compute?.depends.map((path) => path.split('.')[0]))
  return [...values.lines.keys()].some((line) => looked.has(line.name))
}

/** Keeps the given values of new records where reading would look for them. */
export function remember(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): void {
  for (const field of watched(env, model)) {
    const lines = leadsToMany(field)
    for (const variant of new Set([variantOf(env, field), variantOf(env.sudo(), field)])) {
      const known = env.unit.cache.of(field, variant)
      for (const [i, id] of ids.entries()) {
        if (lines) {
          if (!sorted[i]?.lines.has(field)) known.set(id, [])
          continue
        }
        const value = sorted[i]?.columns.get(field) ?? null
        // A given amount is known once it is rounded to its currency.
        if (field.kind === 'monetary' && value !== null) continue
        // A company may have given a value, or all may fall back to one.
        if (field.options.companyDependent && (value !== null || companyDefault(env, field) !== null))
          continue
        known.set(id, leadsToOne(field) ? value : field.type.fromColumn(field, value))
      }
    }
  }
}

/** Own fields of a model of this registry that somebody computes from or checks. */
function watched(env: Environment, model: ModelDef): readonly FieldDef[] {
  const known = watchedFields.get(model)
  if (known) return known
  const checked = new Set(model.checks.flatMap(({ rule }) => rule.depends))
  const fields = [...model.fields.values()].filter((field) => {
    if (field.automatic || field.compute || field.related) return false
    if (!checked.has(field.name) && !env.unit.registry.triggers.has(field)) return false
    return (
      heldAsGiven(field) ||
      (field.column && (field.kind === 'monetary' || field.options.companyDependent)) ||
      (leadsToMany(field) && field.stored)
    )
  })
  watchedFields.set(model, fields)
  return fields
}

const watchedFields = new WeakMap<ModelDef, readonly FieldDef[]>()
