// The credential check of a call: it leaves with the first flush, and nothing is answered before its verdict
// (docs/decisions/0003).
import type { Row } from '../language/unit.ts'
import type { Preamble } from './options.ts'

/** Due, under way, passed or refused; a call without a credential has passed. */
export class CredentialCheck {
  readonly #preamble: Preamble | undefined
  #passed: boolean
  #verdict: Promise<void> | undefined
  #refusal: { readonly reason: unknown } | undefined

  constructor(preamble: Preamble | undefined) {
    this.#preamble = preamble
    this.#passed = preamble === undefined
  }

  get passed(): boolean {
    return this.#passed
  }

  /** What has still to leave; undefined once it did. */
  get due(): Preamble | undefined {
    return this.#passed || this.#verdict || this.#refusal ? undefined : this.#preamble
  }

  /** The verdict while it is under way. */
  get verdict(): Promise<void> | undefined {
    return this.#verdict
  }

  /** Remembers the verdict of a check that left once it is there. */
  left(preamble: Preamble, answer: Promise<readonly Row[]>): void {
    this.#verdict = answer.then((rows) => {
      try {
        preamble.verify(rows)
      } catch (reason) {
        this.#refusal = { reason }
        throw reason
      }
      this.#passed = true
      this.#verdict = undefined
    })
    // Whoever waits for an answer waits for the verdict first; a call that waits for none asks for it at its
    // end.
    this.#verdict.catch(() => undefined)
  }

  /** Throws what it was refused for; waits where it is under way. */
  async settled(): Promise<void> {
    if (this.#refusal) throw this.#refusal.reason
    await this.#verdict
  }
}
