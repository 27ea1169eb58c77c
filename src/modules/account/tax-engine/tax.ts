// Facts of a tax for the tax engine, and the order in which taxes are computed: by sequence, groups
// replaced by their members.

/**
 * A tax that is computed; groups of taxes are replaced before (`inOrder`). Names follow the fields of
 * account.tax.
 */
export interface Tax {
  readonly id: number
  readonly amountType: 'percent' | 'fixed' | 'division'
  /** Percent, or money per unit. */
  readonly amount: number
  /** The price contains it. */
  readonly priceInclude: boolean
  /** It joins the base of later taxes. */
  readonly includeBaseAmount: boolean
  /** Its base takes in earlier taxes that join. */
  readonly isBaseAffected: boolean
  /** A part of it is taken back (reverse charge): it is counted twice with opposite signs. */
  readonly hasNegativeFactor: boolean
  readonly taxGroupId: number
}

/** A tax or a group of taxes, with what orders it. */
export interface Ordered<T> {
  readonly id: number
  readonly sequence: number
  readonly tax: T
  /** Members of a group; none for a tax of its own. */
  readonly children: readonly Ordered<T>[]
}

const bySequence = (a: { sequence: number; id: number }, b: { sequence: number; id: number }) =>
  a.sequence - b.sequence || a.id - b.id

/**
 * Taxes in the order of computation. The sequence of a group places all its members; a tax that comes twice
 * counts once.
 */
export function inOrder<T>(taxes: readonly Ordered<T>[]): T[] {
  const byId = new Map<number, T>()
  for (const tax of taxes.toSorted(bySequence)) {
    const members = tax.children.length ? tax.children.toSorted(bySequence) : [tax]
    for (const member of members) if (!byId.has(member.id)) byId.set(member.id, member.tax)
  }
  return [...byId.values()]
}

/** Ids of later taxes whose base takes in `tax`, among those of a line in the order of computation. */
export function laterAffectedTaxes(tax: Tax, all: readonly Tax[]): number[] {
  if (!tax.includeBaseAmount) return []
  return all.slice(all.indexOf(tax) + 1).flatMap((other) => (other.isBaseAffected ? other.id : []))
}

/**
 * Neighbours that are computed together: same kind, same place of the price, none built on another
 * (spec/business-models.md section 4).
 */
export function batchesOf(taxes: readonly Tax[], ignoreInclusion: boolean): (readonly Tax[])[] {
  const batches: Tax[][] = []
  for (const tax of taxes) {
    const batch = batches.at(-1)
    const before = batch?.at(-1)
    const joins =
      before !== undefined &&
      before.amountType === tax.amountType &&
      (ignoreInclusion || before.priceInclude === tax.priceInclude) &&
      before.includeBaseAmount === tax.includeBaseAmount &&
      !(tax.includeBaseAmount && tax.isBaseAffected)
    if (batch && joins) batch.push(tax)
    else batches.push([tax])
  }
  return batches
}
