// Search as one types: links to models, fields and methods below the box, walked by the arrow keys.
import type { Ref } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useUnique } from '../shared/unique.ts'
import { type Entry, loadEntries, search } from './entries.ts'
import type { Target } from './target.ts'

/** Results that are shown. */
const MOST = 40
/** Loaded once a visit; after a failure it is loaded again. */
let entries: readonly Entry[] | null = null

export function Search({ target }: { readonly target: Target }) {
  const [query, setQuery] = useState('')
  const { loaded, failure, load } = useEntries()
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const id = useUnique()
  const results = loaded && query.trim() ? search(loaded, query, target.model) : []
  const shown = results.slice(0, MOST)
  const links = () => [...(list.current?.querySelectorAll('a') ?? [])]
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setQuery('')
      return box.current?.focus()
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const stops = [box.current, ...links()]
    const at = stops.indexOf(document.activeElement as HTMLInputElement | HTMLAnchorElement)
    stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus()
  }
  return (
    <search class="search" onKeyDown={walk}>
      <label for={id}>
        Search <span>models, fields, methods and guides </span>
        <small class="faint">
          press <kbd>/</kbd>
        </small>
      </label>
      <input
        ref={box}
        id={id}
        type="search"
        aria-keyshortcuts="/"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={query}
        onFocus={() => void load()}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          void load()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') links()[0]?.click()
        }}
      />
      <p role="status" class="faint">
        {failure ?? said(query, loaded !== null, results.length)}
      </p>
      {shown.length ? <Results listRef={list} entries={shown} onChosen={() => setQuery('')} /> : null}
    </search>
  )
}

/** Everything that can be found; null until it was loaded. */
function useEntries() {
  const [loaded, setLoaded] = useState(entries)
  const [failure, setFailure] = useState<string | null>(null)
  const load = async () => {
    if (entries) return
    try {
      entries = await loadEntries()
      setLoaded(entries)
      setFailure(null)
    } catch {
      setFailure('The server does not respond. Type again to retry.')
    }
  }
  return { loaded, failure, load }
}

interface ResultsProps {
  readonly listRef: Ref<HTMLUListElement>
  readonly entries: readonly Entry[]
  readonly onChosen: () => void
}

function Results({ listRef, entries, onChosen }: ResultsProps) {
  return (
    <ul ref={listRef} class="results" aria-label="Results">
      {entries.map((entry) => (
        <li key={entry.path + entry.kind}>
          <a href={entry.path} onClick={onChosen}>
            <span class="tag">{entry.kind}</span>
            <span>
              <code>
                <b>{entry.name}</b>
              </code>{' '}
              {entry.label}
            </span>
            {entry.kind !== 'model' && entry.model ? <code class="faint">{entry.model}</code> : null}
          </a>
        </li>
      ))}
    </ul>
  )
}

function said(query: string, loaded: boolean, count: number): string {
  if (!query.trim()) return ''
  if (!loaded) return 'Searching…'
  if (count === 0) return 'No results.'
  return count > MOST ? `${MOST} of ${count} results` : count === 1 ? '1 result' : `${count} results`
}
