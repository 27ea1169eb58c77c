// Work of a button: one run at a time, with busy state and error message.
import { useRef, useState } from 'preact/hooks'

export interface Action<Args extends readonly unknown[]> {
  /** Starts the work; does nothing during an earlier run. */
  readonly run: (...args: Args) => Promise<void>
  readonly busy: boolean
  /** Why the last run failed; null when it did not. */
  readonly error: string | null
  readonly setError: (error: string | null) => void
}

/**
 * Turns an asynchronous function into an action of the component. An exception becomes `error`. `onBusy`:
 * called when a run begins and ends.
 */
export function useAction<Args extends readonly unknown[]>(
  work: (...args: Args) => Promise<void>,
  onBusy?: (busy: boolean) => void,
): Action<Args> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  // A second press may come before the button is drawn as disabled.
  const running = useRef(false)
  const tell = (now: boolean) => {
    running.current = now
    setBusy(now)
    onBusy?.(now)
  }
  const run = async (...args: Args) => {
    if (running.current) return
    tell(true)
    setError(null)
    try {
      await work(...args)
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    } finally {
      tell(false)
    }
  }
  return { run, busy, error, setError }
}
