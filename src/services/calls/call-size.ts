// Estimates the size of a call before it runs: from its arguments, and from the last answers to the same
// user.
import type { Caller } from '../../access/index.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { UserProfile } from '../../models/language/rights.ts'
import type { Unit } from '../../models/language/unit.ts'
import type { Bound } from '../../models/methods/bind.ts'
import { LongAnswer } from '../../models/read/long-answer.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { isGivenMany, isLong, LONG_TEXT, mayBeLong } from './method.ts'

export type Scale = 'small' | 'large' | 'unknown'

/** A call whose method and arguments are known. */
export interface Prepared {
  readonly caller: Caller
  readonly model: ModelDef
  readonly method: MethodDef
  readonly bound: Bound
  /** When its client began to wait, by `performance.now()`; undefined where none does. */
  readonly since?: number | undefined
}

/** Number of calls for which an answer is expected to be large after one was. */
const BELIEVED = 20

/**
 * By user: how often answers of calls that may be long are still believed to be large, by model and method; 0
 * for those that are known not to be.
 */
const believed = new WeakMap<UserProfile, Map<string, number>>()

/** Expected size of a call. */
export function scaleOf({ caller, model, method, bound }: Prepared): Scale {
  if (isGivenMany(bound)) return 'large'
  if (!mayBeLong(method, bound)) return 'small'
  const left = believed.get(caller.profile)?.get(keyOf(model, method))
  if (left === undefined) return 'unknown'
  return left > 0 ? 'large' : 'small'
}

/** Remembers what the answer of a call was that may be long. */
export function noteScale({ caller, model, method }: Prepared, unit: Unit, result: unknown): void {
  const counts = believed.get(caller.profile) ?? new Map<string, number>()
  const key = keyOf(model, method)
  counts.set(key, isLarge(unit, result) ? BELIEVED : Math.max(0, (counts.get(key) ?? 0) - 1))
  believed.set(caller.profile, counts)
}

const keyOf = (model: ModelDef, method: MethodDef): string => `${model.name} ${method.name}`

/** Whether a result took so much that others should not make as large ones at the same time. */
const isLarge = (unit: Unit, result: unknown): boolean =>
  result instanceof Rendered
    ? result.json.length > LONG_TEXT
    : result instanceof LongAnswer || isLong(unit, result)
