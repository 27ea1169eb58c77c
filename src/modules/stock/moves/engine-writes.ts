// Changes that the engine of moves makes and follows up itself: wraps of moves and lines, which follow up
// changes of users, leave them alone.
import type { Environment } from '#models'
import { Ongoing } from '../../../kit/slot.ts'

const engineWrites = new Ongoing()
const completeCreations = new Ongoing()

/** True while the caller sets all values of new moves itself and changes the ledger itself. */
export const isComplete = ({ unit }: Environment): boolean => completeCreations.has(unit)

export const asComplete = <T>({ unit }: Environment, work: () => Promise<T>): Promise<T> =>
  completeCreations.run(unit, work)

/** True while the code that writes follows up its changes itself. */
export const isEngineWrite = ({ unit }: Environment): boolean => engineWrites.has(unit)

export const asEngineWrite = <T>({ unit }: Environment, work: () => Promise<T>): Promise<T> =>
  engineWrites.run(unit, work)
