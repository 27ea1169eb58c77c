// Endpoints that hear of changes: which there are, how they do, their deliveries; paused, resumed, tried out.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Moment } from '../shared/moment.tsx'
import { Failure, Status } from '../shared/notice.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { type Endpoint, endpointsOf, ping, setState } from './webhooks.ts'

export function WebhookSection({ everybody }: { readonly everybody: boolean }) {
  const [endpoints, setEndpoints] = useState<readonly Endpoint[] | null>(null)
  const [opened, setOpened] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const load = useAction(async () => setEndpoints(await endpointsOf(everybody)))
  useEffect(() => void load.run(), [])
  const change = useAction(async ({ id, url, state }: Endpoint) => {
    const next = state === 'active' ? 'paused' : 'active'
    await setState(id, next)
    await load.run()
    setSaid(`${url} is ${next}.`)
  })
  const test = useAction(async ({ id, url }: Endpoint) => {
    await ping(id)
    setSaid(`A ping to ${url} is on its way: its deliveries tell what came of it.`)
    setOpened(id)
  })
  return (
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks" tabIndex={-1}>
        {everybody ? 'Webhooks of all users' : 'Webhooks'}
      </h2>
      <p class="faint">
        Addresses that hear of changes as they happen. Programs make them by <code>POST /x/1/webhooks</code>.
      </p>
      <Failure error={load.error ?? change.error ?? test.error} />
      <Status>{said}</Status>
      {endpoints?.length === 0 ? <p>There is no webhook yet.</p> : null}
      {endpoints?.length ? (
        <table class="cards webhooks">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">State</th>
              <th scope="col">Waiting</th>
              <th scope="col">Given up</th>
              <th scope="col">Last arrived</th>
              <th scope="col">
                <span class="unseen">What to do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpoint) => (
              <tr key={endpoint.id}>
                <th scope="row" class="address">
                  {endpoint.url}
                  <small class="faint block">
                    {endpoint.events.join(', ')}
                    {everybody ? `, for ${endpoint.user_id[1]}` : ''}
                  </small>
                </th>
                <td data-label="State">
                  <span>
                    <State of={endpoint} />
                  </span>
                </td>
                <td data-label="Waiting">{endpoint.waiting}</td>
                <td data-label="Given up">{endpoint.dead}</td>
                <td data-label="Last arrived">
                  <Moment text={endpoint.last_success} empty="Never" />
                </td>
                <td>
                  <div class="row">
                    <button
                      type="button"
                      aria-expanded={opened === endpoint.id}
                      aria-label={`Deliveries to ${endpoint.url}`}
                      onClick={() => setOpened(opened === endpoint.id ? null : endpoint.id)}
                    >
                      Deliveries
                    </button>
                    <button
                      type="button"
                      aria-label={`Send a ping to ${endpoint.url}`}
                      disabled={test.busy || endpoint.state !== 'active'}
                      onClick={() => test.run(endpoint)}
                    >
                      Ping
                    </button>
                    <button
                      type="button"
                      aria-label={`${endpoint.state === 'active' ? 'Pause' : 'Resume'} ${endpoint.url}`}
                      disabled={change.busy}
                      onClick={() => change.run(endpoint)}
                    >
                      {endpoint.state === 'active' ? 'Pause' : 'Resume'}
                    </button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {opened === null ? null : (
        <DeliveryTable
          key={opened}
          webhook={opened}
          url={endpoints?.find(({ id }) => id === opened)?.url ?? ''}
          onSent={() => load.run()}
        />
      )}
    </section>
  )
}

function State({ of: { state, reason } }: { readonly of: Endpoint }) {
  const words = { active: 'Active', paused: 'Paused', disabled: 'Disabled' }[state]
  return (
    <>
      {state === 'active' ? words : <span class={`tag ${state === 'paused' ? 'warn' : 'bad'}`}>{words}</span>}
      {reason ? <small class="faint block">{reason}</small> : null}
    </>
  )
}
