// Deliveries to an endpoint: what became of each, every attempt, and the way to send it again.
import { Failure, Status } from '../shared/notice.tsx'
import { useDeliveries } from './deliveries.ts'
import { DeliveryRow } from './delivery-row.tsx'

interface Props {
  readonly webhook: number
  readonly url: string
  readonly onSent: () => void
}

export function DeliveryTable({ webhook, url, onSent }: Props) {
  const { rows, isAll, status, load, more, again } = useDeliveries(webhook, onSent)
  return (
    <section aria-labelledby="deliveries">
      <h3 id="deliveries">Deliveries to {url}</h3>
      <Failure error={load.error ?? more.error ?? again.error} />
      <Status>{status}</Status>
      {rows?.length === 0 ? <p>Nothing was sent yet.</p> : null}
      {rows?.length ? (
        <table class="cards deliveries">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Created</th>
              <th scope="col">State</th>
              <th scope="col">Attempts</th>
              <th scope="col">
                <span class="unseen">Send again</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <DeliveryRow key={row.id} of={row} busy={again.busy} onAgain={() => again.run(row)} />
            ))}
          </tbody>
        </table>
      ) : null}
      <div class="row">
        <button type="button" onClick={() => load.run()} disabled={load.busy}>
          Refresh
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
