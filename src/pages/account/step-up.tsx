// The dialog that asks for a proof after the server refused a call without one; the call is then repeated.
import { useEffect, useState } from 'preact/hooks'
import { call, onProofNeeded, type Proof } from '../shared/call.ts'
import { Dialog } from '../shared/dialog.tsx'
import { ProofStep, proofArguments } from './proof.tsx'

interface Question {
  readonly proof: Proof
  /** Called with whether the proof succeeded, for all calls that wait for it. */
  readonly answer: (proven: boolean) => void
}

/** In the page once: nothing until a call needs a proof. */
export function StepUp() {
  const [question, setQuestion] = useState<Question | null>(null)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    let pending: Promise<boolean> | null = null
    onProofNeeded((proof) => {
      pending ??= new Promise<boolean>((answer) => setQuestion({ proof, answer })).finally(() => {
        pending = null
        setQuestion(null)
      })
      return pending
    })
  }, [])
  if (!question) return null
  const { proof, answer } = question
  return (
    <Dialog title="Confirm your identity" onClose={() => answer(false)} busy={busy}>
      <ProofStep
        proof={proof}
        reason="This changes access rights. Confirm your identity; you will not be asked again for some minutes."
        verb="Confirm"
        onGiven={async (text) => {
          await call('res.users', 'prove_identity', proofArguments(proof, text))
          answer(true)
        }}
        onCancel={() => answer(false)}
        onBusy={setBusy}
      />
    </Dialog>
  )
}
