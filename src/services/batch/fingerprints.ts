// Fingerprints of the calls of a batch as they were sent, references included, to recognize a repeated batch.
import { fingerprintOf } from '../../kit/canonical.ts'
import { present } from '../../kit/present.ts'
import type { Plan, PlannedCall } from './plan.ts'

/** The members of a planned call that identify it, as they were sent. */
export const plannedIdentity = ({ id, model, method, body, ifMatch }: PlannedCall) => ({
  id,
  model,
  method,
  body,
  ifMatch,
})

/** Names of calls that are done one by one: of what each was asked, and those that it takes values from. */
export class Names {
  readonly #names = new Map<string, string>()
  readonly #context: unknown
  readonly #areLinked: boolean

  constructor({ calls, context = null }: Plan) {
    this.#context = context
    this.#areLinked = calls.some(({ needs }) => needs.size > 0)
  }

  /** The name of the next call; undefined for one that stands for itself. */
  async next(call: PlannedCall): Promise<string | undefined> {
    if (!this.#areLinked) return undefined
    const needs = [...call.needs].sort().map((id) => present(this.#names.get(id)))
    const fingerprint = await fingerprintOf({ call: plannedIdentity(call), context: this.#context, needs })
    const name = Buffer.from(fingerprint, 'hex').toString('base64')
    if (call.id !== null) this.#names.set(call.id, name)
    return needs.length ? name : undefined
  }
}
