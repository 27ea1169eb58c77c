// Computed before the row is there: stored computed fields of new records that follow from given values and
// from other records.
// The row is then written once, and not again for each of them.

import { present } from '../../kit/present.ts'
import { withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToMany, leadsToOne } from '../language/relations.ts'
import { companyDefault } from '../row/company-values.ts'
import { heldAsGiven, isOneForAll, variantOf } from '../row/held.ts'
import { parseOrder } from '../row/order.ts'
import type { Sorted } from '../row/values.ts'
import { together } from '../unit/together.ts'
import { cleanComputed, linkedIds } from './store.ts'
import { computeTogether, sourceOf } from './values.ts'

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

/** Fields of one function, and where those stand that they follow from. */
interface Step {
  readonly fields: readonly FieldDef[]
  readonly after: readonly number[]
}

/** The same, those of one function together, where the first of them stands. */
function stepsOf(env: Environment, model: ModelDef): readonly Step[] {
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
  const under: Promise<void>[] = []
  const work = (step: Step) => computeStep(env, step.fields, ids, sorted, links)
  // Where computed values wait to be stored, a read may have to compute some first.
  const alone = env.unit.pending.size > 0
  for (const step of stepsOf(env, model)) {
    if (alone) await work(step)
    else under.push(step.after.length ? behind(step, under, work) : work(step))
  }
  await together(...under)
  return links
}

async function behind(
  step: Step,
  under: readonly Promise<void>[],
  work: (step: Step) => Promise<void>,
): Promise<void> {
  await Promise.all(step.after.map((n) => under[n]))
  await work(step)
}

/** Fields of one function. */
async function computeStep(
  env: Environment,
  fields: readonly FieldDef[],
  ids: readonly number[],
  sorted: readonly Sorted[],
  links: Links,
): Promise<void> {
  const su = env.sudo()
  const given = (field: FieldDef, i: number) => {
    const values = sorted[i]
    if (values?.columns.has(field)) return true
    if (!values?.lines.size) return false
    return (leadsToMany(field) && values.lines.has(field)) || hasLines(field, values)
  }
  for (const field of fields) keep(su, field, ids, sorted)
  const open = ids.filter((_, i) => fields.some((field) => !given(field, i)))
  if (open.length === 0) return
  const values = await computeTogether(su, fields, open, true)
  const markup = await cleanComputed(env, values)
  for (const field of fields) {
    const of = values.get(field)
    const known = env.unit.cache.of(field, variantOf(su, field))
    for (let i = 0; i < ids.length; i++) {
      const id = present(ids[i])
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

/** Computed links of new records, by field and record. */
export type Links = Map<FieldDef, Map<number, readonly number[]>>

/** Keeps what was given for a computed field, for those that follow from it. */
function keep(su: Environment, field: FieldDef, ids: readonly number[], sorted: readonly Sorted[]): void {
  if (!sorted.some(({ columns }) => columns.has(field))) return
  const known = su.unit.cache.of(field, variantOf(su, field))
  for (let i = 0; i < ids.length; i++) {
    const columns = sorted[i]?.columns
    if (columns?.has(field)) {
      const value = columns.get(field) ?? null
      known.set(present(ids[i]), leadsToOne(field) ? value : field.type.fromColumn(field, value))
    }
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

/** Keeps the given values of new records where reading would look for them. */
export function remember(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  sorted: readonly Sorted[],
): void {
  const su = env.sudo()
  for (const field of watched(env, model)) {
    const own = variantOf(env, field)
    keepGiven(env, field, own, { ids, sorted })
    const seen = env.su || isOneForAll(field) ? own : variantOf(su, field)
    if (seen !== own) keepGiven(env, field, seen, { ids, sorted })
  }
}

function keepGiven(
  env: Environment,
  field: FieldDef,
  variant: string,
  { ids, sorted }: { readonly ids: readonly number[]; readonly sorted: readonly Sorted[] },
): void {
  const known = env.unit.cache.of(field, variant)
  const isMany = leadsToMany(field)
  for (let i = 0; i < ids.length; i++) {
    const id = present(ids[i])
    const values = sorted[i]
    if (isMany) {
      if (asksNothing(values?.lines.get(field))) known.set(id, [])
      continue
    }
    const value = values?.columns.get(field) ?? null
    // A given amount is known once it is rounded to its currency.
    if (field.kind === 'monetary' && value !== null) continue
    // A company may have given a value, or all may fall back to one.
    if (field.options.companyDependent && (value !== null || companyDefault(env, field) !== null)) continue
    known.set(id, leadsToOne(field) ? value : field.type.fromColumn(field, value))
  }
}

/** Whether a value for lines, if there is one, has no command. */
const asksNothing = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length === 0)

/** Keeps that a column of new records holds nothing yet. */
export function keepUnset(env: Environment, field: FieldDef, ids: readonly number[]): void {
  if (!field.column || field.translate || field.options.companyDependent) return
  const known = env.unit.cache.of(field, variantOf(env, field))
  for (const id of ids) known.set(id, null)
}

/** Own lists of a model of this registry, and fields that somebody computes from or checks, or that lists follow. */
function watched(env: Environment, model: ModelDef): readonly FieldDef[] {
  const known = watchedFields.get(model)
  if (known) return known
  const checked = new Set(model.checks.flatMap(({ rule }) => rule.depends))
  for (const { path } of parseOrder(model.order)) checked.add(present(path[0]))
  if (model.active) checked.add(model.active.name)
  const fields = [...model.fields.values()].filter((field) => {
    if (field.automatic || field.compute || field.related) return false
    if (leadsToMany(field)) return field.stored
    if (!checked.has(field.name) && !env.unit.registry.triggers.has(field)) return false
    return (
      heldAsGiven(field) || (field.column && (field.kind === 'monetary' || field.options.companyDependent))
    )
  })
  watchedFields.set(model, fields)
  return fields
}

const watchedFields = new WeakMap<ModelDef, readonly FieldDef[]>()
