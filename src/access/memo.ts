// Answers kept per user profile: a profile is a snapshot, so what follows from it stays true as long as it lives.
import type { UserProfile } from '../models/rights/rights.ts'

export class Memo<V> {
  readonly #answers = new WeakMap<UserProfile, Map<string, V>>()

  /** The answer known by `key`, or the one that `make` gives now. */
  get(user: UserProfile, key: string, make: () => V): V {
    let known = this.#answers.get(user)
    if (!known) {
      known = new Map()
      this.#answers.set(user, known)
    }
    const answer = known.get(key)
    if (answer !== undefined) return answer
    const made = make()
    known.set(key, made)
    return made
  }
}
