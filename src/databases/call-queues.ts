// Queues of calls in one process: of calls that are repeated, and of calls for the same contended resources
// (docs/decisions/0014 and 0050).

/** The next in the queue goes on, however the run ended. */
const ended = (run: Promise<unknown>): Promise<void> =>
  run.then(
    () => undefined,
    () => undefined,
  )

export class CallQueues {
  #repeated: Promise<void> = Promise.resolve()
  readonly #turns = new Map<string, Promise<void>>()

  /**
   * Runs work after all that was given before: repeated calls queue here, so that they do not lose against
   * each other again.
   */
  again<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#repeated.then(work)
    this.#repeated = ended(run)
    return run
  }

  /**
   * Runs work after all that was given before about any of the same things. One call of a process waits in
   * PostgreSQL, for those of others.
   */
  inTurn<T>(turns: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = turns.flatMap((turn) => this.#turns.get(turn) ?? [])
    const run = Promise.all(before).then(work)
    const end = ended(run)
    for (const turn of turns) this.#turns.set(turn, end)
    void end.then(() => {
      for (const turn of turns) if (this.#turns.get(turn) === end) this.#turns.delete(turn)
    })
    return run
  }
}
