// The cost of a statement, counted while it is composed, with its record rules, names and search rules.

import { assertWithin } from '../../limits.ts'
import type { QueryCost } from '../language/scope.ts'

export class StatementCost implements QueryCost {
  #steps = 0
  #costly = 0
  #listed = 0

  /**
   * More subqueries or joined tables: each costs PostgreSQL memory while it plans, and more so together.
   * Throws PayloadTooLarge.
   */
  step(steps = 1): void {
    this.#steps += steps
    assertWithin('steps', this.#steps)
  }

  /**
   * Conditions that take long for each row: patterns, parts of dates, values inside of others. Throws
   * PayloadTooLarge.
   */
  costly(conditions = 1): void {
    this.#costly += conditions
    assertWithin('costly', this.#costly)
  }

  /** Values of a list that PostgreSQL is given. Throws PayloadTooLarge. */
  list(values: number): void {
    this.#listed += values
    assertWithin('list', this.#listed)
  }

  /**
   * Runs `work` with a count of its own: for the columns of a row, of which there are as many as were asked
   * for.
   */
  apart<T>(work: () => T): T {
    const before = [this.#steps, this.#costly] as const
    this.#steps = 0
    this.#costly = 0
    try {
      return work()
    } finally {
      ;[this.#steps, this.#costly] = before
    }
  }
}
