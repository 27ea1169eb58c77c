// Goods that left together, and what some of them are worth. Pure arithmetic.

export interface Parcel {
  readonly quantity: number
  readonly value: number
}

const settled = (quantity: number) => Number(quantity.toFixed(6))

/**
 * The worth of the pieces `from` to `to` of parcels that left one after the other, not rounded; each piece
 * that none of them holds costs `each`.
 */
export function worthOfRange(parcels: readonly Parcel[], from: number, to: number, each: number): number {
  let [start, worth, missing] = [0, 0, to - from]
  for (const { quantity, value } of parcels) {
    const end = settled(start + quantity)
    const taken = settled(Math.max(0, Math.min(to, end) - Math.max(from, start)))
    if (taken > 0) {
      worth += (value * taken) / quantity
      missing -= taken
    }
    start = end
  }
  return worth + Math.max(0, settled(missing)) * each
}

/** Parcels without so many pieces that came back: those that left last. */
export function dropLastParcels(parcels: readonly Parcel[], returned: number): Parcel[] {
  const kept: Parcel[] = []
  let left = returned
  for (const { quantity, value } of parcels.toReversed()) {
    const rest = settled(quantity - Math.min(left, quantity))
    left = settled(Math.max(0, left - quantity))
    if (rest > 0) kept.unshift({ quantity: rest, value: (value * rest) / quantity })
  }
  return kept
}
