// A list of API keys: the user's own, with a button for new ones, or all users' for administrators.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Failure, Status } from '../shared/notice.tsx'
import type { Facts } from './facts.ts'
import { KeyList } from './key-list.tsx'
import { type Key, keysOf } from './keys.ts'
import { NarrowKeyDialog } from './narrow-key-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RemoveKeyDialog } from './remove-key-dialog.tsx'

/** Event of a list that changed, so that the other one follows. */
const CHANGED = 'keys-changed'

export function KeySection({ facts, everybody }: { readonly facts: Facts; readonly everybody: boolean }) {
  const id = everybody ? 'all-keys' : 'my-keys'
  const { keys, setKeys, status, load, changed } = useKeys(id, everybody)
  const [making, setMaking] = useState(false)
  const [removing, setRemoving] = useState<Key | null>(null)
  const [narrowing, setNarrowing] = useState<Key | null>(null)
  return (
    <section class="card" aria-labelledby={id}>
      <Heading id={id} everybody={everybody} onNew={() => setMaking(true)} />
      <Status>{status}</Status>
      <Failure error={load.error} />
      {load.error ? (
        <button type="button" onClick={() => load.run()}>
          Try again
        </button>
      ) : null}
      {keys ? (
        <KeyList keys={keys} everybody={everybody} onRemove={setRemoving} onNarrow={setNarrowing} />
      ) : load.error ? null : (
        <p class="faint">Loading the keys…</p>
      )}
      {making ? (
        <NewKeyDialog
          facts={facts}
          onMade={(name) => changed(`The key “${name}” was created.`)}
          onClose={() => setMaking(false)}
        />
      ) : null}
      {narrowing ? (
        <NarrowKeyDialog
          of={narrowing}
          mayWiden={facts.isAdministrator}
          onDone={() => {
            changed(`The key “${narrowing.name}” was changed.`)
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
            changed(`The key “${removing.name}” was revoked.`)
            setRemoving(null)
          }}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </section>
  )
}

/** The keys as last read, and the last result of an action. */
function useKeys(id: string, everybody: boolean) {
  const [keys, setKeys] = useState<readonly Key[] | null>(null)
  const [status, setStatus] = useState('')
  const load = useAction(async () => setKeys(await keysOf(everybody)))
  useEffect(() => {
    void load.run()
    const follow = (event: Event) => {
      if (event instanceof CustomEvent && event.detail !== id) void load.run()
    }
    addEventListener(CHANGED, follow)
    return () => removeEventListener(CHANGED, follow)
  }, [])

  // Reload first: the message must not precede the change in the list.
  const changed = async (text: string) => {
    dispatchEvent(new CustomEvent(CHANGED, { detail: id }))
    await load.run()
    setStatus(text)
  }
  return { keys, setKeys, status, load, changed }
}

interface HeadingProps {
  readonly id: string
  readonly everybody: boolean
  readonly onNew: () => void
}

function Heading({ id, everybody, onNew }: HeadingProps) {
  return (
    <>
      <div class="row apart">
        <h2 id={id} tabIndex={-1} data-focus-return={everybody ? undefined : ''}>
          {everybody ? 'API keys of all users' : 'My API keys'}
        </h2>
        {everybody ? null : (
          <button type="button" class="primary" onClick={onNew}>
            New API Key
          </button>
        )}
      </div>
      <p class="faint">
        {everybody
          ? 'As an administrator you see the keys of all users. A revoked key is refused from the next request on.'
          : 'Programs sign in with a key instead of your password. A key can do what you can do, so give each program its own key.'}
      </p>
    </>
  )
}
