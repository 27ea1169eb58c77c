// Webhook endpoints as a table with actions for each; on a phone as a list.
import type { Action } from '../shared/action.ts'
import { Moment } from '../shared/moment.tsx'
import type { Endpoint } from './webhooks.ts'

/** Properties that all rows share. */
interface Shared {
  readonly everybody: boolean
  /** The endpoint whose deliveries are shown. */
  readonly opened: number | null
  readonly onOpen: (id: number | null) => void
  /** Pauses or resumes. */
  readonly change: Action<[Endpoint]>
  /** Sends a ping. */
  readonly test: Action<[Endpoint]>
}

interface Props extends Shared {
  readonly endpoints: readonly Endpoint[]
}

export function EndpointTable({ endpoints, ...shared }: Props) {
  return (
    <table class="cards webhooks">
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">State</th>
          <th scope="col">Waiting</th>
          <th scope="col">Failed</th>
          <th scope="col">Last success</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <EndpointRow key={endpoint.id} of={endpoint} {...shared} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Shared {
  readonly of: Endpoint
}

function EndpointRow({ of: endpoint, ...shared }: RowProps) {
  return (
    <tr>
      <th scope="row" class="address">
        {endpoint.url}
        <small class="faint block">
          {endpoint.events.join(', ')}
          {shared.everybody ? `, for ${endpoint.user_id[1]}` : ''}
        </small>
      </th>
      <td data-label="State">
        <span>
          <State of={endpoint} />
        </span>
      </td>
      <td data-label="Waiting">{endpoint.waiting}</td>
      <td data-label="Failed">{endpoint.dead}</td>
      <td data-label="Last success">
        <Moment text={endpoint.last_success} empty="Never" />
      </td>
      <td>
        <Buttons of={endpoint} {...shared} />
      </td>
    </tr>
  )
}

function Buttons({ of: endpoint, opened, onOpen, change, test }: RowProps) {
  return (
    <div class="row">
      <button
        type="button"
        aria-expanded={opened === endpoint.id}
        aria-label={`Deliveries to ${endpoint.url}`}
        onClick={() => onOpen(opened === endpoint.id ? null : endpoint.id)}
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
