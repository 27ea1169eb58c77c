// Sets the focus when a part of a page appears.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A reference to the element that gets the focus when the component appears. */
export function useFocus<Target extends HTMLElement>(): RefObject<Target | null> {
  const target = useRef<Target>(null)
  // At once: a key pressed before the page is drawn must reach the focused element.
  useLayoutEffect(() => {
    // A dialog that is about to open gives the focus to what carries this mark.
    target.current?.setAttribute('autofocus', '')
    target.current?.focus()
  }, [])
  return target
}
