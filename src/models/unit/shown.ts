// What a call's answer shows, counted while it comes together: answers that are made whole are held whole.

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
   * So many further values are about to come. Throws ServiceUnavailable where others make large answers for
   * too long.
   */
  expect(cells: number): Promise<void> {
    return this.#place.take(this.#cells + cells, this.#bytes)
  }

  /**
   * The call is large, whatever it shows: asked before it has a connection, which it would hold while it
   * waits. Throws ServiceUnavailable as `expect` does.
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

  /** Others may make large answers: the call is over. */
  leave(): void {
    this.#place.leave()
  }

  /** What was shown is on its way: what follows is counted anew. */
  forget(): void {
    this.#cells = 0
    this.#bytes = 0
    this.#queries = 0
  }
}
