// When a delivery is tried again: soon at first, then as the table of Standard Webhooks, over three days and
// a little by chance.

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
/** Milliseconds between an attempt that failed and the next one. */
const pauses = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/**
 * Seconds between two probes of an endpoint that takes nothing: a quarter of the time for which it has taken
 * nothing, within these bounds.
 */
export const PROBE = { least: 5, most: 60, part: 4 } as const
/** Largest random part of a pause, and the longest pause that a receiver may ask for. */
const [CHANCE, MOST_ASKED] = [0.2, 24 * HOUR]

/**
 * Milliseconds until the next attempt, after so many that failed; null after the last one. `requested` is the
 * delay that the receiver asked for (`Retry-After`).
 */
export function pauseAfter(
  attempts: number,
  requested: number | null = null,
  chance: () => number = Math.random,
): number | null {
  const pause = pauses[attempts - 1]
  if (pause === undefined) return null
  const spread = Math.round(pause * (1 + CHANCE * (2 * chance() - 1)))
  return Math.max(spread, requested ?? 0)
}

/**
 * Milliseconds that the header `Retry-After` says, a day at most: seconds, or a date. Null for anything else.
 */
export function retryAfter(header: string | undefined, now = Date.now()): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Math.min(Number(header) * SECOND, MOST_ASKED)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - now), MOST_ASKED)
}
