// The form of a phase: calls of clients to a side, the same on both sides.

import type { Side } from './side.ts'
import type { IdMode } from './values.ts'

export interface PhaseOptions {
  readonly seed: number
  /** The amount of work: 1 is a full run, less a part of it. */
  readonly share: number
  /** 0: the server has just been started; then it is warm. */
  readonly round: number
  /** A pattern of the cases, stories or reports that are played. */
  readonly only?: RegExp
}

export interface Phase {
  readonly name: string
  readonly about: string
  readonly ids: IdMode
  /** Whether another round on the warm server brings anything. */
  readonly repeats: boolean
  /** Plays the phase on one side. The exchanges are compared afterwards. */
  play(side: Side, options: PhaseOptions): Promise<void>
}
