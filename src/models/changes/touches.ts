// How often a unit made, changed or removed records of a model: whoever made some knows whether anybody else
// was at them meanwhile.

import { Slot } from '../../kit/slot.ts'
import type { ModelName } from '../contract/names.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Unit } from '../language/unit.ts'

const touches = new Slot<Map<ModelDef, number>>()

/** Called before records of any model change. */
export function noteTouch(unit: Unit, model: ModelDef): void {
  const own = touches.get(unit) ?? new Map<ModelDef, number>()
  touches.set(unit, own)
  own.set(model, touchesOf(unit, model) + 1)
}

export const touchesOf = (unit: Unit, model: ModelDef): number => touches.get(unit)?.get(model) ?? 0

/** Whether the call made, changed or removed records of a model so far. */
export const isTouched = (env: Environment, model: ModelName): boolean =>
  touchesOf(env.unit, env.def(model)) > 0
