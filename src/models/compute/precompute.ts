// Computed before the row is there: stored computed fields of new records that follow from given values and
// from other records.
// The row is then written once, and not again for each of them.

import { present } from '../../kit/present.ts'
import { withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToMany, leadsToOne } from '../language/relations.ts'
import { heldAsGiven, variantOf } from '../row/held.ts'
import type { Sorted } from '../row/values.ts'
import { together } from '../unit/together.ts'
import { remember } from './remember.ts'
import { cleanComputed, linkedIds } from './store.ts'
import { type ComputedValues, computeTogether, sourceOf } from './values.ts'

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

/** Whether stored columns are left that are computed once the record is there. */
export function computesLater(env: Environment, model: ModelDef): boolean {
  const known = later.get(model)
  if (known !== undefined) return known
  const early = new Set(precomputable(env, model))
  const found = [...model.fields.values()].some((f) => f.compute && f.column && !f.inherited && !early.has(f))
  later.set(model, found)
  return found
}

const later = new WeakMap<ModelDef, boolean>()

/** Fields of one function, and where those stand that they follow from. */
export interface Step {
  readonly fields: readonly FieldDef[]
  readonly after: readonly number[]
}

/** The same, those of one function together, where the first of them stands. */
export function stepsOf(env: Environment, model: ModelDef): readonly Step[] {
  const known = steps.get(model)
  if (known) return known
  const groups = [...Map.groupBy(precomputable(env, model), sourceOf).values()]
  const at = new Map(groups.flatMap((fields, n) => fields.map((field) => [field, n] as const)))
  const made = groups.map((fields, n) => {
    const depends = fields.flatMap((field) => field.compute?.depends ?? [])
    const needed = new Set(depends.flatMap((path) => at.get(startOf(model, path.split('.'))) ?? []))
    return { fields, after: [...needed].filter((other) => other < n) }
  })
  steps.set(model, made)
  return made
}

const steps = new WeakMap<ModelDef, readonly Step[]>()

/** The field of the record itself that a path begins with. */
function startOf(model: ModelDef, [first = '', ...rest]: readonly string[]): FieldDef {
  const field = fieldOf(model, first)
  return field.related && !field.stored ? startOf(model, [...field.related, ...rest]) : field
}

/** Whether a path starts in something that is known of a record that is not there yet. */
function reachable(
  model: ModelDef,
  [first, ...rest]: readonly string[],
  ready: ReadonlySet<FieldDef>,
): boolean {
  const field = model.fields.get(present(first))
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
 * Gives computed links, which are to be made once the records are there. Functions begin once what they
 * follow from is known, so that what they read leaves together.
 */
export async function precompute(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): Promise<Links> {
  remember(env, model, ids, sorted)
  const links: Links = new Map()
  // Null for those that are done.
  const under: (Promise<void> | null)[] = []
  const work = (step: Step) => computeStep(env, step.fields, ids, sorted, links)
  // Where computed values wait to be stored, a read may have to compute some first.
  const alone = env.unit.pending.size > 0
  for (const step of stepsOf(env, model)) {
    if (alone) await work(step)
    else under.push(begun(step, under, work))
  }
  const waiting = under.filter((one) => one !== null)
  if (waiting.length) await together(...waiting)
  return links
}

/** A step that begins once those are done that it follows; null where it is done already. */
function begun(
  step: Step,
  under: readonly (Promise<void> | null)[],
  work: (step: Step) => Promise<void> | null,
): Promise<void> | null {
  const before = step.after.flatMap((n) => under[n] ?? [])
  if (before.length) return behind(step, before, work)
  try {
    return work(step)
  } catch (error) {
    return Promise.reject(error)
  }
}

async function behind(
  step: Step,
  before: readonly Promise<void>[],
  work: (step: Step) => Promise<void> | null,
): Promise<void> {
  for (const one of before) await one
  await work(step)
}

/** Fields of one function; null where they are there at once. */
function computeStep(
  env: Environment,
  fields: readonly FieldDef[],
  ids: readonly number[],
  sorted: readonly Sorted[],
  links: Links,
): Promise<void> | null {
  const su = env.sudo()
  for (const field of fields) keep(su, field, ids, sorted)
  const open = ids.filter((_, i) => fields.some((field) => !isGiven(field, sorted[i])))
  if (open.length === 0) return null
  const values = computeTogether(su, fields, open, true)
  if (values instanceof Promise || fields.some(({ kind }) => kind === 'html'))
    return cleanedStep(su, values, ids, sorted, links)
  keepComputed(su, values, ids, sorted, links)
  return null
}

async function cleanedStep(
  su: Environment,
  computing: ComputedValues | Promise<ComputedValues>,
  ids: readonly number[],
  sorted: readonly Sorted[],
  links: Links,
): Promise<void> {
  const values = await computing
  const isMarkup = [...values.keys()].some(({ kind }) => kind === 'html')
  if (!isMarkup) return keepComputed(su, values, ids, sorted, links)
  const markup = await cleanComputed(su, values)
  withCleaned(markup, () => keepComputed(su, values, ids, sorted, links))
}

/** Whether a new record has a value for the field, or lines that it looks at. */
function isGiven(field: FieldDef, values: Sorted | undefined): boolean {
  if (values?.columns.has(field)) return true
  if (!values?.lines.size) return false
  return (leadsToMany(field) && values.lines.has(field)) || hasLines(field, values)
}

/** Adds computed values to columns and links, and to what is known. */
function keepComputed(
  su: Environment,
  values: ComputedValues,
  ids: readonly number[],
  sorted: readonly Sorted[],
  links: Links,
): void {
  for (const [field, of] of values) {
    const known = su.unit.cache.of(field, variantOf(su, field))
    const isOne = leadsToOne(field)
    for (const [i, id] of ids.entries()) {
      if (!of.has(id) || isGiven(field, sorted[i])) continue
      const value = of.get(id)
      if (field.link) {
        const linked = linkedIds(value)
        links.set(field, (links.get(field) ?? new Map<number, readonly number[]>()).set(id, linked))
        known.set(id, linked)
        continue
      }
      const plain = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
      const column = field.type.toColumn(field, plain ?? false)
      sorted[i]?.columns.set(field, column)
      known.set(id, isOne ? column : field.type.fromColumn(field, column))
    }
  }
}

/** Computed links of new records, by field and record. */
export type Links = Map<FieldDef, Map<number, readonly number[]>>

/** Keeps what was given for a computed field, for those that follow from it. */
function keep(su: Environment, field: FieldDef, ids: readonly number[], sorted: readonly Sorted[]): void {
  if (!sorted.some(({ columns }) => columns.has(field))) return
  const known = su.unit.cache.of(field, variantOf(su, field))
  const isOne = leadsToOne(field)
  for (const [i, id] of ids.entries()) {
    const value = sorted[i]?.columns.get(field)
    if (value === undefined) continue
    known.set(id, isOne ? value : field.type.fromColumn(field, value))
  }
}

/** Whether lines that the field looks at are about to be made. */
export function hasLines(field: FieldDef, values: Sorted | undefined): boolean {
  if (!values?.lines.size) return false
  const looked = startsOf(field)
  for (const line of values.lines.keys()) if (looked.has(line.name)) return true
  return false
}

/** Names of the record's own fields that a computed field looks at. */
function startsOf(field: FieldDef): ReadonlySet<string> {
  const known = starts.get(field)
  if (known) return known
  const names = new Set(field.compute?.depends.map((path) => present(path.split('.', 1)[0])))
  starts.set(field, names)
  return names
}

const starts = new WeakMap<FieldDef, ReadonlySet<string>>()
