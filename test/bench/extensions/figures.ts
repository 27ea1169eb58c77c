// Statistics over durations of calls: rates, ratios, medians and quantiles.

/** The one in the middle. */
export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
/** The value below which the share `part` of the values lies. */
export const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

/** Calls a second, `lanes` at a time. */
export async function rate(
  count: number,
  lanes: number,
  call: (n: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const began = performance.now()
  const lane = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return count / ((performance.now() - began) / 1000)
}

/** The median of ratios of rounds in turns, each the other way round than the one before. */
export async function ratio(
  rounds: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 ? [await b(), await a()] : [await a(), await b()]
    ratios.push(round % 2 ? second / first : first / second)
  }
  return median(ratios)
}

/** The number of rounds and calls. */
export interface Size {
  readonly rounds: number
  readonly calls: number
  /** Fresh pairs of servers for creates and writes. */
  readonly pairs: number
  /** Calls of each kind before anything of a pair is measured. */
  readonly warm: number
}
