// Endpoints and deliveries as the server returns them, and the calls that change them.
import { call } from '../shared/call.ts'

/** One line of `comptoir.webhook.overview`. Moments are UTC; false if not set. */
export interface Endpoint {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  readonly user_id: readonly [number, string]
  readonly state: 'active' | 'paused' | 'disabled'
  readonly reason: string | false
  readonly waiting: number
  readonly dead: number
  readonly last_success: string | false
}

/** One attempt to deliver. */
export interface Attempt {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

export interface Delivery {
  readonly id: number
  readonly event: string
  readonly type: string
  readonly res_id: number
  readonly state: 'waiting' | 'done' | 'dead' | 'cancelled'
  readonly attempts: number
  readonly next_at: string | false
  readonly error: string | false
  readonly reply: string | false
  readonly log: readonly Attempt[] | false
  readonly created: string
}

export const endpointsOf = (everybody: boolean): Promise<readonly Endpoint[]> =>
  call('comptoir.webhook', 'overview', [], { everybody })

export const setState = (id: number, state: 'active' | 'paused'): Promise<unknown> =>
  call('comptoir.webhook', 'write', [[id], { state }])

export const ping = (id: number): Promise<number> => call('comptoir.webhook', 'ping', [[id]])

/** Deliveries to an endpoint, the newest first, starting after one of them. */
export const deliveriesOf = (
  webhook: number,
  before: number | null,
  limit: number,
): Promise<readonly Delivery[]> =>
  call('comptoir.webhook.delivery', 'search_read', [], {
    domain: [['webhook_id', '=', webhook], ...(before === null ? [] : [['id', '<', before]])],
    fields: ['event', 'type', 'res_id', 'state', 'attempts', 'next_at', 'error', 'reply', 'log', 'created'],
    order: 'id desc',
    limit,
  })

export const sendAgain = (id: number): Promise<unknown> => call('comptoir.webhook.delivery', 'retry', [[id]])
