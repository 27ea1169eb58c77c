// Where the focus goes when a part of a page appears.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A reference to the element that has the focus once the component is there. */
export function useFocus<Target extends HTMLElement>(): RefObject<Target | null> {
  const target = useRef<Target>(null)
  // At once: a key that is pressed before the page is drawn must not be taken from where it went.
  useLayoutEffect(() => {
    // A dialog that is about to open gives the focus to what carries this mark.
    target.current?.setAttribute('autofocus', '')
    target.current?.focus()
  }, [])
  return target
}
