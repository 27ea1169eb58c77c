// The step of a dialog that asks for the password again.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { PasswordField } from '../shared/field.tsx'
import { useFocus } from '../shared/focus.ts'
import { Failure } from '../shared/notice.tsx'
import { confirm, type Progress } from './keys.ts'

interface Props {
  /** The check that the server waits for. */
  readonly check: number
  readonly verb: string
  readonly danger?: boolean
  readonly onDone: (progress: Progress) => void
  readonly onCancel: () => void
  readonly onBusy: (busy: boolean) => void
}

export function PasswordStep({ check, verb, danger = false, onDone, onCancel, onBusy }: Props) {
  const [password, setPassword] = useState('')
  const input = useFocus<HTMLInputElement>()
  const send = useAction(async () => {
    try {
      onDone(await confirm(check, password))
    } catch (error) {
      input.current?.select()
      throw error
    }
  }, onBusy)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send.run()
      }}
    >
      <p>Give your password again, so that nobody does this at a screen that you left open.</p>
      <PasswordField
        label="Password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
        inputRef={input}
      />
      <Failure error={send.error} />
      <div class="row end">
        <button type="button" onClick={onCancel} disabled={send.busy}>
          Cancel
        </button>
        <button type="submit" class={danger ? 'primary danger' : 'primary'} disabled={send.busy}>
          {verb}
        </button>
      </div>
    </form>
  )
}
