// Cache of one unit of work: values that were read, by field, variant (language, company, context) and
// record.

import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Cache, ColumnOf } from '../language/unit.ts'
import { MadeRows } from './made.ts'

/** Values kept at most while a large recomputation goes on: some ten megabytes. */
const LIMIT = 100_000

export class ValueCache implements Cache {
  #held = 0
  /** Of columns that are the same for everybody, which have one variant (row/held.ts). */
  readonly #plain = new Map<FieldDef, Map<number, unknown>>()
  readonly #values = new Map<FieldDef, Map<string, Map<number, unknown>>>()
  /** Rows made by this unit; null as long as there are none. */
  #made: MadeRows | null = null

  /** Known values of a field in a variant, by record id. */
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

  /** Says what the columns of new rows hold: it is known as if it had been read. */
  made(model: ModelDef, ids: readonly number[], column: ColumnOf): void {
    this.#made ??= new MadeRows()
    this.#made.add(model, ids, column)
  }

  hasMade(model: ModelDef, ids: readonly number[]): boolean {
    return this.#made?.hasAll(model, ids) ?? false
  }

  /** Whether it knows nothing but what rows hold that were made, and nobody looked for any of that. */
  get isOfMadeAlone(): boolean {
    return this.#plain.size + this.#values.size === 0
  }

  /** Fields of some rows were written, and the cache is of made rows alone. */
  written(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void {
    this.#made?.forget(model, fields, ids)
  }

  /** Forgets what rows hold that were made and not read: somebody may have changed them. */
  doubtMade(): void {
    const made = this.#made
    this.#made = null
    for (const [field, ids] of made?.taken() ?? []) this.forget(field, ids)
  }

  /** Forgets a field, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void {
    // What is forgotten does not come again from rows that were made.
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
   * Forgets everything whose value may follow from other records: computed, related and x2many fields, but
   * for what `stands`; `short`: lists of one line, or of none.
   */
  forgetDerived(stands: (field: FieldDef, variant: string) => boolean | 'short' = () => false): void {
    for (const [field, variants] of this.#values) {
      if (field.column) continue
      for (const [variant, values] of variants) {
        const verdict = stands(field, variant)
        if (!verdict) variants.delete(variant)
        if (verdict !== 'short') continue
        for (const [id, value] of values) if (Array.isArray(value) && value.length > 1) values.delete(id)
      }
    }
  }

  /** Keeps `work` from losing what it put here: rows that are not stored yet are known from nowhere else. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    this.#held++
    try {
      return await work()
    } finally {
      this.#held--
    }
  }

  /** Forgets everything once it has become much: a large recomputation needs each record once. */
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
