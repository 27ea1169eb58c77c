// One delivery in its table: what became of it, every attempt, and the button that sends it again.
import { Moment } from '../shared/moment.tsx'
import type { Attempt, Delivery } from './webhooks.ts'

interface Props {
  readonly of: Delivery
  /** Whether one is being sent again. */
  readonly busy: boolean
  readonly onAgain: () => void
}

export function DeliveryRow({ of: row, busy, onAgain }: Props) {
  return (
    <tr>
      <th scope="row" class="address">
        {row.type}
        <small class="faint block">{row.event}</small>
      </th>
      <td data-label="Created">
        <Moment text={row.created} empty="Unknown" />
      </td>
      <td data-label="State">
        <span>
          <State of={row} />
        </span>
      </td>
      <td data-label="Attempts">
        <Attempts of={row} />
      </td>
      <td>
        <button
          type="button"
          aria-label={`Send again ${row.type} ${row.event}`}
          disabled={busy}
          onClick={onAgain}
        >
          Send again
        </button>
      </td>
    </tr>
  )
}

function State({ of: { state, attempts, next_at } }: { readonly of: Delivery }) {
  if (state === 'done') return <>Arrived</>
  if (state === 'dead') return <span class="tag bad">Failed</span>
  if (state === 'cancelled') return <span class="tag warn">Cancelled</span>
  if (attempts === 0) return <>On its way</>
  return (
    <>
      <span class="tag warn">Tried again</span>{' '}
      <small class="faint block">
        <Moment text={next_at} empty="soon" />
      </small>
    </>
  )
}

function Attempts({ of: { attempts, log, reply } }: { readonly of: Delivery }) {
  if (!log || log.length === 0) return <span>{attempts}</span>
  return (
    <details>
      <summary>{attempts === 1 ? 'one' : attempts}</summary>
      <ol>
        {log.map((attempt: Attempt) => (
          <li key={`${attempt.at} ${attempt.ms}`}>
            {attempt.at} UTC: {attempt.status ?? 'no answer'}
            {attempt.error ? `, ${attempt.error}` : ''} ({attempt.ms} ms)
          </li>
        ))}
      </ol>
      {reply ? <pre class="reply">{reply}</pre> : null}
    </details>
  )
}
