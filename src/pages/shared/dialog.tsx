// A modal dialog on the browser's own <dialog>: Escape closes it, the focus stays inside and returns
// afterwards.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useUnique } from './unique.ts'

interface Props {
  readonly title: string
  /** Called on Escape. During work (`busy`) the dialog stays open. */
  readonly onClose: () => void
  readonly busy?: boolean
  /** `alertdialog` for questions that stop a dangerous deed. */
  readonly role?: 'dialog' | 'alertdialog'
  readonly children: ComponentChildren
}

/** Open as long as it is rendered. Its first control gets the focus, or the element that uses `useFocus`. */
export function Dialog({ title, onClose, busy = false, role = 'dialog', children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useUnique()
  useLayoutEffect(() => {
    const before = document.activeElement
    const shown = dialog.current
    shown?.showModal()
    return () => {
      shown?.close()
      // Once the page is drawn: what opened the dialog may be gone, as the row of a key that was deleted.
      // Then the list's heading is next.
      queueMicrotask(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus()
        else document.querySelector<HTMLElement>('[data-focus-return]')?.focus()
      })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        if (!busy) onClose()
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}
