// Turns of long work: after each round of the event loop, one of the waiting callers goes on. If all went on
// at once, their pauses would add up to one that every request feels.

const waiting: (() => void)[] = []

/** Resolves after everything else, and every earlier caller, had a turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  const resolve = waiting.shift()
  // Runs after this turn, whatever it does.
  if (waiting.length > 0) setImmediate(next)
  resolve?.()
}
