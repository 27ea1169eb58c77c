// Counts of a session's changes by model: code that creates records learns from them whether other code
// changed some meanwhile. A second flag says whether definitions of properties changed, so that a session
// that creates records repeatedly queries for missing definitions once.
import { oncePer } from '../../kit/once-per.ts'
import { Slot } from '../../kit/slot.ts'
import type { Statement } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { ChangeKind, Unit } from '../language/unit.ts'

const touches = new Slot<Map<ModelDef, number>>()
/** Of these, those that did more than to write amounts. */
const links = new Slot<Map<ModelDef, number>>()

/** Whether a field holds an amount: no link, and nothing that says where a link leads. */
const isAmount = ({ kind }: FieldDef): boolean => kind === 'float' || kind === 'monetary'

/** Called before records of any model change; `fields` is empty where they are unknown. */
export function noteTouch(unit: Unit, model: ModelDef, kind: ChangeKind, fields: readonly FieldDef[]): void {
  // A savepoint may undo the change: from here on, definitions are asked for each time.
  if (holdsDefinitions(model)) touched.set(unit, true)
  count(touches, unit, model)
  if (kind !== 'u' || fields.length === 0 || !fields.every(isAmount)) count(links, unit, model)
}

function count(slot: typeof touches, unit: Unit, model: ModelDef): void {
  const counts = slot.get(unit) ?? new Map<ModelDef, number>()
  slot.set(unit, counts)
  counts.set(model, (counts.get(model) ?? 0) + 1)
}

export const touchesOf = (unit: Unit, model: ModelDef): number => touches.get(unit)?.get(model) ?? 0

/** Changes of more than amounts: the lines of a record depend on nothing else. */
export const linkTouchesOf = (unit: Unit, model: ModelDef): number => links.get(unit)?.get(model) ?? 0

/** Whether the call created, changed or deleted records of a model so far. */
export const isTouched = (env: Environment, model: ModelName): boolean =>
  touchesOf(env.unit, env.def(model)) > 0

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
const isUndefined = (unit: Unit, question: Statement): boolean =>
  !touched.get(unit) && (vain.get(unit) ?? []).some((one) => isSame(one, question))

const isSame = (one: Statement, other: Statement): boolean =>
  one.text === other.text && JSON.stringify(one.values) === JSON.stringify(other.values)

const holdsDefinitions = oncePer((model: ModelDef): boolean =>
  [...model.fields.values()].some(({ kind }) => kind === 'properties_definition'),
)
