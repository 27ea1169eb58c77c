// Dialogs about one's own second factor: an app is set up, codes are renewed, it is switched off.
import { useState } from 'preact/hooks'
import { CopyText } from '../shared/copy.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { ProofStep } from './proof.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { beginFactor, confirmFactor, disableFactor, type Enrolment, renewCodes } from './second-factor.ts'

interface Props {
  /** Called after a change; the dialog may still show codes. */
  readonly onDone: (message: string) => void
  readonly onClose: () => void
}

/** Proof, secret, first code, recovery codes. */
export function SetUpDialog({ onDone, onClose }: Props) {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [busy, setBusy] = useState(false)
  const step = { onCancel: onClose, onBusy: setBusy }
  return (
    <Dialog title={codes ? 'Recovery codes' : 'Set up a second factor'} onClose={onClose} busy={busy}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : enrolment ? (
        <>
          <Secret of={enrolment} />
          <ProofStep
            key="code"
            proof="code"
            hint="The six digits that the app shows now."
            reason="Then type the code that the app shows."
            verb="Switch on"
            onGiven={async (code) => {
              setCodes(await confirmFactor(code))
              onDone('Your second factor is switched on. Other browsers have been signed out.')
            }}
            {...step}
          />
        </>
      ) : (
        <ProofStep
          key="proof"
          reason="You will need an authenticator app on your phone. First confirm your identity."
          verb="Go on"
          onGiven={async (text, proof) => setEnrolment(await beginFactor(proof, text))}
          {...step}
        />
      )}
    </Dialog>
  )
}

function Secret({ of: { secret, uri } }: { readonly of: Enrolment }) {
  return (
    <>
      <p>
        On the phone, <a href={uri}>open this in the app</a>. Elsewhere, add an account in the app, by typing
        this key:
      </p>
      <CopyText label="Key" text={secret.replace(/.{4}(?=.)/g, '$& ')} />
    </>
  )
}

/** A code, then new recovery codes. */
export function RenewCodesDialog({ onDone, onClose }: Props) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [busy, setBusy] = useState(false)
  return (
    <Dialog title="New recovery codes" onClose={onClose} busy={busy}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <ProofStep
          proof="code"
          reason="Your present recovery codes will stop working."
          verb="Make new codes"
          onGiven={async (code) => {
            setCodes(await renewCodes(code))
            onDone('You have new recovery codes.')
          }}
          onCancel={onClose}
          onBusy={setBusy}
        />
      )}
    </Dialog>
  )
}

/** A code, then it is off. */
export function SwitchOffDialog({ onDone, onClose }: Props) {
  const [busy, setBusy] = useState(false)
  return (
    <Dialog title="Switch the second factor off?" role="alertdialog" onClose={onClose} busy={busy}>
      <ProofStep
        proof="code"
        reason="You will then sign in with your password only."
        verb="Switch off"
        danger
        onGiven={async (code) => {
          await disableFactor(code)
          onDone('Your second factor is switched off.')
          onClose()
        }}
        onCancel={onClose}
        onBusy={setBusy}
      />
    </Dialog>
  )
}
