// Computed before the row is there: stored computed fields of new records that follow from given values and
// from other records. The row is then written once, and not again for each of them.

import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { withCleaned } from '../kinds/cleaning.ts'
import { idOrValue } from '../kinds/shared.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToMany } from '../language/field-options.ts'
import { isCachedVerbatim, variantOf } from '../row/cache-key.ts'
import type { Sorted } from '../row/destinations.ts'
import { remember } from './derived.ts'
import { cleanComputed, linkedIds } from './store.ts'
import { byField, type Computed, computedFor, computeTogether, runSteps, sourceOf } from './values.ts'

/** Fields of one function, and where those stand that they follow from. */
export interface Step {
  readonly fields: readonly FieldDef[]
  readonly after: readonly number[]
  /** Whether some of them hold markup, which is cleaned before it is kept. */
  readonly isMarkup: boolean
}

interface Early {
  /** In the order of their dependencies. */
  readonly fields: readonly FieldDef[]
  readonly steps: readonly Step[]
  /** Whether stored columns are left that are computed once the record is there. */
  readonly isPart: boolean
}

const earlyOf = oncePer((model: ModelDef, { computeOrder }: Registry): Early => {
  const fields = fieldsBefore(model, computeOrder)
  const isLater = (f: FieldDef) => f.compute && f.column && !f.inherited && !fields.includes(f)
  const isPart = [...model.fields.values()].some(isLater)
  return { fields, steps: stepsFor(model, fields), isPart }
})

/** Stored computed fields that may be computed before the insert, in the order of dependencies. */
export const precomputable = (env: Environment, model: ModelDef): readonly FieldDef[] =>
  earlyOf(model, env.unit.registry).fields

/** The same, those of one function together, where the first of them stands. */
export const stepsOf = (env: Environment, model: ModelDef): readonly Step[] =>
  earlyOf(model, env.unit.registry).steps

/** Whether stored columns are left that are computed once the record is there. */
export const computesLater = (env: Environment, model: ModelDef): boolean =>
  earlyOf(model, env.unit.registry).isPart

function fieldsBefore(model: ModelDef, order: Registry['computeOrder']): readonly FieldDef[] {
  const candidates = [...model.fields.values()].filter(
    (f) =>
      f.compute &&
      !f.translate &&
      !f.options.companyDependent &&
      (f.options.precompute ? f.column || f.link !== null : f.compute.pure && isCachedVerbatim(f)),
  )
  candidates.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
  const ready = new Set<FieldDef>()
  for (const field of candidates)
    if (field.compute?.depends.every((path) => reachable(model, path.split('.'), ready))) ready.add(field)
  return [...ready]
}

function stepsFor(model: ModelDef, fields: readonly FieldDef[]): readonly Step[] {
  const groups = [...Map.groupBy(fields, sourceOf).values()]
  const at = new Map(groups.flatMap((fields, n) => fields.map((field) => [field, n] as const)))
  return groups.map((fields, n) => {
    const depends = fields.flatMap((field) => field.compute?.depends ?? [])
    const needed = new Set(depends.flatMap((path) => at.get(startOf(model, path.split('.'))) ?? []))
    const after = [...needed].filter((other) => other < n)
    return { fields, after, isMarkup: fields.some(({ kind }) => kind === 'html') }
  })
}

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
  return (isCachedVerbatim(field) || (field.kind === 'monetary' && field.column)) && !field.automatic
}

interface Making {
  /** As the superuser. */
  readonly su: Environment
  readonly ids: Ids
  readonly sorted: readonly Sorted[]
  /** Fields that some of them have values for; null where some come with lines. */
  readonly explicitFields: ReadonlySet<FieldDef> | null
  readonly links: Links
}

function explicitFieldsOf(sorted: readonly Sorted[]): ReadonlySet<FieldDef> | null {
  const explicitFields = new Set<FieldDef>()
  for (const { columns, lines } of sorted) {
    if (lines.size) return null
    for (const field of columns.keys()) explicitFields.add(field)
  }
  return explicitFields
}

/**
 * Computes what can be computed and adds it to the columns; the cache then knows the new records as if they
 * had been read. Gives computed links, which are to be made once the records are there. Functions begin once
 * what they follow from is known, so that what they read leaves together.
 */
export async function precompute(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  sorted: readonly Sorted[],
): Promise<Links> {
  remember(env, model, ids, sorted)
  const making: Making = {
    su: env.sudo(),
    ids,
    sorted,
    explicitFields: explicitFieldsOf(sorted),
    links: new Map(),
  }
  const steps = stepsOf(env, model)
  // Where computed values wait to be stored, a read may have to compute some first.
  if (env.unit.recomputation.pending.size > 0) for (const step of steps) await computeStep(step, making)
  else await runSteps(steps, (step) => computeStep(step, making))
  return making.links
}

/** Fields of one function; null where they are there at once. */
function computeStep(step: Step, making: Making): Promise<void> | null {
  const { su, explicitFields } = making
  const { fields } = step
  const isOpen = explicitFields !== null && !fields.some((field) => explicitFields.has(field))
  const open = isOpen ? making.ids : openOf(step, making)
  if (open.length === 0) return null
  const computed = computeTogether(su, fields, open, true)
  if (computed instanceof Promise) return computed.then((all) => keepClean(step, all, making))
  return keepClean(step, computed, making) ?? null
}

/** Records that lack a value of the step; what others have of it is known from then on. */
function openOf({ fields }: Step, { su, ids, sorted }: Making): number[] {
  for (const field of fields) keep(su, field, ids, sorted)
  return ids.filter((_, i) => fields.some((field) => !isGiven(field, sorted[i])))
}

/** Cleans markup before it is kept. */
function keepClean(step: Step, computed: Computed, making: Making): Promise<void> | undefined {
  if (!step.isMarkup) return void keepComputed(step, computed, making)
  return cleanComputed(making.su, byField(step.fields, computed)).then((markup) =>
    withCleaned(markup, () => keepComputed(step, computed, making)),
  )
}

/** Whether a new record has a value for the field, or lines that it looks at. */
function isGiven(field: FieldDef, values: Sorted | undefined): boolean {
  if (values?.columns.has(field)) return true
  if (!values?.lines.size) return false
  return (leadsToMany(field) && values.lines.has(field)) || hasLines(field, values)
}

/** Adds computed values to columns and links, and to what is known. */
function keepComputed({ fields }: Step, computed: Computed, making: Making): void {
  const { su, ids, sorted, explicitFields, links } = making
  for (const field of fields) {
    const cachedValues = su.unit.cache.of(field, variantOf(su, field))
    const isOpen = explicitFields !== null && !explicitFields.has(field)
    for (let i = 0; i < ids.length; i++) {
      const [id, values] = [present(ids[i]), sorted[i]]
      const result = !isOpen && isGiven(field, values) ? null : computedFor(computed, field, id)
      if (!result) continue
      const { value } = result
      if (field.link) {
        const linked = linkedIds(value)
        links.set(field, (links.get(field) ?? new Map<number, Ids>()).set(id, linked))
        cachedValues.set(id, linked)
        continue
      }
      const column = field.type.toColumn(field, idOrValue(value) ?? false)
      values?.columns.set(field, column)
      cachedValues.set(id, field.type.fromColumn(field, column))
    }
  }
}

export type Links = Map<FieldDef, Map<number, Ids>>

/** Caches explicit values of a computed field, for those that follow from it. */
function keep(su: Environment, field: FieldDef, ids: Ids, sorted: readonly Sorted[]): void {
  if (!sorted.some(({ columns }) => columns.has(field))) return
  const cachedValues = su.unit.cache.of(field, variantOf(su, field))
  for (const [i, id] of ids.entries()) {
    const value = sorted[i]?.columns.get(field)
    if (value === undefined) continue
    cachedValues.set(id, field.type.fromColumn(field, value))
  }
}

/** Whether lines that the field looks at are about to be made. */
export function hasLines(field: FieldDef, values: Sorted | undefined): boolean {
  if (!values?.lines.size) return false
  for (const { name } of values.lines.keys())
    for (const path of field.compute?.depends ?? [])
      if (path === name || path.startsWith(`${name}.`)) return true
  return false
}
