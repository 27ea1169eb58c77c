// What the caller wishes of the rows of the call's own method: what is called inside of it gives them as
// documented.
import { NO_WISHES, type Wishes } from '../language/wishes.ts'

export class Wished {
  #wishes = NO_WISHES

  /** Keeps the wishes for a method that is about to run. */
  keep(wishes: Wishes): void {
    this.#wishes = wishes
  }

  /** The wishes, told once. */
  take(): Wishes {
    const wishes = this.#wishes
    this.#wishes = NO_WISHES
    return wishes
  }
}
