// Where the focus goes when a part of a page appears.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A reference to the element that has the focus once the component is there. */
export function useFocus<Target extends HTMLElement>(): RefObject<Target | null> {
  const target = useRef<Target>(null)
  useEffect(() => target.current?.focus(), [])
  return target
}
