// Chance that is the same every time: the shop looks alike on every machine.

import { present } from '../../../kit/present.ts'

/** Gives numbers from 0 to 1 (without 1) in an order that the seed settles. */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    // The generator "mulberry32": 32 bits of state, even enough for sample data.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of a list. */
export const pick = <T>(list: readonly T[], next: () => number): T =>
  present(list[Math.floor(next() * list.length)])

/** A whole number from `low` to `high`, both included. */
export const between = (low: number, high: number, next: () => number): number =>
  low + Math.floor(next() * (high - low + 1))
