// Contract of webhook endpoints (comptoir.webhook): subscriptions to changes (docs/decisions/0044).
import {
  boolean,
  char,
  integer,
  json,
  many2one,
  model,
  type Of,
  optional,
  required,
  returns,
  selection,
} from '#models'

/** An endpoint as its owner sees it. */
export interface EndpointFacts {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly model_domain: Readonly<Record<string, readonly unknown[]>>
  readonly changed_fields: Readonly<Record<string, readonly string[]>>
  readonly ordered: boolean
  readonly concurrency: number
  readonly user_id: readonly [number, string]
  readonly state: 'active' | 'paused' | 'disabled'
  readonly reason: string | false
  /** Deliveries that wait, and those that failed for good. */
  readonly waiting: number
  readonly dead: number
  /** When the last one arrived, UTC; false: none did. */
  readonly last_success: string | false
}

export const webhook = model('comptoir.webhook', {
  label: 'Webhook',
  order: 'id',
  recName: 'url',
  changes: false,
  fields: {
    url: char({ label: 'URL', required: true, help: 'Where events are sent: https, a public address.' }),
    events: json<readonly string[]>({
      label: 'Events',
      help: 'Patterns such as sale.order.confirmed or product.product.*; created, updated and deleted are there for every model.',
    }),
    model_domain: json<Readonly<Record<string, readonly unknown[]>>>({
      label: 'Domains',
      help: 'By model: only records that are in the domain when the event is sent on.',
    }),
    changed_fields: json<Readonly<Record<string, readonly string[]>>>({
      label: 'Changed Fields',
      help: 'By model: updates only where one of these fields changed.',
    }),
    fields: json<Readonly<Record<string, readonly string[]>>>({
      label: 'Fields',
      help: 'Fields whose values are included in the payload, by model.',
    }),
    ordered: boolean({
      label: 'Ordered',
      help: 'One at a time in order; one that fails holds the others.',
    }),
    concurrency: integer({
      label: 'Concurrency',
      default: 4,
      aggregator: null,
      help: 'Deliveries under way at a time.',
    }),
    user_id: many2one('res.users', {
      label: 'User',
      required: true,
      index: true,
      ondelete: 'cascade',
      help: 'User whose access rights apply to payloads.',
    }),
    state: selection(
      { active: 'Active', paused: 'Paused', disabled: 'Disabled' },
      { label: 'State', required: true, default: 'active', copy: false },
    ),
    reason: char({ label: 'Reason', readonly: true, copy: false }),
  },
  methods: {
    register: {
      doc: 'Creates an endpoint and returns its secret, which cannot be read again.',
      level: 'model',
      secret: true,
      lasting: true,
      params: {
        vals: required<Record<string, unknown>>('object', {
          doc: 'url, events and more',
          annotation: 'dict',
        }),
      },
      returns: returns<EndpointFacts & { readonly secret: string }>('object', 'dict'),
    },
    rotate_secret: {
      doc: 'Returns a new secret, which cannot be read again. The previous one stays valid for some hours.',
      secret: true,
      lasting: true,
      params: {
        hours: optional<unknown>('any', 24, {
          doc: 'Hours that the old secret stays valid, 0 to 720',
          annotation: 'int',
        }),
      },
      returns: returns<string>('string', 'str', 'The new secret'),
    },
    ping: {
      doc: 'Sends a webhook.ping now; returns the id of its delivery, which shows the outcome.',
      params: {},
      returns: returns<number>('integer', 'int'),
    },
    replay: {
      doc: 'Sends deliveries again, with their original ids.',
      params: {
        since: required<unknown>('any', {
          doc: 'Start of the period in which deliveries were created, UTC',
          annotation: 'str',
        }),
        until: optional<unknown>('any', null, {
          doc: 'End of the period, exclusive',
          annotation: 'str | None',
        }),
        states: optional<unknown>('any', ['waiting', 'dead'], {
          doc: 'Of these states: waiting, done, dead, cancelled',
          annotation: 'list[str]',
        }),
      },
      returns: returns<number>('integer', 'int', 'Number of deliveries that are sent again'),
    },
    overview: {
      doc: "The caller's endpoints, or those of everybody for administrators.",
      level: 'model',
      readonly: true,
      params: {
        everybody: optional<boolean>('boolean', false, {
          doc: 'Endpoints of all users, for administrators',
          annotation: 'bool',
        }),
      },
      returns: returns<readonly EndpointFacts[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'comptoir.webhook': Webhook
  }
  interface Webhook extends Of<typeof webhook> {}
}
