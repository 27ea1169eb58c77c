// Searches of which there were more rows lately than are read at once: they are told in pieces without being
// read before, which would cost as much again.
import { Recent } from '../../kit/recent.ts'
import { LONG } from '../domain/index.ts'
import { isSame } from '../row/plans.ts'

/** Searches that are remembered, and letters of a value of one. */
const [CAPACITY, LONGEST] = [500, 200]

/** Values of which there were more rows than are read at once, and how often that is still believed. */
interface Many {
  readonly values: readonly unknown[]
  left: number
}

/** How often more rows than are read at once are believed to be there before they are counted again. */
const BELIEVED = 20

const found = new Recent<string, Many>(CAPACITY)

export class Lately {
  readonly #key: string | null
  readonly #values: readonly unknown[]

  /** `key`: that of the plan. Nothing is remembered without one, nor of long values. */
  constructor(key: string | null, values: readonly unknown[]) {
    this.#key = values.every(isShort) ? key : null
    this.#values = values
  }

  /** Whether there are believed to be more rows again. */
  get wereMany(): boolean {
    const many = this.#key === null ? undefined : found.get(this.#key)
    return many !== undefined && many.left-- > 0 && isSame(many.values, this.#values)
  }

  note(isMany: boolean): void {
    if (this.#key === null) return
    if (isMany) found.set(this.#key, { values: this.#values, left: BELIEVED })
    else found.delete(this.#key)
  }
}

const isShort = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= LONG && value.every(isShort)
    : typeof value !== 'string' || value.length <= LONGEST
