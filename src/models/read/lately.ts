// Searches of which there were more rows lately than are read at once: they are told in pieces without being
// read before, which would cost as much again. For searches that take code, or whose statement is too long to
// be known as a whole, and for those that are (searched.ts).
import { Recent } from '../../kit/recent.ts'
import { LONG } from '../domain/index.ts'
import type { Environment } from '../language/environment.ts'
import { callerKey, isSame, type Values } from '../row/plans.ts'

/** Searches that are remembered, and letters of a value of one. */
const [CAPACITY, LONGEST] = [500, 200]

/** Values of which there were more rows than are read at once, and how often that is still believed. */
export interface Many {
  readonly values: readonly unknown[]
  left: number
}

/** How often more rows than are read at once are believed to be there before they are counted again. */
const BELIEVED = 20

/** What is remembered of values with more rows than are read at once. */
export const manyOf = (values: readonly unknown[]): Many => ({ values, left: BELIEVED })

/** Whether there are believed to be more rows again. */
export const areMany = (many: Many | null | undefined, values: readonly unknown[]): boolean =>
  !!many && many.left-- > 0 && isSame(many.values, values)

const found = new Recent<string, Many>(CAPACITY)

export class Lately {
  readonly #key: string | null
  readonly #values: readonly unknown[]

  /** `shape` as for `planned`; nothing is remembered without one, nor of long values. */
  constructor(env: Environment, shape: string | null, values: Values | null) {
    this.#values = values?.real ?? []
    const isKept = shape !== null && values !== null && this.#values.every(isShort)
    this.#key = isKept ? callerKey(env, shape) : null
  }

  /** Whether there are believed to be more rows again. */
  get wereMany(): boolean {
    return this.#key !== null && areMany(found.get(this.#key), this.#values)
  }

  note(isMany: boolean): void {
    if (this.#key === null) return
    if (isMany) found.set(this.#key, manyOf(this.#values))
    else found.delete(this.#key)
  }
}

const isShort = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= LONG && value.every(isShort)
    : typeof value !== 'string' || value.length <= LONGEST
