// What is known of questions by the form in which they are asked (known.ts): plans, and what else follows.
import { Recent } from '../../kit/recent.ts'
import { isSame, type Values } from '../row/plans.ts'
import type { Asked } from './question.ts'

/** Forms of one kind of question that are kept; those not asked for the longest time go. */
const CAPACITY = 500

export class KnownForms<T extends object> {
  readonly #kept = new Recent<string, T>(CAPACITY)

  get({ key }: Asked): T | undefined {
    return this.#kept.get(key)
  }

  /**
   * Remembers what the whole way found, `values` being those of its statement: where these are not what was
   * asked, nothing is remembered.
   */
  learn({ key, values: asked }: Asked, found: T, values: Values | null): void {
    if (values && isSame(asked, values.real)) this.#kept.set(key, found)
  }
}
