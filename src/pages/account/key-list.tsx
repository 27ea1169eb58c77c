// API keys with a filter for those of all users, a part of them at first.
import { useState } from 'preact/hooks'
import { TextField } from '../shared/field.tsx'
import { type KeysProps, KeyTable } from './key-table.tsx'

/** Rows shown at first, and added by each click on the button for more. */
const PAGE = 50

export function KeyList({ keys, everybody, onRemove, onNarrow }: KeysProps) {
  const [filter, setFilter] = useState('')
  const [most, setMost] = useState(PAGE)
  if (keys.length === 0) return <p>{everybody ? 'There are no API keys.' : 'You have no API keys yet.'}</p>
  const words = filter.toLowerCase().split(/\s+/)
  const matching = keys.filter((key) => {
    const text = `${key.user_id[1]} ${key.name} ${key.scope || ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <>
      {everybody ? (
        <TextField type="search" label="Filter by user or description" value={filter} onValue={setFilter} />
      ) : null}
      {everybody ? (
        <p class="faint" role="status">
          {matching.length === keys.length
            ? `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`
            : `${matching.length} of ${keys.length} keys`}
        </p>
      ) : null}
      {matching.length ? (
        <KeyTable
          keys={matching.slice(0, most)}
          everybody={everybody}
          onRemove={onRemove}
          onNarrow={onNarrow}
        />
      ) : null}
      {matching.length > most ? (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          Show more
        </button>
      ) : null}
    </>
  )
}
