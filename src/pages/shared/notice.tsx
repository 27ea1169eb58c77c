// Messages: failures that interrupt, and a line with the last result. Screen readers announce both.
import type { ComponentChildren } from 'preact'

/** A failure, announced at once; renders nothing without an error. */
export function Failure({ error }: { readonly error: string | null }) {
  return error ? (
    <p class="notice bad" role="alert">
      {error}
    </p>
  ) : null
}

/**
 * The last result. The element stays in the page while empty: screen readers announce changes only of
 * elements that they know.
 */
export function Status({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class={children ? 'notice good' : 'hidden'} role="status">
      {children}
    </p>
  )
}
