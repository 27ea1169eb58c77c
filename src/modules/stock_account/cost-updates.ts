// Costs that follow from moves are written without being taken for somebody's change.
import type { Environment } from '#models'

const silent = new WeakMap<Environment['unit'], number>()

/** Whether costs are being written that follow from moves. */
export const isCostUpdate = ({ unit }: Environment): boolean => (silent.get(unit) ?? 0) > 0

export async function asCostUpdate<T>({ unit }: Environment, work: () => Promise<T>): Promise<T> {
  silent.set(unit, (silent.get(unit) ?? 0) + 1)
  try {
    return await work()
  } finally {
    silent.set(unit, (silent.get(unit) ?? 1) - 1)
  }
}
