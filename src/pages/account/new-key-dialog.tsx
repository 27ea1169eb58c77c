// Making an API key: description and duration, then the password, then the key, once.
import { useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.tsx'
import { CheckStep } from './check-step.tsx'
import type { Facts } from './facts.ts'
import { KeyDetails } from './key-details.tsx'
import { KeyShown } from './key-shown.tsx'
import type { Progress } from './keys.ts'

interface Props {
  readonly facts: Facts
  readonly onMade: (name: string) => void
  readonly onClose: () => void
}

export function NewKeyDialog({ facts, onMade, onClose }: Props) {
  const [name, setName] = useState('')
  const [progress, setProgress] = useState<Progress | null>(null)
  const [busy, setBusy] = useState(false)
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  const proceed = (next: Progress) => {
    setProgress(next)
    if (next.kind === 'done') onMade(name)
  }
  const key = progress?.kind === 'done' ? progress.key : null
  const close = () => {
    // The key is nowhere else: a slip of a finger must not lose it.
    if (key && !copied && !warned) setWarned(true)
    else onClose()
  }
  return (
    <Dialog title={key ? 'Your new API key' : 'New API Key'} onClose={close} busy={busy}>
      {progress === null ? (
        <KeyDetails name={name} onName={setName} onBusy={setBusy} onDone={proceed} onCancel={onClose} />
      ) : progress.kind === 'asks' ? (
        <CheckStep
          check={progress.check}
          verb="Create key"
          onDone={proceed}
          onCancel={onClose}
          onBusy={setBusy}
        />
      ) : (
        <KeyShown
          facts={facts}
          of={progress.key ?? ''}
          warned={warned}
          onCopied={() => setCopied(true)}
          onClose={close}
        />
      )}
    </Dialog>
  )
}
