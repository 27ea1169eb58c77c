// Notes that a call takes one by one and handles together before COMMIT: each waits with a hook of its own,
// so that a savepoint that is undone takes back its notes and no others.
import type { Unit } from '../language/unit.ts'

/**
 * Notes of a call that are handled together before COMMIT. Rolling back to a savepoint drops its notes.
 */
export class CommitNotes<T extends object> {
  /** Bounded by the hooks, which live as long as their call. */
  readonly #notes = new WeakMap<() => Promise<void>, T>()

  /** The notes of a call that wait, in their order. */
  waiting({ beforeCommit }: Unit): T[] {
    const notes: T[] = []
    for (const hook of beforeCommit) {
      const note = this.#notes.get(hook)
      if (note) notes.push(note)
    }
    return notes
  }

  /** Adds a note; the first hook of the call hands all notes to its `handle`. */
  add(unit: Unit, note: T, handle: (notes: readonly T[]) => void | Promise<void>): void {
    const hook = async () => {
      if (!this.#notes.has(hook)) return
      const notes = this.waiting(unit)
      for (const other of unit.beforeCommit) this.#notes.delete(other)
      await handle(notes)
    }
    this.#notes.set(hook, note)
    unit.beforeCommit.push(hook)
  }
}
