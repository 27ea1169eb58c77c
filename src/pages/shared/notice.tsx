// Messages: failures that interrupt, and a line that tells what was done. Screen readers hear both.
import type { ComponentChildren } from 'preact'

/** A failure, read out at once; nothing where there is none. */
export function Failure({ error }: { readonly error: string | null }) {
  return error ? (
    <p class="notice bad" role="alert">
      {error}
    </p>
  ) : null
}

/** What was done. It stays in the page while empty: readers announce changes of what they know. */
export function Status({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class={children ? 'notice good' : 'hidden'} role="status">
      {children}
    </p>
  )
}
