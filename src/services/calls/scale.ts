// How much a call is going to take, before it is run: by what it is given, and by what the last answers to
// the same user were.
import type { Caller } from '../../access/index.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { UserProfile } from '../../models/language/rights.ts'
import type { Unit } from '../../models/language/unit.ts'
import type { Bound } from '../../models/methods/bind.ts'
import { LongAnswer } from '../../models/read/long-answer.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { isLong, LONG_TEXT } from './method.ts'

export type Scale = 'small' | 'large' | 'unknown'

/** A call whose method and arguments are known. */
export interface Prepared {
  readonly caller: Caller
  readonly model: ModelDef
  readonly method: MethodDef
  readonly bound: Bound
}

/** Values that a call is given which are many; rows that one may ask for and not ask for many. */
const [MANY_GIVEN, FEW_ROWS] = [5000, 200]

/** How often an answer is believed to be large after it was. */
const BELIEVED = 20

/**
 * By user: how often answers of calls that may be long are still believed to be large, by model and method; 0
 * for those that are known not to be.
 */
const believed = new WeakMap<UserProfile, Map<string, number>>()

/** What is expected of a call. */
export function scaleOf({ caller, model, method, bound }: Prepared): Scale {
  if (roomIn(bound.ids, MANY_GIVEN) < 0 || roomIn(bound.params, MANY_GIVEN) < 0) return 'large'
  if (!mayBeLong(method, bound)) return 'small'
  const left = believed.get(caller.profile)?.get(keyOf(model, method))
  if (left === undefined) return 'unknown'
  return left > 0 ? 'large' : 'small'
}

/** Remembers what the answer of a call was. */
export function noteScale({ caller, model, method, bound }: Prepared, unit: Unit, result: unknown): void {
  if (!mayBeLong(method, bound)) return
  const known = believed.get(caller.profile) ?? new Map<string, number>()
  const key = keyOf(model, method)
  known.set(key, isLarge(unit, result) ? BELIEVED : Math.max(0, (known.get(key) ?? 0) - 1))
  believed.set(caller.profile, known)
}

const keyOf = (model: ModelDef, method: MethodDef): string => `${model.name} ${method.name}`

/** Whether a result took so much that others should not make as large ones at the same time. */
const isLarge = (unit: Unit, result: unknown): boolean =>
  result instanceof Rendered
    ? result.json.length > LONG_TEXT
    : result instanceof LongAnswer || isLong(unit, result)

/** Whether the answer's length does not follow from what is asked. */
const mayBeLong = ({ readonly, params }: MethodDef, { ids, params: { limit } }: Bound): boolean =>
  readonly &&
  (ids.length > FEW_ROWS ||
    ('limit' in params && !(typeof limit === 'number' && limit > 0 && limit <= FEW_ROWS)))

/** How many more values there may be than those in a value, a thousand characters counting as one; at least -1. */
function roomIn(value: unknown, room: number): number {
  if (typeof value === 'string') return room - 1 - (value.length >> 10)
  if (typeof value !== 'object' || value === null) return room - 1
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let left = room - 1
  if (items.length > left) return -1
  for (const item of items) {
    left = roomIn(item, left)
    if (left < 0) return -1
  }
  return left
}
