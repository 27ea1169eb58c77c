// Missing definitions of properties: a session that creates records again and again queries once. A
// session that changes definitions queries each time, as a savepoint may undo its changes.

import { Slot } from '../../kit/slot.ts'
import type { Statement } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

/** Queries for definitions that returned no rows. */
const vain = new Slot<Statement[]>()
const touched = new Slot<true>()

/** Whether a question for definitions finds any. `ask`: another way to ask it. */
export async function isDefined(
  unit: Unit,
  question: Statement,
  ask = async (): Promise<boolean> => (await unit.run(question)).length > 0,
): Promise<boolean> {
  if (isUndefined(unit, question)) return false
  const isFound = await ask()
  if (!isFound) noteUndefined(unit, question)
  return isFound
}

/** Records that a query for definitions returned no rows. */
export function noteUndefined(unit: Unit, question: Statement): void {
  vain.set(unit, [...(vain.get(unit) ?? []), question])
}

/** Whether a question for definitions is known to find none. */
export const isUndefined = (unit: Unit, question: Statement): boolean =>
  !touched.get(unit) && (vain.get(unit) ?? []).some((one) => isSame(one, question))

const isSame = (one: Statement, other: Statement): boolean =>
  one.text === other.text && JSON.stringify(one.values) === JSON.stringify(other.values)

const holders = new WeakMap<ModelDef, boolean>()

/** Called before records of any model change. */
export function noteDefinitions(unit: Unit, model: ModelDef): void {
  let isHolder = holders.get(model)
  if (isHolder === undefined) {
    isHolder = [...model.fields.values()].some(({ kind }) => kind === 'properties_definition')
    holders.set(model, isHolder)
  }
  if (isHolder) touched.set(unit, true)
}
