// Upsert: creates or updates records by a key. Either all rows succeed, or rows that fail are skipped.

import {
  type ErrorObject,
  errorObject,
  InvalidValue,
  ServiceError,
  UnprocessableEntity,
  ValidationError,
} from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { Crowded, sqlState } from '../../../postgres/index.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { assertModel } from '../../rights/judge.ts'
import { assertVals } from '../../row/values.ts'
import { inWordsOf } from '../../terms/labels.ts'
import { inLanguage } from '../../terms/lexicon.ts'
import { createByCaller } from '../../write/commands/worker.ts'
import { writeEach } from '../../write/entry.ts'
import { attempt, inHalves } from '../attempt.ts'
import { enter } from '../named-records.ts'
import { differing } from './differences.ts'
import {
  comparableKey,
  EXTERNAL,
  idsByKey,
  type Key,
  type KeyValues,
  keyValuesOf,
  upsertKeyOf,
} from './key.ts'

export type UpsertOutcome =
  | {
      readonly index: number
      readonly status: 'created' | 'updated' | 'unchanged'
      readonly id: number
    }
  | { readonly index: number; readonly status: 'failed'; readonly error: ErrorObject }

/** Most rows of a call, and most rows that may fail: each takes a bisection. */
const [MOST, MOST_FAILED] = [1000, 64]

/**
 * Creates or updates a record for each row. `fail`: all or none, and the error names the row in
 * `context.index`. `skip`: rows that fail are reported, and the others are kept. Throws UnprocessableEntity
 * for fields that are not a key, for two rows with one key, and for too many rows or failures.
 */
export async function upsert(
  env: Environment,
  model: ModelDef,
  { key: keyNames, rows, onError }: { key: unknown; rows: readonly unknown[]; onError: unknown },
): Promise<UpsertOutcome[]> {
  if (onError !== 'fail' && onError !== 'skip') throw new InvalidValue('on_error must be "fail" or "skip".')
  if (!env.unit.rights.mayModel(env.user, model, 'write')) assertModel(env, model, 'create')
  const key = upsertKeyOf(env, model, keyNames)
  if (rows.length > MOST) throw tooMany(`Too many rows: at most ${MOST}. Send the others in another call.`)
  const work = new Upsert(env, model, key, onError === 'skip')
  return work.run(rows)
}

const tooMany = (message: string) => new UnprocessableEntity(message, { code: 'too_many' })

interface Item {
  readonly index: number
  /** Without entries that are not values of the record. */
  readonly vals: Record<string, unknown>
  readonly keyValues: KeyValues
  /** The record to update; null for a new one. */
  id: number | null
}

class Upsert {
  readonly #env: Environment
  readonly #model: ModelDef
  readonly #key: Key
  readonly #skips: boolean
  #failed = 0

  constructor(env: Environment, model: ModelDef, key: Key, skips: boolean) {
    this.#env = env
    this.#model = model
    this.#key = key
    this.#skips = skips
  }

  async run(rows: readonly unknown[]): Promise<UpsertOutcome[]> {
    const early: UpsertOutcome[] = []
    const ready = rows.flatMap(
      (row, index) => this.#tried(early, index, () => this.#itemOf(row, index)) ?? [],
    )
    this.#assertOnce(ready)
    const keys = ready.map(({ keyValues }) => keyValues)
    const ids = await idsByKey(this.#env, this.#model, this.#key, keys)
    const items = ready.filter((item, n) =>
      this.#tried(early, item.index, () => {
        const id = ids[n] ?? null
        if (id instanceof ValidationError) throw id
        assertModel(this.#env, this.#model, id === null ? 'create' : 'write')
        item.id = id
        return true
      }),
    )
    const outcomes = await this.#done(items)
    return [...early, ...outcomes].sort((a, b) => a.index - b.index)
  }

  /** Checks a single row. A refusal becomes the row's outcome, or ends the call. */
  #tried<T>(early: UpsertOutcome[], index: number, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      early.push(this.#outcomeOf(index, this.#refusal(error)))
      return undefined
    }
  }

  #itemOf(row: unknown, index: number): Item {
    const { ...vals } = assertVals(row)
    const keyValues = keyValuesOf(this.#env, this.#model, this.#key, vals)
    if (this.#key === EXTERNAL) delete vals[EXTERNAL]
    return { index, vals, keyValues, id: null }
  }

  /** Throws UnprocessableEntity for two rows with one key. Unset values do not equal each other. */
  #assertOnce(items: readonly Item[]): void {
    const seen = new Set<string>()
    for (const { index, keyValues } of items) {
      const text = comparableKey(keyValues)
      if (text === null) continue
      if (seen.has(text))
        throw new UnprocessableEntity('A row before this one has the same key.', {
          code: 'duplicate_key',
          context: { index },
          about: { row: index },
        })
      seen.add(text)
    }
  }

  /** A single row whose refusal ends the call needs no savepoint. */
  async #done(items: readonly Item[]): Promise<readonly UpsertOutcome[]> {
    const apply = (some: readonly Item[]) =>
      items.length > 1 || this.#skips ? attempt(this.#env, () => this.#apply(some)) : this.#apply(some)
    return inHalves<Item, UpsertOutcome, ServiceError>(items, {
      apply,
      refusal: (error) => this.#refusal(error),
      failed: ({ index }, refusal) => {
        if (++this.#failed > MOST_FAILED)
          throw tooMany(`More than ${MOST_FAILED} rows failed. Nothing was changed.`)
        return this.#outcomeOf(index, refusal)
      },
    })
  }

  async #apply(items: readonly Item[]): Promise<UpsertOutcome[]> {
    const [env, model] = [this.#env, this.#model]
    const existing = items.flatMap(({ id, vals }) =>
      id === null ? [] : [{ record: id, vals: this.#changing(vals) }],
    )
    const differ = await differing(env, model, existing)
    const fresh = items.filter(({ id }) => id === null)
    const list = fresh.map(({ vals }) => ({ ...vals }))
    const created = await createByCaller(env, model, list)
    if (this.#key === EXTERNAL)
      await enter(
        env,
        model,
        fresh.map(({ keyValues: [name] }, n) => ({ xmlid: String(name), id: present(created[n]) })),
      )
    const changes = existing.filter((_, n) => differ.has(n))
    const alike = Map.groupBy(changes, ({ vals }) => JSON.stringify(vals))
    await writeEach(
      env,
      model,
      [...alike.values()].map((some) => ({
        ids: some.map(({ record }) => record),
        vals: some[0]?.vals ?? {},
      })),
    )
    let [next, place] = [0, 0]
    return items.map(({ index, id }): UpsertOutcome => {
      if (id === null) return { index, status: 'created', id: present(created[next++]) }
      return { index, status: differ.has(place++) ? 'updated' : 'unchanged', id }
    })
  }

  #changing(vals: Record<string, unknown>): Record<string, unknown> {
    if (this.#key === null || this.#key === EXTERNAL) return vals
    const names = new Set(this.#key.fields.map(({ name }) => name))
    return Object.fromEntries(Object.entries(vals).filter(([name]) => !names.has(name)))
  }

  /**
   * The refusal of a failure. Throws it if the rows did not cause it. If another call stored the same
   * key at the same moment, this call is repeated.
   */
  #refusal(failure: unknown): ServiceError {
    const constraint = typeof this.#key === 'object' && this.#key?.constraint
    if (
      constraint &&
      sqlState(failure) === '23505' &&
      (failure as { constraint?: string }).constraint === constraint
    )
      throw new Crowded([], { cause: failure })
    const { registry } = this.#env.unit
    const error = inLanguage(registry, this.#env.lang, inWordsOf(registry, failure))
    if (error instanceof ServiceError && [403, 404, 422].includes(error.status) && error.code !== 'too_many')
      return error
    throw failure
  }

  /** Throws the refusal unless failed rows are skipped. */
  #outcomeOf(index: number, refusal: ServiceError): UpsertOutcome {
    if (this.#skips) return { index, status: 'failed', error: errorObject(refusal) }
    refusal.context.index = index
    refusal.about = { ...refusal.about, row: index }
    throw refusal
  }
}
