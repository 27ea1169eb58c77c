// The size of a call's answer, counted while it is built: answers are held in memory as a whole.

import { assertWithin } from '../../limits.ts'
import type { Shown } from '../language/unit.ts'
import type { LargePlace } from './large.ts'

export class ShownSoFar implements Shown {
  readonly #place: LargePlace
  #cells = 0
  #bytes = 0
  #queries = 0

  constructor(place: LargePlace) {
    this.#place = place
  }

  /** Values so far. */
  get cells(): number {
    return this.#cells
  }

  /** Text so far, in characters. */
  get length(): number {
    return this.#bytes
  }

  /**
   * Announces further values. Throws ServiceUnavailable where other large answers take too long.
   */
  expect(cells: number): Promise<void> {
    return this.#place.take(this.#cells + cells, this.#bytes)
  }

  /**
   * Counts the call as large, whatever its answer: to be called before it has a connection, which would
   * be held while it waits. Throws ServiceUnavailable as `expect` does.
   */
  begin(since?: number): Promise<void> {
    return this.#place.begin(since)
  }

  /** Further values of records, groups and tables. Throws PayloadTooLarge. */
  add(cells: number): void {
    this.#cells += cells
    assertWithin('cells', this.#cells)
  }

  /**
   * Values that stand in several places, each time counted: `cells` in all, more or fewer than were read.
   * Throws PayloadTooLarge.
   */
  reach(cells: number): void {
    this.#cells = Math.max(this.#cells, cells)
    assertWithin('cells', this.#cells)
  }

  /** Further text of a list of rows. Throws PayloadTooLarge. */
  addText(bytes: number): void {
    this.#bytes += bytes
    assertWithin('answer', this.#bytes)
  }

  /** A part of the answer takes a query of its own. Throws PayloadTooLarge. */
  addQuery(): void {
    assertWithin('queries', ++this.#queries)
  }

  /** Ends the call: other large answers may proceed. */
  leave(): void {
    this.#place.leave()
  }

  /** Counts anew: everything so far was sent. */
  forget(): void {
    this.#cells = 0
    this.#bytes = 0
    this.#queries = 0
  }
}
