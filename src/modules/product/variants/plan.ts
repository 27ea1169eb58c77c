// Which variants a product should have: its lines, its exclusions and the variants it has, as a pure function
// (spec/business-models.md section 2, "Attributes").

/** A line of a product as far as variants go; lines of attributes that never make variants are left out. */
export interface PlannedLine {
  /** Active values of the line, in order. */
  readonly values: readonly number[]
  /** Variants are made when they are first asked for. */
  readonly dynamic: boolean
}

/** A variant there is, archived or not. */
export interface PresentVariant {
  readonly id: number
  readonly active: boolean
  readonly values: readonly number[]
}

export interface VariantPlan {
  /** Combinations to make variants of, in the order of lines and values. */
  readonly create: readonly (readonly number[])[]
  /** Variants to be active. */
  readonly keep: readonly number[]
  /** Variants to delete, or to archive where they are used. */
  readonly drop: readonly number[]
  /** Variants that take over the value of a line with only one. */
  readonly widen: ReadonlyMap<number, readonly number[]>
  /**
   * There would be more than `limit` new ones, or looking for them takes too long: exclusions may leave
   * nothing of any number of beginnings.
   */
  readonly tooMany: boolean
}

/** Beginnings of combinations that are looked at. */
const MOST_STEPS = 50_000

/** One name for a combination, whatever the order of its values. */
export const keyOf = (values: readonly number[]): string => [...values].sort((a, b) => a - b).join(',')

/** `excluded` holds pairs of values that do not go together, in either order. */
export function planVariants(
  lines: readonly PlannedLine[],
  excluded: readonly (readonly [number, number])[],
  present: readonly PresentVariant[],
  limit = 1000,
): VariantPlan {
  const making = lines.filter((line) => line.values.length > 0)
  const forbidden = new Set(excluded.map((pair) => keyOf(pair)))
  const lineOf = new Map(making.flatMap((line, i) => line.values.map((value) => [value, i] as const)))
  const fits = (values: readonly number[]) =>
    values.length === making.length &&
    new Set(values.map((v) => lineOf.get(v) ?? -1 - v)).size === values.length &&
    values.every((v) => lineOf.has(v))
  const goesWith = (values: readonly number[], next: number) =>
    forbidden.size === 0 || !values.some((a) => forbidden.has(keyOf([a, next])))
  const possible = (values: readonly number[]) =>
    values.every((value, i) => goesWith(values.slice(0, i), value))
  const { widen, variants } = widened(making, present, fits)
  const byKey = byCombination(variants)
  const create: (readonly number[])[] = []
  const keep = new Set<number>()
  let tooMany = false
  if (making.some((line) => line.dynamic)) {
    for (const variant of byKey.values())
      if (fits(variant.values) && possible(variant.values)) keep.add(variant.id)
  } else {
    for (const values of combinations(making, goesWith)) {
      if (values === null) {
        tooMany = true
        break
      }
      const variant = byKey.get(keyOf(values))
      if (variant) keep.add(variant.id)
      else create.push(values)
      tooMany = create.length > limit
      if (tooMany) break
    }
  }
  return {
    create,
    keep: [...keep],
    drop: present.filter(({ id }) => !keep.has(id)).map(({ id }) => id),
    widen,
    tooMany,
  }
}

/** A new line with one value only makes no new variants: the old ones take the value over. */
function widened(
  making: readonly PlannedLine[],
  present: readonly PresentVariant[],
  fits: (values: readonly number[]) => boolean,
) {
  const single = making.flatMap((line) => (line.values.length === 1 ? line.values : []))
  const widen = new Map<number, readonly number[]>()
  const variants = present.map((variant) => {
    const values = [...new Set([...variant.values, ...single])]
    if (values.length === variant.values.length || !fits(values)) return variant
    widen.set(variant.id, values)
    return { ...variant, values }
  })
  return { widen, variants }
}

/** Variants by combination; of several with the same one, the active and the oldest. */
function byCombination(variants: readonly PresentVariant[]): Map<string, PresentVariant> {
  const ordered = [...variants].sort((a, b) => Number(b.active) - Number(a.active) || a.id - b.id)
  const byCombinationKey = new Map<string, PresentVariant>()
  for (const variant of ordered)
    if (!byCombinationKey.has(keyOf(variant.values))) byCombinationKey.set(keyOf(variant.values), variant)
  return byCombinationKey
}

/**
 * All possible combinations, the last line's values changing first; parts that are excluded already are not
 * followed. Null, at the end, when it takes too long.
 */
function* combinations(
  lines: readonly PlannedLine[],
  goesWith: (values: readonly number[], next: number) => boolean,
): Generator<readonly number[] | null> {
  let steps = 0
  function* below(head: readonly number[]): Generator<readonly number[] | null> {
    const line = lines[head.length]
    if (!line) {
      yield head
      return
    }
    for (const value of line.values) {
      if (++steps > MOST_STEPS) {
        yield null
        return
      }
      if (goesWith(head, value)) yield* below([...head, value])
    }
  }
  yield* below([])
}
