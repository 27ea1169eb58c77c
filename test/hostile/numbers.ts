// Limits for the effect of a single request on other callers and the machine, and the figures of an
// attack.
import type { Attack } from './attack.ts'
import type { Outcome } from './hands.ts'

export interface Numbers {
  /** Milliseconds without a byte of an answer or of progress. */
  readonly quiet: number
  /** Milliseconds that others wait longer than usual; null where the machine's speed must not matter. */
  readonly wait: number | null
  /** Megabytes that the server grows by, and keeps afterwards. */
  readonly grown: number
  readonly kept: number
  /** Megabytes of one backend of PostgreSQL. */
  readonly backend: number
  /** Megabytes written before a credential was right. */
  readonly written: number
}

export const NUMBERS: Numbers = { quiet: 10_000, wait: 250, grown: 300, kept: 200, backend: 300, written: 2 }

/** Milliseconds: V8 waits a hundred seconds before it gives back what a quiet process does not use. */
export const GIVEN_BACK = 180_000

/** Of one attack; memory and disk in megabytes, times in milliseconds. */
export interface Figures {
  readonly usual: number
  /**
   * The longest wait of others beyond the usual: as it was, and without what other users of this machine
   * took.
   */
  readonly raw: number
  readonly wait: number
  /** The longest that a main thread of the server worked without letting others in. */
  readonly turn: number
  readonly grown: number
  readonly kept: number
  readonly backend: number
  readonly written: number
  readonly seconds: number
  /** The share of the processors that others of this machine took. */
  readonly others: number
  readonly outcome: Outcome
  /** Events besides the figures: a process died, other callers were rejected, time was up. */
  readonly events: readonly string[]
}

/** Why an attack made the server fall; nothing when it held. */
export function fallsOf(
  { open = false, many = false }: Attack,
  figures: Figures,
  numbers: Numbers,
): string[] {
  const { outcome, events } = figures
  const falls = [...events, ...outcome.complaints]
  const quiet = numbers.quiet * paceOf(figures)
  if (!many && outcome.quiet > quiet) falls.push(`silence of ${Math.round(outcome.quiet / 1000)} s`)
  if (numbers.wait !== null && figures.wait > numbers.wait) falls.push(`others waited ${figures.wait} ms`)
  if (!many && figures.grown > numbers.grown) falls.push(`the server grew by ${figures.grown} MB`)
  if (figures.kept > numbers.kept) falls.push(`the server kept ${figures.kept} MB`)
  if (figures.backend > numbers.backend) falls.push(`a backend had ${figures.backend} MB`)
  if (open && figures.written > numbers.written) falls.push(`${figures.written.toFixed(1)} MB were written`)
  return falls
}

/** The factor by which other load slows the machine down. */
export const paceOf = ({ others }: Pick<Figures, 'others'>): number =>
  others > 0.25 ? 1 / Math.max(0.25, 1 - others) : 1

/**
 * Whether only limits of time were exceeded. A second run then shows whether the machine or the server
 * was slow.
 */
export const onlyTime = (falls: readonly string[]): boolean =>
  falls.length > 0 && falls.every((fall) => /^others waited|^silence|^no end/.test(fall))
