// Closes servers when a test run is interrupted, before the process ends.
const closers = new Set<() => Promise<void>>()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs `close` when a signal is about to end the process; gives what takes that back. */
export function closeOnSignals(close: () => Promise<void>): () => void {
  if (closers.size === 0) for (const signal of SIGNALS) process.on(signal, end)
  closers.add(close)
  return () => {
    if (closers.delete(close) && closers.size === 0) for (const signal of SIGNALS) process.off(signal, end)
  }
}

/** Closes all, then lets the signal do what it does. */
function end(signal: NodeJS.Signals): void {
  const all = [...closers].map((close) => close())
  void Promise.allSettled(all).then(() => process.kill(process.pid, signal))
}
