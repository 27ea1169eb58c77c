// Things that are done together; what fails is halved until those at fault stand alone.

export interface Halving<Item, Result, Refusal> {
  /** Does all of them or none. */
  apply(items: readonly Item[]): Promise<readonly Result[]>
  /** What a failure says. Throws it on when it is no matter of the items. */
  refusal(error: unknown): Refusal
  /** What becomes of one that cannot be done. */
  failed(item: Item, refusal: Refusal): Result
  /** Whether the rest is not worth trying any more. */
  readonly isHopeless?: boolean
}

/** A result for each item, in their order; fewer where it became hopeless. */
export async function inHalves<Item, Result, Refusal>(
  items: readonly Item[],
  work: Halving<Item, Result, Refusal>,
): Promise<Result[]> {
  const [first] = items
  if (first === undefined) return []
  try {
    return [...(await work.apply(items))]
  } catch (error) {
    const refusal = work.refusal(error)
    if (items.length === 1) return [work.failed(first, refusal)]
    const half = Math.ceil(items.length / 2)
    const results = await inHalves(items.slice(0, half), work)
    return work.isHopeless ? results : [...results, ...(await inHalves(items.slice(half), work))]
  }
}
