// Whether a condition read the clock while it was compiled: a statement in whose making one did is good for
// this moment only.

let readings = 0

/** How often a condition read the clock so far. */
export const clockReadings = (): number => readings

/** A condition reads the clock: what follows from it is not to be kept. */
export function noteClockReading(): void {
  readings++
}
