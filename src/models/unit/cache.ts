// Identity map of a session: values that were read, by field, cache key (language, company, context) and
// record.

import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Cache, ColumnOf } from '../language/unit.ts'
import { CreatedRows } from './created-rows.ts'

/** Values kept during a large recomputation: some ten megabytes. */
const LIMIT = 100_000

export class ValueCache implements Cache {
  #held = 0
  /** Columns that have the same value for all users, which have one cache key (row/cache-key.ts). */
  readonly #plain = new Map<FieldDef, Map<number, unknown>>()
  readonly #values = new Map<FieldDef, Map<string, Map<number, unknown>>>()
  /** Rows created in this session; null as long as there are none. */
  #made: CreatedRows | null = null

  /** Cached values of a field for a cache key, by record id. */
  of(field: FieldDef, variant: string): Map<number, unknown> {
    if (variant === '') {
      let plain = this.#plain.get(field)
      if (!plain) {
        plain = new Map()
        this.#plain.set(field, plain)
      }
      this.#made?.fill(field, plain)
      return plain
    }
    let variants = this.#values.get(field)
    if (!variants) {
      variants = new Map()
      this.#values.set(field, variants)
    }
    let values = variants.get(variant)
    if (!values) {
      values = new Map()
      variants.set(variant, values)
    }
    return values
  }

  /** Caches the columns of new rows as if they had been read. */
  made(model: ModelDef, ids: readonly number[], column: ColumnOf): void {
    this.#made ??= new CreatedRows()
    this.#made.add(model, ids, column)
  }

  hasMade(model: ModelDef, ids: readonly number[]): boolean {
    return this.#made?.hasAll(model, ids) ?? false
  }

  /** Whether it has nothing but columns of new rows, and no code has looked for any of them. */
  get isOfMadeAlone(): boolean {
    return this.#plain.size + this.#values.size === 0
  }

  /** Forgets written fields of new rows; for a cache that has nothing else. */
  written(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void {
    this.#made?.forget(model, fields, ids)
  }

  /** Forgets columns of new rows that were not read: SQL of modules may have changed them. */
  doubtMade(): void {
    const createdRows = this.#made
    this.#made = null
    for (const [field, ids] of createdRows?.taken() ?? []) this.forget(field, ids)
  }

  /** Forgets a field, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void {
    // New rows must not supply a forgotten value again.
    if (this.#made?.has(field)) this.of(field, '')
    const plain = this.#plain.get(field)
    if (!ids) this.#plain.delete(field)
    else if (plain) for (const id of ids) plain.delete(id)
    const variants = this.#values.get(field)
    if (!variants) return
    if (!ids) this.#values.delete(field)
    else for (const values of variants.values()) for (const id of ids) values.delete(id)
  }

  /**
   * Forgets all values that may depend on other records: computed, related and x2many fields, except
   * those that `stands` keeps; `short` keeps lists of at most one record.
   */
  forgetDerived(stands: (field: FieldDef, variant: string) => boolean | 'short' = () => false): void {
    for (const [field, variants] of this.#values) {
      if (field.column) continue
      for (const [variant, values] of variants) {
        const result = stands(field, variant)
        if (!result) variants.delete(variant)
        if (result !== 'short') continue
        for (const [id, value] of values) if (Array.isArray(value) && value.length > 1) values.delete(id)
      }
    }
  }

  /** Keeps values during `work`: rows that are not stored yet have no other source. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    this.#held++
    try {
      return await work()
    } finally {
      this.#held--
    }
  }

  /** Forgets everything once it is large: a recomputation of many records needs each of them once. */
  trim(): void {
    if (this.#held > 0) return
    if (this.size > LIMIT) this.clear()
  }

  /** Number of values. */
  get size(): number {
    let count = 0
    for (const values of this.#plain.values()) count += values.size
    for (const variants of this.#values.values()) for (const values of variants.values()) count += values.size
    return count
  }

  clear(): void {
    this.#made = null
    this.#plain.clear()
    this.#values.clear()
  }
}
