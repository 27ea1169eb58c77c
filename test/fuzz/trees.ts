// Random trees of conditions and their operators, the same for all fuzzers.
import type { ModelDef } from '../../src/models/language/definitions.ts'
import type { Random } from './random.ts'

// Operators by kind; how often those of equality come is each fuzzer's own affair.
export const order = ['<', '<=', '>', '>=']
export const likes = ['like', 'ilike', 'not like', 'not ilike', '=like', '=ilike', 'not =like', 'not =ilike']
export const trees = ['child_of', 'parent_of']
export const anys = ['any', 'not any']

/** Makes one condition on a model; `depth` says how much may nest in it. */
type Condition = (model: ModelDef, depth: number) => unknown[]

/** A domain in Polish notation of up to three expressions, negated and joined down to `depth`. */
export function randomDomain(
  random: Random,
  model: ModelDef,
  depth: number,
  condition: Condition,
): unknown[] {
  const expression = (depth: number): unknown[] => {
    const roll = random.next()
    if (depth > 0 && roll < 0.12) return ['!', ...expression(depth - 1)]
    if (depth > 0 && roll < 0.3)
      return [random.pick(['&', '|']), ...expression(depth - 1), ...expression(depth - 1)]
    if (roll < 0.32) return [[random.below(2), '=', 1]]
    return [condition(model, depth)]
  }
  const count = random.pick([0, 1, 1, 1, 1, 2, 2, 3])
  return Array.from({ length: count }, () => expression(depth)).flat(1)
}
