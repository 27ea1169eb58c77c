// Which rows of the ledger a reservation takes, and how much of each: pure arithmetic over what is held,
// first come, first served.

import { roundToScale } from '../../../kit/rounding.ts'
import { convertQuantity, type UnitFactor } from '../../uom/index.ts'
import { type Held, settled } from '../quants/ledger.ts'

/** Goods that somebody wants. */
export interface Want {
  readonly product: number
  /** The `parent_path` of the place to take them from, or from below of. */
  readonly path: string
  readonly location: number
  /** In the unit of the product. */
  readonly quantity: number
  readonly unit: UnitFactor
  readonly productUnit: UnitFactor
  readonly whole: boolean
  readonly method: string
  /** Only goods of this owner; null for those of anybody. */
  readonly owner: number | null
  /** Only such goods, as far as told: what came by the moves before. */
  readonly only?: readonly Only[] | undefined
}

/** So much of some goods, and no more. */
export interface Only {
  readonly location: number
  readonly lot: number | null
  readonly package: number | null
  readonly owner: number | null
  quantity: number
}

export interface Taken {
  readonly held: Held
  /** In the unit of the product, and in that of the move. */
  readonly quantity: number
  readonly own: number
}

/** What is free of each row; reservations take from it one after the other. */
export class Stock {
  private readonly rows: readonly Held[]
  private readonly free: Map<number, number>

  constructor(rows: readonly Held[]) {
    this.rows = rows
    this.free = new Map(rows.map((one) => [one.id, settled(one.quantity - one.reserved)]))
  }

  /** Takes what a want finds, in the order of its method, as whole as its unit allows. */
  take(want: Want): Taken[] {
    const rows = this.rows.filter(
      (one) =>
        one.product === want.product &&
        one.path.startsWith(want.path) &&
        (want.owner === null || one.owner === want.owner),
    )
    // What others took of a lot beyond what a shelf holds lacks on the shelves beside it.
    const lots = new Map<number | null, number>()
    for (const one of rows)
      lots.set(one.lot, settled((lots.get(one.lot) ?? 0) + (this.free.get(one.id) ?? 0)))
    const free = [...lots.values()].reduce((sum, one) => sum + Math.max(0, one), 0)
    let left = this.portion(want, settled(free))
    const taken: Taken[] = []
    for (const row of rows.toSorted(order(want))) {
      if (left <= 0) break
      const bound = want.only?.find((one) => fits(one, row))
      if (want.only && !bound) continue
      const most = Math.min(
        left,
        this.free.get(row.id) ?? 0,
        lots.get(row.lot) ?? 0,
        bound?.quantity ?? Number.POSITIVE_INFINITY,
      )
      const quantity = settled(want.whole ? Math.floor(most) : most)
      if (quantity <= 0) continue
      taken.push({
        held: row,
        quantity,
        own: convertQuantity(quantity, want.productUnit, want.unit, 'half-up'),
      })
      this.free.set(row.id, settled((this.free.get(row.id) ?? 0) - quantity))
      lots.set(row.lot, settled((lots.get(row.lot) ?? 0) - quantity))
      if (bound) bound.quantity = settled(bound.quantity - quantity)
      left = settled(left - quantity)
    }
    return taken
  }

  /** So much as the unit of the want can say: of 25 pieces 2.08 dozens, which are 24.96. */
  private portion(want: Want, available: number): number {
    if (available >= want.quantity) return want.quantity
    if (want.whole) return Math.floor(available)
    if (want.unit.id === want.productUnit.id) return available
    const own =
      Math.floor(settled(convertQuantity(available, want.productUnit, want.unit, 'none') * 100)) / 100
    return roundToScale(convertQuantity(own, want.unit, want.productUnit, 'none'), 2)
  }
}

const fits = (only: Only, row: Held): boolean =>
  only.quantity > 0 &&
  only.location === row.location &&
  only.lot === row.lot &&
  only.package === row.package &&
  only.owner === row.owner

/** The order in which rows are taken: by age unless the method says otherwise. */
function order({ method, location }: Want): (a: Held, b: Held) => number {
  const age = (a: Held, b: Held) => (a.since ?? '').localeCompare(b.since ?? '') || a.id - b.id
  if (method === 'lifo') return (a, b) => -age(a, b)
  if (method === 'closest') {
    const far = (one: Held) => (one.location === location ? '' : one.path)
    return (a, b) => far(a).localeCompare(far(b)) || age(a, b)
  }
  return age
}
