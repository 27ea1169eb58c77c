// A list of API keys: one's own, with the way to new ones, or those of everybody for administrators.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { TextField } from '../shared/field.tsx'
import { Failure, Status } from '../shared/notice.tsx'
import type { Facts } from './facts.ts'
import { KeyTable } from './key-table.tsx'
import { type Key, keysOf } from './keys.ts'
import { NarrowKeyDialog } from './narrow-key-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RemoveKeyDialog } from './remove-key-dialog.tsx'

/** Rows shown before somebody asks for more. */
const PAGE = 50
/** Told by a list that changed, so that the other one follows. */
const CHANGED = 'keys-changed'

export function KeySection({ facts, everybody }: { readonly facts: Facts; readonly everybody: boolean }) {
  const [keys, setKeys] = useState<readonly Key[] | null>(null)
  const [said, setSaid] = useState('')
  const [making, setMaking] = useState(false)
  const [removing, setRemoving] = useState<Key | null>(null)
  const [narrowing, setNarrowing] = useState<Key | null>(null)
  const id = everybody ? 'all-keys' : 'my-keys'
  const load = useAction(async () => setKeys(await keysOf(everybody)))
  useEffect(() => {
    void load.run()
    const follow = (event: Event) => {
      if (event instanceof CustomEvent && event.detail !== id) void load.run()
    }
    addEventListener(CHANGED, follow)
    return () => removeEventListener(CHANGED, follow)
  }, [])

  // What is said to have happened is to be seen in the list by then.
  const changed = async (text: string) => {
    dispatchEvent(new CustomEvent(CHANGED, { detail: id }))
    await load.run()
    setSaid(text)
  }
  return (
    <section class="card" aria-labelledby={id}>
      <div class="row apart">
        <h2 id={id} tabIndex={-1} data-focus-return={everybody ? undefined : ''}>
          {everybody ? 'API keys of all users' : 'My API keys'}
        </h2>
        {everybody ? null : (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New API Key
          </button>
        )}
      </div>
      <p class="faint">
        {everybody
          ? 'You see them as an administrator. A revoked key opens nothing from the next request on.'
          : 'Programs sign in with a key in place of your password. A key can do what you can do, so give each program one of its own.'}
      </p>
      <Status>{said}</Status>
      <Failure error={load.error} />
      {load.error ? (
        <button type="button" onClick={() => load.run()}>
          Try again
        </button>
      ) : null}
      {keys ? (
        <Keys keys={keys} everybody={everybody} onRemove={setRemoving} onNarrow={setNarrowing} />
      ) : load.error ? null : (
        <p class="faint">Loading the keys…</p>
      )}
      {making ? (
        <NewKeyDialog
          facts={facts}
          onMade={(name) => changed(`The key “${name}” is created.`)}
          onClose={() => setMaking(false)}
        />
      ) : null}
      {narrowing ? (
        <NarrowKeyDialog
          of={narrowing}
          onDone={() => {
            changed(`The key “${narrowing.name}” is changed.`)
            setNarrowing(null)
          }}
          onClose={() => setNarrowing(null)}
        />
      ) : null}
      {removing ? (
        <RemoveKeyDialog
          of={removing}
          everybody={everybody}
          onRemoved={() => {
            setKeys(keys?.filter(({ id }) => id !== removing.id) ?? null)
            changed(`The key “${removing.name}” is revoked.`)
            setRemoving(null)
          }}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </section>
  )
}

interface KeysProps {
  readonly keys: readonly Key[]
  readonly everybody: boolean
  readonly onRemove: (key: Key) => void
  readonly onNarrow: (key: Key) => void
}

function Keys({ keys, everybody, onRemove, onNarrow }: KeysProps) {
  const [filter, setFilter] = useState('')
  const [most, setMost] = useState(PAGE)
  if (keys.length === 0) return <p>{everybody ? 'There is no key.' : 'You have no key yet.'}</p>
  const words = filter.toLowerCase().split(/\s+/)
  const found = keys.filter((key) => {
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
          {found.length === keys.length
            ? `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`
            : `${found.length} of ${keys.length} keys`}
        </p>
      ) : null}
      {found.length ? (
        <KeyTable keys={found.slice(0, most)} everybody={everybody} onRemove={onRemove} onNarrow={onNarrow} />
      ) : null}
      {found.length > most ? (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          Show more
        </button>
      ) : null}
    </>
  )
}
