// How often a unit made, changed or removed records of a model: whoever made some knows whether anybody else
// was at them meanwhile.

import { Slot } from '../../kit/slot.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

const touches = new Slot<Map<ModelDef, number>>()

/** Called before records of any model change. */
export function noteTouch(unit: Unit, model: ModelDef): void {
  const own = touches.get(unit) ?? new Map<ModelDef, number>()
  touches.set(unit, own)
  own.set(model, touchesOf(unit, model) + 1)
}

export const touchesOf = (unit: Unit, model: ModelDef): number => touches.get(unit)?.get(model) ?? 0
