// Costs that follow from moves are written without being taken for a user's change.
import type { Environment } from '#models'
import { Ongoing } from '../../kit/slot.ts'

const costUpdates = new Ongoing()

/** Whether costs are being written that follow from moves. */
export const isCostUpdate = ({ unit }: Environment): boolean => costUpdates.has(unit)

export const asCostUpdate = <T>({ unit }: Environment, work: () => Promise<T>): Promise<T> =>
  costUpdates.run(unit, work)
