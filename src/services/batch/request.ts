// A batch as it is asked for, and what became of it.
import type { Owner } from '../calls/caller.ts'
import type { Asks, Sealing } from '../request.ts'
import type { Failure, Outcome } from './outcome.ts'

export interface BatchRequest extends Owner {
  /** Decodes the body; what it throws is heard by those whose credential holds. */
  readonly body: () => unknown
  readonly requestId: string
  readonly asks?: Asks | null | undefined
  /** The job that it is done for; told of each call that is done. */
  readonly job?: (Sealing & { progress(done: number, of: number): void }) | undefined
}

/** What became of a batch: a result each, or what the atomic one failed of. */
export interface BatchAnswer {
  readonly results: readonly Outcome[]
  /** The call that made an atomic batch fail. */
  readonly failed?: Failure
}
