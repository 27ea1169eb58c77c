// Draining: a server that is about to stop reports this to the load balancer, and keeps answering calls until
// no more arrive.

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
