// Counts statements of a transaction that are outstanding: those without an answer, or those that have not
// left. Something else may wait until there are none.
export class Outstanding {
  #count = 0
  #none: PromiseWithResolvers<void> | undefined

  add(): void {
    this.#count++
  }

  remove(): void {
    if (--this.#count === 0) this.#none = void this.#none?.resolve()
  }

  /** Resolves once there are none; undefined where there are none now. */
  get none(): Promise<void> | undefined {
    if (this.#count === 0) return undefined
    this.#none ??= Promise.withResolvers<void>()
    return this.#none.promise
  }
}
