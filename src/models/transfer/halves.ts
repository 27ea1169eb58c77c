// Processes items in one batch and bisects a batch that fails, until the invalid items are alone.

interface Halving<Item, Result, Refusal> {
  /** Processes all of them or none. */
  apply(items: readonly Item[]): Promise<readonly Result[]>
  /** Converts an error. Throws it if the items did not cause it. */
  refusal(error: unknown): Refusal
  /** The result of an item that was refused. */
  failed(item: Item, refusal: Refusal): Result
  /** Whether to give up on the rest. */
  readonly isHopeless?: boolean
}

/** A result for each item, in their order; fewer if the work gave up. */
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
