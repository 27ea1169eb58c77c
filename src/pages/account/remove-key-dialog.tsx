// Revoking a key: a confirmation, then the password.
import { useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Dialog } from '../shared/dialog.tsx'
import { useFocus } from '../shared/focus.ts'
import { Failure } from '../shared/notice.tsx'
import { CheckStep } from './check-step.tsx'
import { type Key, type Progress, removeKey } from './keys.ts'

interface Props {
  readonly of: Key
  readonly everybody: boolean
  readonly onRemoved: () => void
  readonly onClose: () => void
}

export function RemoveKeyDialog({ of: key, everybody, onRemoved, onClose }: Props) {
  const [check, setCheck] = useState<number | null>(null)
  const [busy, setBusy] = useState(false)
  const proceed = (progress: Progress) => {
    if (progress.kind === 'asks') setCheck(progress.check)
    else onRemoved()
  }
  return (
    <Dialog title="Revoke key?" role="alertdialog" onClose={onClose} busy={busy}>
      {check === null ? (
        <Question of={key} everybody={everybody} onDone={proceed} onCancel={onClose} onBusy={setBusy} />
      ) : (
        <CheckStep
          check={check}
          verb="Revoke key"
          danger
          onDone={proceed}
          onCancel={onClose}
          onBusy={setBusy}
        />
      )}
    </Dialog>
  )
}

interface QuestionProps {
  readonly of: Key
  readonly everybody: boolean
  readonly onDone: (progress: Progress) => void
  readonly onCancel: () => void
  readonly onBusy: (busy: boolean) => void
}

function Question({ of: key, everybody, onDone, onCancel, onBusy }: QuestionProps) {
  const safe = useFocus<HTMLButtonElement>()
  const isOver = key.expiring === 'expired'
  const remove = useAction(async () => onDone(await removeKey(key.id)), onBusy)
  return (
    <>
      <p>
        {isOver ? 'The key ' : 'Programs that use the key '}
        <b>{key.name}</b>
        {everybody ? (
          <>
            {' '}
            of <b>{key.user_id[1]}</b>
          </>
        ) : null}{' '}
        {isOver ? 'has expired and no longer works.' : 'stop working at once.'} A key that is gone does not
        come back.
      </p>
      <Failure error={remove.error} />
      <div class="row end">
        <button type="button" ref={safe} onClick={onCancel} disabled={remove.busy}>
          Keep it
        </button>
        <button type="button" class="primary danger" onClick={() => remove.run()} disabled={remove.busy}>
          Revoke key
        </button>
      </div>
    </>
  )
}
