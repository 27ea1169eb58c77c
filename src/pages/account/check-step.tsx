// The step of a dialog that asks for the password, or a code, before a key is created or removed.
import { confirm, type Progress } from './keys.ts'
import { ProofStep } from './proof.tsx'

interface Props {
  /** The check that the server waits for. */
  readonly check: number
  readonly verb: string
  readonly danger?: boolean
  readonly onDone: (progress: Progress) => void
  readonly onCancel: () => void
  readonly onBusy: (busy: boolean) => void
}

export function CheckStep({ check, onDone, ...step }: Props) {
  return (
    <ProofStep
      {...step}
      reason="Confirm your identity before continuing."
      onGiven={async (text, proof) => onDone(await confirm(check, { [proof]: text }))}
    />
  )
}
