// Recovery codes, shown once.
import { CopyText } from '../shared/copy.tsx'

interface Props {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

export function RecoveryCodes({ codes, onClose }: Props) {
  return (
    <>
      <p class="notice warn" role="status">
        Each code signs you in once without your phone. Store them now: they are not shown again.
      </p>
      <CopyText focused label="Recovery codes" text={codes.join('\n')} />
      <div class="row end">
        <button type="button" class="primary" onClick={onClose}>
          I have stored them
        </button>
      </div>
    </>
  )
}
