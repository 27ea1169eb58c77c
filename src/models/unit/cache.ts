// Cache of one unit of work: values that were read, by field, variant (language, company, context) and
// record.

import type { FieldDef } from '../language/definitions.ts'
import type { Cache } from '../language/unit.ts'

/** Values kept at most while a large recomputation goes on: some ten megabytes. */
const LIMIT = 100_000

export class ValueCache implements Cache {
  #held = 0
  readonly #values = new Map<FieldDef, Map<string, Map<number, unknown>>>()

  /** Known values of a field in a variant, by record id. */
  of(field: FieldDef, variant: string): Map<number, unknown> {
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

  /** Forgets a field, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void {
    const variants = this.#values.get(field)
    if (!variants) return
    if (!ids) this.#values.delete(field)
    else for (const values of variants.values()) for (const id of ids) values.delete(id)
  }

  /**
   * Forgets everything whose value may follow from other records: computed, related and x2many fields, but
   * for what `stands`.
   */
  forgetDerived(stands: (field: FieldDef, variant: string) => boolean = () => false): void {
    for (const [field, variants] of this.#values) {
      if (field.column) continue
      for (const variant of variants.keys()) if (!stands(field, variant)) variants.delete(variant)
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
    for (const variants of this.#values.values()) for (const values of variants.values()) count += values.size
    return count
  }

  clear(): void {
    this.#values.clear()
  }
}
