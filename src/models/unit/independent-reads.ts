// Independent reads: their statements leave in one flush.
import type { Environment } from '../language/environment.ts'

/** Waits for all of them, and then throws the first failure in their order. */
export function together<T extends readonly unknown[]>(
  ...work: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const results: unknown[] = new Array(work.length)
  if (work.length === 0) return Promise.resolve(results as unknown as T)
  return new Promise((resolve, reject) => {
    let open = work.length
    // The first that failed by its place.
    let failed = -1
    let failure: unknown
    const settled = () => {
      if (--open > 0) return
      if (failed < 0) resolve(results as unknown as T)
      else reject(failure)
    }
    for (const [place, promise] of work.entries())
      promise.then(
        (value: unknown) => {
          results[place] = value
          settled()
        },
        (reason: unknown) => {
          if (failed < 0 || place < failed) [failed, failure] = [place, reason]
          settled()
        },
      )
  })
}

/**
 * Runs reads of records concurrently, and throws the first failure in their order. If computed values
 * are pending, the reads run one after the other, because a read may have to compute them first.
 */
export async function atOnce<T extends readonly unknown[]>(
  { unit }: Environment,
  ...reads: { readonly [K in keyof T]: () => Promise<T[K]> }
): Promise<T> {
  if (unit.pending.size === 0)
    return together<T>(...(reads.map((read) => read()) as { [K in keyof T]: Promise<T[K]> }))
  const results: unknown[] = []
  for (const read of reads) results.push(await read())
  return results as unknown as T
}
