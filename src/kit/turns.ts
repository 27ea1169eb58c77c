// Turns of long work: each time the process has looked after everything else, one of those that wait goes on.
// With a turn for each of them at once, the pauses of many would add up to one that everybody feels.

const waiting: (() => void)[] = []

/** Resolves after everything else, and everybody who asked before, had a turn. */
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
