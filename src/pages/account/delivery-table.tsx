// Deliveries to an endpoint: what became of each, every attempt, and the way to send it again.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Moment } from '../shared/moment.tsx'
import { Failure, Status } from '../shared/notice.tsx'
import { type Attempt, type Delivery, deliveriesOf, sendAgain } from './webhooks.ts'

/** Rows that are read at a time; milliseconds between two looks while something is under way. */
const [PAGE, LOOK] = [20, 2000]

interface Props {
  readonly webhook: number
  readonly url: string
  readonly onSent: () => void
}

export function DeliveryTable({ webhook, url, onSent }: Props) {
  const [rows, setRows] = useState<readonly Delivery[] | null>(null)
  const [isAll, setIsAll] = useState(false)
  const [said, setSaid] = useState('')
  const load = useAction(async () => {
    const found = await deliveriesOf(webhook, null, Math.max(PAGE, rows?.length ?? 0))
    setRows(found)
    setIsAll(found.length < PAGE)
  })
  const more = useAction(async () => {
    const next = await deliveriesOf(webhook, rows?.at(-1)?.id ?? null, PAGE)
    setRows([...(rows ?? []), ...next])
    setIsAll(next.length < PAGE)
  })
  const again = useAction(async ({ id, type }: Delivery) => {
    await sendAgain(id)
    setSaid(`${type} is sent again.`)
    await load.run()
    onSent()
  })
  useEffect(() => void load.run(), [])
  const isOpen = rows?.some(({ state, attempts }) => state === 'waiting' && attempts === 0)
  useEffect(() => {
    if (!isOpen) return
    const timer = setTimeout(() => void load.run(), LOOK)
    return () => clearTimeout(timer)
  }, [rows])
  return (
    <section aria-labelledby="deliveries">
      <h3 id="deliveries">Deliveries to {url}</h3>
      <Failure error={load.error ?? more.error ?? again.error} />
      <Status>{said}</Status>
      {rows?.length === 0 ? <p>Nothing was sent yet.</p> : null}
      {rows?.length ? (
        <table class="cards deliveries">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Made</th>
              <th scope="col">State</th>
              <th scope="col">Attempts</th>
              <th scope="col">
                <span class="unseen">Send again</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row" class="address">
                  {row.type}
                  <small class="faint block">{row.event}</small>
                </th>
                <td data-label="Made">
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
                    disabled={again.busy}
                    onClick={() => again.run(row)}
                  >
                    Send again
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <div class="row">
        <button type="button" onClick={() => load.run()} disabled={load.busy}>
          Look again
        </button>
        {rows && !isAll ? (
          <button type="button" onClick={() => more.run()} disabled={more.busy}>
            Show older ones
          </button>
        ) : null}
      </div>
    </section>
  )
}

function State({ of: { state, attempts, next_at } }: { readonly of: Delivery }) {
  if (state === 'done') return <>Arrived</>
  if (state === 'dead') return <span class="tag bad">Given up</span>
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
        {log.map((one: Attempt) => (
          <li key={`${one.at} ${one.ms}`}>
            {one.at} UTC: {one.status ?? 'no answer'}
            {one.error ? `, ${one.error}` : ''} ({one.ms} ms)
          </li>
        ))}
      </ol>
      {reply ? <pre class="reply">{reply}</pre> : null}
    </details>
  )
}
