// Properties that nobody has defined: a unit that makes records again and again asks once. A unit that
// touches definitions itself asks each time, for it may take that back at a savepoint.
import type { Sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

/** Questions for definitions that found none. */
const known = new WeakMap<Unit, Set<string>>()
const touched = new WeakSet<Unit>()

/** Whether a question for definitions finds any. */
export async function isDefined(unit: Unit, question: Sql): Promise<boolean> {
  const statement = question.compile()
  const asked = JSON.stringify([statement.text, statement.values])
  const own = known.get(unit) ?? new Set<string>()
  known.set(unit, own)
  if (own.has(asked) && !touched.has(unit)) return false
  const isFound = (await unit.run(statement)).length > 0
  if (!isFound) own.add(asked)
  return isFound
}

const holders = new WeakMap<ModelDef, boolean>()

/** Called before records of any model change. */
export function noteDefinitions(unit: Unit, model: ModelDef): void {
  let isHolder = holders.get(model)
  if (isHolder === undefined) {
    isHolder = [...model.fields.values()].some(({ kind }) => kind === 'properties_definition')
    holders.set(model, isHolder)
  }
  if (isHolder) touched.add(unit)
}
