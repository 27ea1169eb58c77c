// Stores converted records of an import in batches. A batch that fails is bisected until the invalid
// records are alone.
import { AccessError, MissingError, ServiceError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { isRetryable, sqlState, translate } from '../../postgres/index.ts'
import type { Change, FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadFields } from '../load/load.ts'
import { matchesStored, prepareVals } from '../row/values.ts'
import { wordingOf } from '../terms/labels.ts'
import { Lines } from '../write/commands/lists.ts'
import { createByCaller } from '../write/commands/worker.ts'
import { missingRequiredError } from '../write/defaults.ts'
import { writeEach } from '../write/entry.ts'
import { attempt, inHalves } from './attempt.ts'
import type { Converted, Remark } from './convert.ts'
import { complete, enter, type Lookup } from './named-records.ts'

export type Outcome = { readonly id: number } | { readonly remark: Remark }

/** Too many failures abort an import, because bisection takes ever longer. */
export class Progress {
  #stored = 0
  #failed = 0

  note(stored: number, failed: number): void {
    this.#stored += stored
    this.#failed += failed
  }

  /** At least ten records failed, and one in ten of those tried. */
  get isHopeless(): boolean {
    return this.#failed >= 10 && this.#failed * 10 >= this.#stored + this.#failed
  }
}

/**
 * Stores distinct records of one model in their order. Returns fewer outcomes than records once the
 * import is aborted. Throws AccessError, and errors that the data did not cause.
 */
export async function storeRows(
  lookup: Lookup,
  model: ModelDef,
  items: readonly Converted[],
  progress: Progress,
): Promise<Outcome[]> {
  const { env } = lookup
  return inHalves<Converted, Outcome, Remark>(items, {
    apply: async (some) => {
      const ids = await attempt(env, () => apply(env, model, some))
      progress.note(some.length, 0)
      for (const [i, { xmlid }] of some.entries())
        if (xmlid) lookup.learn(xmlid, { model: model.name, id: present(ids[i]) })
      return ids.map((id) => ({ id }))
    },
    refusal: (error) => remarkOn(env, model, error),
    failed: (_, remark) => {
      progress.note(0, 1)
      return { remark }
    },
    get isHopeless() {
      return progress.isHopeless
    },
  })
}

async function apply(env: Environment, model: ModelDef, items: readonly Converted[]): Promise<number[]> {
  const fresh = items.filter((item) => item.target === null)
  const list = fresh.map((item) => item.vals)
  const created = await createByCaller(env, model, list)
  let next = 0
  const ids = new Map(items.map((item) => [item, item.target ?? present(created[next++])]))
  const named = fresh.map((item) => ({ xmlid: item.xmlid, id: present(ids.get(item)) }))
  await enterNames(env, model, named)
  const changes = items.flatMap(({ target, vals }) =>
    target === null || Object.keys(vals).length === 0 ? [] : [{ ids: [target], vals }],
  )
  await writeEach(env, model, await withoutUnchangedValues(env, model, changes))
  await makeLines(env, ids)
  return [...ids.values()]
}

async function makeLines(env: Environment, ids: ReadonlyMap<Converted, number>): Promise<void> {
  const lines = [...ids].flatMap(([item, owner]) => item.lines.map((line) => ({ line, owner })))
  for (const [field, some] of Map.groupBy(lines, ({ line }) => line.field)) {
    const worker = new Lines(env, field)
    await worker.make(some.map(({ line, owner }) => ({ vals: line.vals, owners: [owner] })))
    const named = some.map(({ line }, i) => ({ xmlid: line.xmlid, id: present(worker.created[i]).line }))
    await enterNames(env, worker.comodel, named)
  }
}

async function enterNames(
  env: Environment,
  model: ModelDef,
  records: readonly { readonly xmlid: string; readonly id: number }[],
): Promise<void> {
  const named = records.filter(({ xmlid }) => xmlid)
  const completed = named.map(({ xmlid, id }) => ({ xmlid: complete(env, xmlid), id }))
  await enter(env, model, completed)
}

/** Throws failures that the data did not cause: missing rights, concurrency, internal errors. */
function remarkOn(env: Environment, model: ModelDef, failure: unknown): Remark {
  const error = isRetryable(failure) ? failure : translate(failure, wordingOf(env.unit.registry))
  if (!(error instanceof ServiceError) || error instanceof AccessError) throw error
  if (error.status !== 422 && !(error instanceof MissingError)) throw error
  const field = emptyField(model, failure)
  return { type: 'error', message: error.message, ...(field ? { field } : {}) }
}

function emptyField(model: ModelDef, failure: unknown): FieldDef | undefined {
  if (sqlState(failure) === '23502') {
    const { table, column } = failure as { readonly table?: string; readonly column?: string }
    return table === model.table && column ? model.fields.get(column) : undefined
  }
  const message = failure instanceof Error ? failure.message : ''
  return [...model.fields.values()].find(
    (field) => field.required && missingRequiredError(field).message === message,
  )
}

// Repeated imports: values that a record already has are not written, which saves the work of modules
// for changes.

const isPlain = (field: FieldDef | undefined): field is FieldDef =>
  field?.type.plain === true &&
  field.column &&
  !field.translate &&
  !field.options.companyDependent &&
  !field.compute

/**
 * Changes without plain values that their records already have. A record without other values is still
 * written, without values, because it was imported now. Throws the errors of the model's `prepare`.
 */
export async function withoutUnchangedValues(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (changes.length < 2) return changes
  const prepared = changes.map(({ ids, vals }) => {
    const values = { ...(vals as Record<string, unknown>) }
    prepareVals(env, model, values, ids)
    return { ids, vals: values }
  })
  const fields = [...new Set(prepared.flatMap(({ vals }) => Object.keys(vals)))]
    .map((name) => model.fields.get(name))
    .filter(isPlain)
  if (fields.length === 0) return changes
  const recordIds = prepared.flatMap(({ ids }) => ids)
  const { of } = await loadFields(env.sudo(), model, recordIds, fields)
  const same = (record: number, field: FieldDef, value: unknown): boolean => {
    const values = of.get(field)
    return values?.has(record) === true && matchesStored(field, value, values.get(record))
  }
  return prepared.map(({ ids, vals }) => ({
    ids,
    vals: Object.fromEntries(
      Object.entries(vals).filter(([name, value]) => {
        const field = model.fields.get(name)
        return !isPlain(field) || !ids.every((record) => same(record, field, value))
      }),
    ),
  }))
}
