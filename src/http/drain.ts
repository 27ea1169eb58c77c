// Draining: a server that is about to stop says so to whoever balances the load, and answers calls as ever
// until they come no more.

/** Whether calls should go elsewhere from now on. */
export class Drain {
  #draining = false

  get draining(): boolean {
    return this.#draining
  }

  begin(): void {
    this.#draining = true
  }
}
