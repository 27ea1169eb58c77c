// Answers kept per user profile: a profile is a snapshot, so what follows from it stays true as long as it
// lives.
import { Recent } from '../kit/recent.ts'
import type { UserProfile } from '../models/language/rights.ts'

/**
 * Answers of one user: callers choose some of what keys are made of, such as the order of their companies.
 */
const MOST = 2000

export class Memo<V> {
  readonly #answers = new WeakMap<UserProfile, Recent<string, V>>()

  /** The answer known by `key`, or the one that `make` gives now. */
  get(user: UserProfile, key: string, make: () => V): V {
    let answersOfUser = this.#answers.get(user)
    if (!answersOfUser) {
      answersOfUser = new Recent(MOST)
      this.#answers.set(user, answersOfUser)
    }
    const answer = answersOfUser.get(key)
    if (answer !== undefined) return answer
    const newAnswer = make()
    answersOfUser.set(key, newAnswer)
    return newAnswer
  }
}
