// The last step of a new API key: the key itself, once, and a call to try it with.
import { CopyText } from '../shared/copy.tsx'
import type { Facts } from './facts.ts'
import { curlLine } from './keys.ts'

interface Props {
  readonly facts: Facts
  readonly of: string
  /** Whether the user was about to leave without a copy. */
  readonly warned: boolean
  readonly onCopied: () => void
  readonly onClose: () => void
}

export function KeyShown({ facts, of: key, warned, onCopied, onClose }: Props) {
  return (
    <>
      <p class="notice warn" role="status">
        Store it now: it is shown this once and can not be looked up later.
      </p>
      <CopyText focused label="API key" text={key} onCopied={onCopied} />
      <CopyText
        label="Try it with this call"
        text={curlLine(key, facts.origin, facts.database)}
        onCopied={onCopied}
      />
      {warned ? (
        <p class="notice bad" role="alert">
          You have not copied the key. Close again to leave without it.
        </p>
      ) : null}
      <div class="row end">
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </>
  )
}
