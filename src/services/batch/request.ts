// A batch as it is asked for, and what became of it.
import type { Caller } from '../../access/index.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Unit } from '../../models/language/unit.ts'
import type { Ability } from '../../models/rights/key-scope.ts'
import type { Owner } from '../calls/caller.ts'
import type { RequestPreferences, Sealing } from '../request.ts'
import type { Failure, Outcome } from './outcome.ts'
import type { Plan } from './plan.ts'

/** A call whose model and method were found. */
export interface Found {
  readonly model: ModelDef
  readonly method: MethodDef
}

/** Rules for batches that come by another endpoint than that of batches. */
export interface Entry {
  /** Abilities that the key needs. */
  readonly abilities: readonly Ability[]
  /** Judges the calls before the first of them runs. */
  judge(caller: Caller, calls: readonly Found[]): void
  /** Runs what the calls do: between the look at their key and what keeps their answer. */
  run(
    around: {
      readonly unit: Unit
      readonly caller: Caller
      readonly plan: Plan
      readonly calls: readonly Found[]
    },
    work: () => Promise<Outcome[]>,
  ): Promise<Outcome[]>
}

export interface BatchRequest extends Owner {
  /** Decodes the body; its errors reach only callers with a valid credential. */
  readonly body: () => unknown
  readonly requestId: string
  readonly asks?: RequestPreferences | null | undefined
  readonly queued?: boolean
  readonly entry?: Entry | undefined
  /** The job that it is done for; `progress` is called after each call. */
  readonly job?: (Sealing & { progress(done: number, of: number): void }) | undefined
}

/** Answer to a batch: an outcome per call, or the failure of an atomic one. */
export interface BatchAnswer {
  readonly results: readonly Outcome[]
  /** The call that made an atomic batch fail. */
  readonly failed?: Failure
}
