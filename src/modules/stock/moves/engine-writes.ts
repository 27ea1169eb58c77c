// Changes that the engine of moves makes itself, and follows up itself: what stands around writes of people
// keeps still.
import type { Environment } from '#models'

const quiet = new WeakMap<Environment['unit'], number>()
const selfManaged = new WeakSet<Environment['unit']>()

/** True while the caller sets all values of new moves itself and changes the ledger itself. */
export const isComplete = ({ unit }: Environment): boolean => selfManaged.has(unit)

export async function asComplete<T>({ unit }: Environment, work: () => Promise<T>): Promise<T> {
  selfManaged.add(unit)
  try {
    return await work()
  } finally {
    selfManaged.delete(unit)
  }
}

/** Whether what is written now is followed up by who writes it. */
export const isEngineWrite = ({ unit }: Environment): boolean => (quiet.get(unit) ?? 0) > 0

export async function asEngineWrite<T>({ unit }: Environment, work: () => Promise<T>): Promise<T> {
  quiet.set(unit, (quiet.get(unit) ?? 0) + 1)
  try {
    return await work()
  } finally {
    quiet.set(unit, (quiet.get(unit) ?? 1) - 1)
  }
}
