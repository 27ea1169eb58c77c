// The first step of a new API key: what it is for and how long it lives.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Field, TextField } from '../shared/field.tsx'
import { useFocus } from '../shared/focus.ts'
import { parseMoment } from '../shared/moment.tsx'
import { Failure } from '../shared/notice.tsx'
import { CUSTOM, dayOf, endOfDay, endWords } from './durations.ts'
import { type Durations, durations, makeKey, type Progress } from './keys.ts'
import { choices, isForAgents } from './scopes.ts'

/** Days. */
const WEEK = '7'

interface Props {
  readonly name: string
  readonly onName: (name: string) => void
  readonly onBusy: (busy: boolean) => void
  readonly onDone: (progress: Progress) => void
  readonly onCancel: () => void
}

export function KeyDetails({ name, onName, onBusy, onDone, onCancel }: Props) {
  const first = useFocus<HTMLInputElement>()
  const { load, make, scope, choose, addresses, setAddresses, ...life } = useKeyDetails(name, onBusy, onDone)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void make.run()
      }}
    >
      <TextField
        label="Description"
        hint="For example, which program uses the key and where it runs."
        required
        // Blanks alone are no description.
        pattern=".*\S.*"
        maxLength={200}
        autocomplete="off"
        value={name}
        onValue={onName}
        inputRef={first}
      />
      <Lifetime {...life} />
      <Opens scope={scope} onScope={choose} addresses={addresses} onAddresses={setAddresses} />
      <Failure error={load.error ?? make.error} />
      <div class="row end">
        <button type="button" onClick={onCancel} disabled={make.busy}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={make.busy || !life.open}>
          Create key
        </button>
      </div>
    </form>
  )
}

/** The options chosen for the key, and the call that creates it. */
function useKeyDetails(name: string, onBusy: Props['onBusy'], onDone: Props['onDone']) {
  const [open, setOpen] = useState<Durations | null>(null)
  const [duration, setDuration] = useState('')
  const [day, setDay] = useState('')
  const [scope, setScope] = useState('rpc')
  const [addresses, setAddresses] = useState('')
  const load = useAction(async () => {
    const offered = await durations()
    setOpen(offered)
    setDuration(offered.choices[0]?.[0] ?? CUSTOM)
    setDay(dayOf(parseMoment(offered.until)))
  })
  useEffect(() => void load.run(), [])
  const until = open && parseMoment(open.until)
  const choose = (text: string) => {
    setScope(text)
    // An assistant may keep the key in its notes: by default such a key expires after a week.
    if (isForAgents(text) && open?.choices.some(([days]) => days === WEEK)) setDuration(WEEK)
  }
  const make = useAction(async () => {
    if (!until) return
    onDone(
      await makeKey({
        name: name.trim(),
        duration,
        expiration_date: duration === CUSTOM && endOfDay(day, until),
        scope,
        addresses: addresses.trim() || false,
      }),
    )
  }, onBusy)
  return {
    load,
    make,
    scope,
    choose,
    addresses,
    setAddresses,
    open,
    until,
    duration,
    setDuration,
    day,
    setDay,
  }
}

type LifetimeProps = Pick<
  ReturnType<typeof useKeyDetails>,
  'open' | 'until' | 'duration' | 'setDuration' | 'day' | 'setDay'
>

/** The lifetime of the key: one of the offered durations, or until a day. */
function Lifetime({ open, until, duration, setDuration, day, setDay }: LifetimeProps) {
  return (
    <>
      <Field
        label="Duration"
        hint={until ? endWords(duration, day, until) : 'Loading the allowed durations…'}
        control={(tied) => (
          <select
            {...tied}
            required
            aria-busy={!open}
            value={duration}
            onChange={(event) => setDuration(event.currentTarget.value)}
          >
            {open?.choices.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      />
      {duration === CUSTOM && until ? (
        <TextField
          type="date"
          label="Last day"
          required
          min={dayOf(new Date())}
          max={dayOf(until)}
          value={day}
          onValue={setDay}
        />
      ) : null}
    </>
  )
}

interface OpensProps {
  readonly scope: string
  readonly onScope: (scope: string) => void
  readonly addresses: string
  readonly onAddresses: (addresses: string) => void
}

/** The scope of the key, and the addresses from which it works. */
function Opens({ scope, onScope, addresses, onAddresses }: OpensProps) {
  return (
    <>
      <Field
        label="May do"
        hint={choices.find(([text]) => text === scope)?.[2] ?? ''}
        control={(tied) => (
          <select {...tied} value={scope} onChange={(event) => onScope(event.currentTarget.value)}>
            {choices.map(([text, label]) => (
              <option key={text} value={text}>
                {label}
              </option>
            ))}
          </select>
        )}
      />
      <TextField
        label="Only from"
        hint="Addresses of the machines that use the key, such as 192.0.2.7 or 10.0.0.0/8. Leave empty to allow all."
        maxLength={1000}
        autocomplete="off"
        value={addresses}
        onValue={onAddresses}
      />
    </>
  )
}
