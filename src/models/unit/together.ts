// Reads that do not need each other's answers: their statements leave in one flush.
import type { Environment } from '../language/environment.ts'

/** Waits for all of them, and throws the first failure in their order; nothing is under way any more then. */
export async function together<T extends readonly unknown[]>(
  ...work: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const settled = await Promise.allSettled(work)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)) as unknown as T
}

/**
 * As `together`, for reads of records by way of the engine. Where computed values wait to be stored, a read
 * may have to compute some first: then they go one after the other.
 */
export async function atOnce<T extends readonly unknown[]>(
  { unit }: Environment,
  ...reads: { readonly [K in keyof T]: () => Promise<T[K]> }
): Promise<T> {
  if (unit.pending.size === 0)
    return together<T>(...(reads.map((read) => read()) as { [K in keyof T]: Promise<T[K]> }))
  const found: unknown[] = []
  for (const read of reads) found.push(await read())
  return found as unknown as T
}
