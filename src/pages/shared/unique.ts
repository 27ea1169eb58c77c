// Ids of elements: Preact's own repeat where several parts of a page are rendered on their own.
import { useState } from 'preact/hooks'

let count = 0

/** An id that no other element of the page has. */
export function useUnique(): string {
  const [id] = useState(() => {
    count += 1
    return `part-${count}`
  })
  return id
}
