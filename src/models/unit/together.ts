// Reads that do not need each other's answers: their statements leave in one flush.
import type { Environment } from '../language/environment.ts'

/** Waits for all of them, and throws the first failure in their order; nothing is under way any more then. */
export function together<T extends readonly unknown[]>(
  ...work: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const found: unknown[] = new Array(work.length)
  if (work.length === 0) return Promise.resolve(found as unknown as T)
  return new Promise((resolve, reject) => {
    let open = work.length
    // The first that failed by its place.
    let failure: { readonly place: number; readonly reason: unknown } | null = null
    const settled = () => {
      if (--open > 0) return
      if (failure) reject(failure.reason)
      else resolve(found as unknown as T)
    }
    for (const [place, one] of work.entries())
      one.then(
        (value: unknown) => {
          found[place] = value
          settled()
        },
        (reason: unknown) => {
          if (!failure || place < failure.place) failure = { place, reason }
          settled()
        },
      )
  })
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
