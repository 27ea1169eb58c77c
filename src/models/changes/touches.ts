// Counts of changes of a session, by model: code that creates records can find out whether other code
// changed some meanwhile.

import { Slot } from '../../kit/slot.ts'
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
