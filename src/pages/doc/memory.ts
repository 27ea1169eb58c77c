// State that the parts of the page share and that is not stored: the API key, and the language of the
// examples. Both are gone with the page.
import { useEffect, useState } from 'preact/hooks'

interface Remembered<Value> {
  readonly set: (value: Value) => void
  /** The value, in a component that follows it. */
  readonly use: () => Value
}

function remembered<Value>(first: Value): Remembered<Value> {
  let value = first
  const followers = new Set<(value: Value) => void>()
  return {
    set: (next) => {
      value = next
      for (const follow of followers) follow(next)
    },
    use: () => {
      const [seen, see] = useState(value)
      useEffect(() => {
        followers.add(see)
        return () => void followers.delete(see)
      }, [])
      return seen
    },
  }
}

export const key = remembered('')
export const language = remembered('curl')
