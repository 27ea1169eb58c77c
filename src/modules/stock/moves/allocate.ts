// Which rows of the ledger a reservation takes, and how much of each: pure arithmetic over what is held,
// first come, first served.

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
  /** Only these goods, as far as their details are set: goods that earlier moves brought. */
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
  /** In the unit of the product. */
  readonly quantity: number
}

/** Free quantity of each row; reservations take from it one after the other. */
export class Stock {
  private readonly rows: readonly Held[]
  private readonly free: Map<number, number>

  /** Where a lot lies, to take up to `quantity` from. */
  withLot(product: number, lot: number, quantity: number): Only[] {
    return this.rows
      .filter((row) => row.product === product && row.lot === lot)
      .map(({ location, package: parcel, owner }) => ({ location, lot, package: parcel, owner, quantity }))
  }

  constructor(rows: readonly Held[]) {
    this.rows = rows
    this.free = new Map(rows.map((row) => [row.id, settled(row.quantity - row.reserved)]))
  }

  /** Takes what a want finds, in the order of its method, as whole as its unit allows. */
  take(want: Want): Taken[] {
    const rows = this.rows.filter(
      (row) =>
        row.product === want.product &&
        row.path.startsWith(want.path) &&
        (want.owner === null || row.owner === want.owner),
    )
    return want.only ? this.takeArrived(want, want.only, rows) : this.takeAny(want, rows)
  }

  private takeAny(want: Want, rows: readonly Held[]): Taken[] {
    // A lot reserved beyond what its shelf holds reduces what is free of it on other shelves.
    const lots = new Map<number | null, number>()
    for (const row of rows) lots.set(row.lot, settled((lots.get(row.lot) ?? 0) + this.freeOf(row)))
    const free = [...lots.values()].reduce((sum, lot) => sum + Math.max(0, lot), 0)
    let left = this.portion(want, settled(free))
    const taken: Taken[] = []
    for (const row of rows.toSorted(order(want))) {
      if (left <= 0) break
      const most = Math.min(left, this.freeOf(row), lots.get(row.lot) ?? 0)
      const quantity = this.reserve(row, most, want, taken)
      lots.set(row.lot, settled((lots.get(row.lot) ?? 0) - quantity))
      left = settled(left - quantity)
    }
    return taken
  }

  /**
   * Goods that earlier moves brought are reserved exactly where and as they were brought: what their place
   * owes of others, or what lies on the shelves below it, does not count.
   */
  private takeArrived(want: Want, arrived: readonly Only[], rows: readonly Held[]): Taken[] {
    let left = want.quantity
    const taken: Taken[] = []
    for (const row of rows.toSorted(order(want))) {
      if (left <= 0) break
      const bound = arrived.find((place) => fits(place, row))
      if (!bound) continue
      const quantity = this.reserve(row, Math.min(left, this.freeOf(row), bound.quantity), want, taken)
      bound.quantity = settled(bound.quantity - quantity)
      left = settled(left - quantity)
    }
    return taken
  }

  private freeOf(row: Held): number {
    return this.free.get(row.id) ?? 0
  }

  /** Takes up to `most` of a row, whole pieces where the product has serial numbers. Returns how much. */
  private reserve(row: Held, most: number, want: Want, taken: Taken[]): number {
    const quantity = settled(want.whole ? Math.floor(most) : most)
    if (quantity <= 0) return 0
    taken.push({ held: row, quantity })
    this.free.set(row.id, settled(this.freeOf(row) - quantity))
    return quantity
  }

  /**
   * The part of a want that can be reserved: never more than is available, and only what two decimals of the
   * unit of the move can say. Of 25 pieces 2.08 dozens, which are 24.96.
   */
  private portion(want: Want, available: number): number {
    const quantity = Math.min(want.quantity, Math.max(0, available))
    if (want.whole) return Math.floor(quantity)
    if (want.unit.id === want.productUnit.id) return quantity
    const inMoveUnit =
      Math.floor(settled(convertQuantity(quantity, want.productUnit, want.unit, 'none') * 100)) / 100
    return convertQuantity(inMoveUnit, want.unit, want.productUnit, 'half-up')
  }
}

const fits = (only: Only, row: Held): boolean =>
  only.quantity > 0 &&
  only.location === row.location &&
  only.lot === row.lot &&
  only.package === row.package &&
  only.owner === row.owner

/**
 * The order in which rows are taken: goods with a lot before those without, then by age unless the method
 * says otherwise.
 */
function order(want: Want): (a: Held, b: Held) => number {
  const byMethod = methodOrder(want)
  return (a, b) => Number(a.lot === null) - Number(b.lot === null) || byMethod(a, b)
}

function methodOrder({ method, location }: Want): (a: Held, b: Held) => number {
  const age = (a: Held, b: Held) => (a.since ?? '').localeCompare(b.since ?? '') || a.id - b.id
  if (method === 'lifo') return (a, b) => -age(a, b)
  if (method === 'closest') {
    const far = (row: Held) => (row.location === location ? '' : row.path)
    return (a, b) => far(a).localeCompare(far(b)) || age(a, b)
  }
  return age
}
