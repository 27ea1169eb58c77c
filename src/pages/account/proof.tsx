// The proof that the user is present: which one the server wants, and the field and step that ask for it.
import { createContext, type Ref } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { CallError, type Proof } from '../shared/call.ts'
import { PasswordField, TextField } from '../shared/field.tsx'
import { useFocus } from '../shared/focus.ts'
import { Failure } from '../shared/notice.tsx'

/** The kind of proof for this user: a code with a second factor. */
export const ProofContext = createContext<Proof>('password')

/** Arguments of methods that take a proof: the password, else the code. */
export const proofArguments = (proof: Proof, text: string): readonly unknown[] =>
  proof === 'code' ? [null, text] : [text]

interface FieldProps {
  readonly proof: Proof
  readonly hint?: string | undefined
  readonly value: string
  readonly onValue: (value: string) => void
  readonly inputRef: Ref<HTMLInputElement>
}

/** The field for a proof. */
function ProofField({
  proof,
  hint = 'The six digits that your authenticator app shows now, or a recovery code.',
  ...field
}: FieldProps) {
  return proof === 'code' ? (
    <TextField label="Code" hint={hint} autocomplete="one-time-code" required maxLength={40} {...field} />
  ) : (
    <PasswordField label="Password" autocomplete="current-password" required {...field} />
  )
}

interface StepProps {
  /** By default the one that this user gives. */
  readonly proof?: Proof
  /** Explains the code if a recovery code is not accepted. */
  readonly hint?: string
  /** The reason for asking. */
  readonly reason: string
  readonly verb: string
  readonly danger?: boolean
  /** Sends the proof; what it throws is shown, and the field waits for another. */
  readonly onGiven: (text: string, proof: Proof) => Promise<void>
  readonly onCancel: () => void
  readonly onBusy: (busy: boolean) => void
}

/** A wrong password is refused as strangers are, without a word of what was wrong. */
const inWords = (error: unknown): unknown =>
  error instanceof CallError && error.message === 'Access Denied'
    ? new CallError(error.name, 'This is not your password. Try again.')
    : error

/** The step of a dialog that asks for a proof. */
export function ProofStep({
  proof,
  hint,
  reason,
  verb,
  danger = false,
  onGiven,
  onCancel,
  onBusy,
}: StepProps) {
  const usual = useContext(ProofContext)
  const kind = proof ?? usual
  const [text, setText] = useState('')
  const input = useFocus<HTMLInputElement>()
  const send = useAction(async () => {
    try {
      await onGiven(text, kind)
    } catch (error) {
      input.current?.select()
      throw inWords(error)
    }
  }, onBusy)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send.run()
      }}
    >
      <p>{reason}</p>
      <ProofField proof={kind} hint={hint} value={text} onValue={setText} inputRef={input} />
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
