// Reads that do not need each other's answers: their statements leave in one flush.

/** Waits for all of them, and throws the first failure in their order; nothing is under way any more then. */
export async function together<T extends readonly unknown[]>(...work: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(work)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)) as unknown as T
}
