// Values of computed fields: their declared dependencies are loaded in one go, then the function runs over
// all records.
import { ValidationError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { partOf } from '../behaviour/implement.ts'
import type { LooseRecord } from '../language/behaviour.ts'
import type { FieldDef, Ids, LooseVals } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { loadedTree, loadPaths } from '../load/load.ts'
import { type PathTree, treeOf } from '../load/tree.ts'
import { variantOf } from '../row/cache-key.ts'

/** Values of a computed field by id, without records that are gone. Reads as the superuser. */
export async function computeValues(
  env: Environment,
  field: FieldDef,
  ids: Ids,
): Promise<Map<number, unknown>> {
  const compute = field.compute
  if (!compute) throw new Error(`${field.model.name}.${field.name} is not computed.`)
  const records = (await loadPaths(env.sudo(), field.model, ids, compute.depends)) as LooseRecord[]
  return compute.run(records, env)
}

/** The function of a computed field: fields with the same one are computed together. */
export const sourceOf = (field: FieldDef): object | null => field.compute?.source ?? field.compute

type ComputedValues = ReadonlyMap<FieldDef, ReadonlyMap<number, unknown>>

/** Results of a function by record: the value of its only field, or objects with values by field. */
export type Computed = ReadonlyMap<number, unknown>

/**
 * As `computeValues`, for fields of one source: its function runs once. `fresh`: the records are about to be
 * inserted. At once where all is at hand and the function does not wait, which is so for most.
 */
export function computeTogether(
  env: Environment,
  fields: readonly FieldDef[],
  ids: Ids,
  fresh = false,
): Computed | Promise<Computed> {
  const [first] = fields
  if (!first?.compute) return new Map()
  const { depends } = first.compute
  const su = env.sudo()
  const records = loadedTree(su, first.model, ids, treeFor(first))
  if (records) return computeFrom(env, first, records as LooseRecord[], fresh)
  return loadPaths(su, first.model, ids, depends).then((read) =>
    computeFrom(env, first, read as LooseRecord[], fresh),
  )
}

const treeFor = oncePer(({ compute }: FieldDef): PathTree => treeOf(compute?.depends ?? []))

function computeFrom(
  env: Environment,
  first: FieldDef,
  records: readonly LooseRecord[],
  fresh: boolean,
): Computed | Promise<Computed> {
  if (fresh) assertLinked(env.sudo(), first, records)
  const { compute } = first
  if (!compute) return new Map()
  return compute.source ? compute.source.run(records, env, fresh) : compute.run(records, env)
}

/** Whether a function gave a value for a field of a record, and which. */
export function computedFor(
  computed: Computed,
  field: FieldDef,
  id: number,
): { readonly value: unknown } | null {
  const value = computed.get(id)
  if (!field.compute?.source) return value !== undefined || computed.has(id) ? { value } : null
  const fieldValue = (value as LooseVals | undefined)?.[field.name]
  return fieldValue === undefined ? null : { value: fieldValue }
}

export function byField(fields: readonly FieldDef[], computed: Computed): ComputedValues {
  const values = computed as Parameters<typeof partOf>[0]
  const parts = new Map<FieldDef, ReadonlyMap<number, unknown>>()
  for (const field of fields) parts.set(field, field.compute?.source ? partOf(values, field.name) : computed)
  return parts
}

/**
 * Functions count on required links: one to a record that is not there is refused in PostgreSQL's place,
 * which is asked after them.
 */
function assertLinked(env: Environment, field: FieldDef, records: readonly LooseRecord[]): void {
  for (const link of linksOf(field)) {
    const linkedIds = env.unit.cache.of(link, variantOf(env, link))
    if (records.some((record) => record[link.name] === null && linkedIds.get(record.id)))
      throw new ValidationError(`The field ${link.label} refers to a record that does not exist.`)
  }
}

/** Required links through which a computed field looks: by field, as databases share functions. */
const linksOf = oncePer(({ compute, model }: FieldDef): readonly FieldDef[] => {
  const paths = compute?.depends.filter((path) => path.includes('.')) ?? []
  return [...new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))]
    .flatMap((name) => model.fields.get(name) ?? [])
    .filter((link) => link.required && link.column && leadsToOne(link))
})

// Functions of modules that returned a promise before: code that needs a value at once does not call them, as
// an abandoned promise may send a statement after the end of its call, and its failure would be lost.

/**
 * Observations of earlier runs of a function. `isSameForAll`: it was asynchronous and returned the same for
 * two records, so it runs once for all records of a list; others, such as a random token, run for each.
 */
export const learnedOf = oncePer((_run: object) => ({ returnsPromises: false, isSameForAll: false }))

export const isKnownAsync = (run: object): boolean => learnedOf(run).returnsPromises

/** Whether a result is a promise; records that of its function, and lets the promise be abandoned. */
export function isPromise(run: object, value: unknown): value is Promise<unknown> {
  if (!(value instanceof Promise)) return false
  learnedOf(run).returnsPromises = true
  value.catch(() => undefined)
  return true
}

// Runs steps that depend on each other: each begins as soon as the last of its dependencies is done.

/**
 * Runs all of them, each after those that it names by their places, which come earlier; null where all finish
 * synchronously (`work` returns null). Dependents of a failed step are skipped, all others are awaited: then
 * the first failure by place is thrown.
 */
export function runSteps<S extends { readonly after: readonly number[] }>(
  steps: readonly S[],
  work: (step: S) => Promise<void> | null,
): Promise<void> | null {
  const failures: { readonly place: number; readonly reason: unknown }[] = []
  const failed = (place: number, reason: unknown): false => {
    failures.push({ place, reason })
    return false
  }
  const begin = (step: S, place: number): boolean | Promise<boolean> => {
    try {
      const running = work(step)
      if (!running) return true
      return running.then(
        () => true,
        (reason: unknown) => failed(place, reason),
      )
    } catch (reason) {
      return failed(place, reason)
    }
  }
  /** By place: whether a step was done, or will be. */
  const done: (boolean | Promise<boolean>)[] = []
  for (const [place, step] of steps.entries()) {
    const needs = step.after.map((earlier) => done[earlier] ?? false)
    if (needs.includes(false)) done.push(false)
    else if (needs.every((need) => need === true)) done.push(begin(step, place))
    else done.push(Promise.all(needs).then((ends) => !ends.includes(false) && begin(step, place)))
  }
  const end = () => {
    const [first] = failures.sort((one, other) => one.place - other.place)
    if (first) throw first.reason
  }
  if (done.some((step) => step instanceof Promise)) return Promise.all(done).then(end)
  return failures.length ? Promise.resolve().then(end) : null
}
