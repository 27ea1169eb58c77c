// Webhook endpoints: the list with their state and deliveries; actions to pause, resume and test them.
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../shared/action.ts'
import { Failure, Status } from '../shared/notice.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { EndpointTable } from './endpoint-table.tsx'
import { type Endpoint, endpointsOf, ping, setState } from './webhooks.ts'

export function WebhookSection({ everybody }: { readonly everybody: boolean }) {
  const { endpoints, opened, setOpened, status, load, change, test } = useEndpoints(everybody)
  return (
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks" tabIndex={-1}>
        {everybody ? 'Webhooks of all users' : 'Webhooks'}
      </h2>
      <p class="faint">
        Addresses that receive changes as they happen. Programs create them by <code>POST /x/1/webhooks</code>
        .
      </p>
      <Failure error={load.error ?? change.error ?? test.error} />
      <Status>{status}</Status>
      {endpoints?.length === 0 ? <p>There is no webhook yet.</p> : null}
      {endpoints?.length ? (
        <EndpointTable
          endpoints={endpoints}
          everybody={everybody}
          opened={opened}
          onOpen={setOpened}
          change={change}
          test={test}
        />
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

/** The endpoints as they were last read, which one is opened, and what can be done with them. */
function useEndpoints(everybody: boolean) {
  const [endpoints, setEndpoints] = useState<readonly Endpoint[] | null>(null)
  const [opened, setOpened] = useState<number | null>(null)
  const [status, setStatus] = useState('')
  const load = useAction(async () => setEndpoints(await endpointsOf(everybody)))
  useEffect(() => void load.run(), [])
  const change = useAction(async ({ id, url, state }: Endpoint) => {
    const next = state === 'active' ? 'paused' : 'active'
    await setState(id, next)
    await load.run()
    setStatus(`${url} is ${next}.`)
  })
  const test = useAction(async ({ id, url }: Endpoint) => {
    await ping(id)
    setStatus(`A ping to ${url} was sent: the deliveries show the result.`)
    setOpened(id)
  })
  return { endpoints, opened, setOpened, status, load, change, test }
}
