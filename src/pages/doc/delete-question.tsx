// The question before a call from the page that deletes records.
import { useFocus } from '../shared/focus.ts'
import { parsed } from './attempt.ts'
import type { Target } from './target.ts'

/** Methods that delete for good, with the further data that they delete besides the records. */
export const losses: Readonly<Record<string, string>> = {
  unlink: 'with all dependent records',
  button_immediate_uninstall: 'and all records of this module',
}

interface Props {
  readonly target: Target
  readonly method: string
  readonly body: string
  readonly onKeep: () => void
  readonly onDelete: () => void
}

/** Names the records to delete; the button that keeps them has the focus. */
export function DeleteQuestion({ target: { model, database }, method, body, onKeep, onDelete }: Props) {
  const safe = useFocus<HTMLButtonElement>()
  const ids = idsIn(body)
  const what =
    ids === null
      ? 'The records'
      : ids.length === 1
        ? `The record ${ids[0]}`
        : `${ids.length} records (${ids.join(', ')})`
  return (
    <>
      <p>
        {what} of <b>{model}</b> in the database <b>{database}</b>, {losses[method]}. Nobody can bring them
        back.
      </p>
      <div class="row end">
        <button type="button" ref={safe} onClick={onKeep}>
          Keep them
        </button>
        <button type="button" class="primary danger" onClick={onDelete}>
          Delete
        </button>
      </div>
    </>
  )
}

/** The records that a body names; null if they cannot be determined. */
function idsIn(body: string): readonly unknown[] | null {
  try {
    const { ids } = parsed(body) as { ids?: unknown }
    return Array.isArray(ids) ? ids : null
  } catch {
    return null
  }
}
