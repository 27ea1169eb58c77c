// Changes the scope, addresses and rate of an existing key from its next call on, by choices in plain words.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Dialog } from '../shared/dialog.tsx'
import { Field, TextField } from '../shared/field.tsx'
import { Failure } from '../shared/notice.tsx'
import { type Key, restrictKey } from './keys.ts'
import { choices, countsWith, scopesWith, speedsWith } from './scopes.ts'

interface Props {
  readonly of: Key
  readonly mayWiden: boolean
  readonly onDone: () => void
  readonly onClose: () => void
}

export function NarrowKeyDialog({ of: key, mayWiden, onDone, onClose }: Props) {
  const narrowing = useNarrowing(key, onDone)
  const { busy, change } = narrowing
  return (
    <Dialog title={`Change the key “${key.name}”`} onClose={onClose} busy={busy}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void change.run()
        }}
      >
        <p class="faint">
          It counts from the next call on.{' '}
          {mayWiden
            ? 'As an administrator you can also widen the key.'
            : 'You can narrow your key. Only an administrator can widen it again.'}
        </p>
        <NarrowingFields of={key} narrowing={narrowing} />
        <Failure error={change.error} />
        <div class="row end">
          <button type="button" onClick={onClose} disabled={change.busy}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={change.busy}>
            Change key
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** The chosen restrictions, and the change itself. */
function useNarrowing(key: Key, onDone: () => void) {
  const [scope, setScope] = useState(key.scope || '')
  const [addresses, setAddresses] = useState(key.addresses || '')
  const [rate, setRate] = useState(key.rate || '')
  const [count, setCount] = useState(key.concurrency ? String(key.concurrency) : '')
  const [keyed, setKeyed] = useState(key.idempotency_required)
  const [replica, setReplica] = useState(key.replica)
  const [busy, setBusy] = useState(false)
  const change = useAction(async () => {
    await restrictKey(key.id, {
      ...(scope === (key.scope || '') ? {} : { scope }),
      addresses: addresses.trim(),
      rate,
      concurrency: count ? Number(count) : null,
      idempotency_required: keyed,
      replica,
    })
    onDone()
  }, setBusy)
  return {
    scope,
    setScope,
    addresses,
    setAddresses,
    rate,
    setRate,
    count,
    setCount,
    keyed,
    setKeyed,
    replica,
    setReplica,
    busy,
    change,
  }
}

interface FieldsProps {
  readonly of: Key
  readonly narrowing: ReturnType<typeof useNarrowing>
}

function NarrowingFields({ of: key, narrowing }: FieldsProps) {
  return (
    <>
      <Choice
        label="May do"
        hint={choices.find(([text]) => text === narrowing.scope)?.[2] ?? ''}
        options={scopesWith(key.scope || '')}
        value={narrowing.scope}
        onValue={narrowing.setScope}
      />
      <TextField
        label="Only from"
        hint="Addresses such as 192.0.2.7 or 10.0.0.0/8. Leave empty to allow all."
        maxLength={1000}
        autocomplete="off"
        value={narrowing.addresses}
        onValue={narrowing.setAddresses}
      />
      <Choice
        label="Speed"
        options={speedsWith(key.rate || '')}
        value={narrowing.rate}
        onValue={narrowing.setRate}
      />
      <Choice
        label="Calls at a time"
        options={countsWith(key.concurrency ? String(key.concurrency) : '')}
        value={narrowing.count}
        onValue={narrowing.setCount}
      />
      <Choice
        label="Changes"
        hint="With an Idempotency-Key, a call that is sent again takes effect only once."
        options={[
          ['', 'Idempotency-Key optional'],
          ['keyed', 'Idempotency-Key required'],
        ]}
        value={narrowing.keyed ? 'keyed' : ''}
        onValue={(value) => narrowing.setKeyed(value !== '')}
      />
      <Choice
        label="Reads"
        hint="A replica takes load off the main server, if there is one. The program still sees its own writes."
        options={[
          ['', 'From the main server'],
          ['replica', 'From a replica too'],
        ]}
        value={narrowing.replica ? 'replica' : ''}
        onValue={(value) => narrowing.setReplica(value !== '')}
      />
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly hint?: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly value: string
  readonly onValue: (value: string) => void
}

function Choice({ label, hint = '', options, value, onValue }: ChoiceProps) {
  return (
    <Field
      label={label}
      hint={hint}
      control={(tied) => (
        <select {...tied} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map(([text, words]) => (
            <option key={text} value={text}>
              {words}
            </option>
          ))}
        </select>
      )}
    />
  )
}
