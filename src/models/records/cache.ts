// Cache of one unit of work: values that were read, by field, variant (language, company, context) and record.
import type { FieldDef } from '../defs.ts'

export class Cache {
  readonly #values = new Map<FieldDef, Map<string, Map<number, unknown>>>()

  /** Known values of a field in a variant, by record id. */
  of(field: FieldDef, variant: string): Map<number, unknown> {
    const variants = this.#values.get(field) ?? new Map<string, Map<number, unknown>>()
    this.#values.set(field, variants)
    const values = variants.get(variant) ?? new Map<number, unknown>()
    variants.set(variant, values)
    return values
  }

  /** Forgets a field, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void {
    const variants = this.#values.get(field)
    if (!variants) return
    if (!ids) this.#values.delete(field)
    else for (const values of variants.values()) for (const id of ids) values.delete(id)
  }

  /** Forgets everything whose value may follow from other records: computed, related and x2many fields. */
  forgetDerived(): void {
    for (const field of this.#values.keys()) if (!field.column) this.#values.delete(field)
  }

  clear(): void {
    this.#values.clear()
  }
}
