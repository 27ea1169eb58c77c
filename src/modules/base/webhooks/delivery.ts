// Deliveries to endpoints (comptoir.webhook.delivery): created and sent by the server
// (services/webhooks); owners can read, resend and cancel them.
import {
  char,
  datetime,
  implement,
  integer,
  json,
  many2one,
  model,
  type Of,
  type Records,
  returns,
  selection,
  text,
} from '#models'
import { AccessError, Gone, MissingError } from '../../../errors.ts'
import { idList, raw, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../rights/refusal.ts'

/** One attempt. */
interface Attempt {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

const delivery = model('comptoir.webhook.delivery', {
  label: 'Webhook Delivery',
  order: 'id desc',
  recName: 'event',
  logAccess: false,
  changes: false,
  fields: {
    webhook_id: many2one('comptoir.webhook', {
      label: 'Webhook',
      required: true,
      readonly: true,
      ondelete: 'cascade',
    }),
    user_id: many2one('res.users', { label: 'User', required: true, readonly: true, ondelete: 'cascade' }),
    event: char({ label: 'Webhook ID', required: true, readonly: true, help: 'The same for every attempt.' }),
    type: char({ label: 'Type', required: true, readonly: true }),
    res_model: char({ label: 'Model', readonly: true }),
    res_id: integer({ label: 'Record ID', readonly: true, aggregator: null }),
    body: text({ label: 'Body', readonly: true, translate: false }),
    state: selection(
      { waiting: 'Waiting', done: 'Done', dead: 'Dead', cancelled: 'Cancelled' },
      { label: 'State', required: true, readonly: true },
    ),
    attempts: integer({ label: 'Attempts', readonly: true, aggregator: null }),
    next_at: datetime({ label: 'Next Attempt', readonly: true }),
    status: integer({ label: 'Status', readonly: true, aggregator: null, help: "Of the receiver's answer." }),
    error: char({ label: 'Error', readonly: true }),
    reply: text({ label: 'Reply', readonly: true, help: 'The beginning of what the receiver answered.' }),
    log: json<readonly Attempt[]>({ label: 'Log', readonly: true, help: 'Every attempt.' }),
    created: datetime({ label: 'Created', readonly: true }),
    finished: datetime({ label: 'Finished', readonly: true }),
  },
  methods: {
    retry: {
      doc: 'Sends deliveries again now, and resets their number of attempts.',
      checksItself: true,
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    cancel: {
      doc: 'Cancels waiting deliveries.',
      checksItself: true,
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'comptoir.webhook.delivery': WebhookDelivery
  }
  interface WebhookDelivery extends Of<typeof delivery> {}
}

const closed = () => () => {
  throw new AccessError('Deliveries cannot be changed: the server creates them.')
}

const now = sql`now() AT TIME ZONE 'UTC'`

/** Rows that wait again, from the beginning. */
export const retryFromStart = sql`state = 'waiting', attempts = 0, next_at = ${now}, finished = NULL`

/** Whether one of them was there and is kept no longer: its id was given out, and no row has it. */
async function isExpired({ env, ids }: Records<'comptoir.webhook.delivery'>): Promise<boolean> {
  const expired = await env.rows(
    sql`SELECT 1 FROM unnest(${idList(ids)}) AS wanted(id)
      WHERE wanted.id BETWEEN 1 AND pg_sequence_last_value('comptoir_webhook_delivery_id_seq'::regclass)
        AND NOT EXISTS (SELECT FROM comptoir_webhook_delivery AS kept WHERE kept.id = wanted.id) LIMIT 1`,
    { reads: ['comptoir.webhook.delivery'], row: ['int'] },
  )
  return expired.length > 0
}

async function update(records: Records<'comptoir.webhook.delivery'>, change: ReturnType<typeof sql>) {
  await assertAllowed(records, 'read')
  const { env, ids } = records
  const changed = await env.rows(
    sql`UPDATE comptoir_webhook_delivery SET ${change} WHERE id = ANY(${idList(ids)}) RETURNING 1`,
    { reads: ['comptoir.webhook.delivery'], row: ['int'] },
  )
  if (changed.length < new Set(ids).size) {
    if (await isExpired(records))
      throw new Gone('The delivery is no longer kept.', { code: 'delivery_expired' })
    throw new MissingError('Delivery not found.')
  }
  env.unit.cache.clear()
  return true as const
}

/** Releases deliveries that waited for the cancelled ones. */
async function releaseWaiting({ env, ids }: Records<'comptoir.webhook.delivery'>): Promise<true> {
  await env.rows(
    sql`UPDATE comptoir_webhook_delivery b SET next_at = ${now} FROM comptoir_webhook_delivery c
      WHERE c.id = ANY(${idList(ids)}) AND c.state = 'cancelled' AND b.webhook_id = c.webhook_id AND b.res_model = c.res_model AND b.res_id = c.res_id
        AND b.id > c.id AND b.state = 'waiting' AND b.next_at > ${now} RETURNING 1`,
    { reads: ['comptoir.webhook.delivery'], row: ['int'] },
  )
  return true
}

export default implement(delivery, {
  wrapGeneric: { create: closed, unlink: closed },
  wrapWrite: closed,
  methods: {
    retry: (deliveries) => update(deliveries, retryFromStart),
    cancel: async (deliveries) => {
      await update(
        deliveries,
        sql`finished = CASE WHEN state = 'waiting' THEN ${now} ELSE finished END, state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END`,
      )
      return releaseWaiting(deliveries)
    },
  },
  init: async (env) => {
    for (const statement of [
      // The sender looks for due deliveries, and for earlier ones about the same record.
      `CREATE INDEX IF NOT EXISTS comptoir_webhook_delivery_due ON comptoir_webhook_delivery (webhook_id, next_at, id) WHERE state = 'waiting'`,
      `CREATE INDEX IF NOT EXISTS comptoir_webhook_delivery_record ON comptoir_webhook_delivery (webhook_id, res_model, res_id, id) WHERE state = 'waiting'`,
      // Owners look at what is new; tidying up at what is old.
      'CREATE INDEX IF NOT EXISTS comptoir_webhook_delivery_of ON comptoir_webhook_delivery (webhook_id, id)',
      'CREATE INDEX IF NOT EXISTS comptoir_webhook_delivery_finished ON comptoir_webhook_delivery (finished) WHERE finished IS NOT NULL',
    ])
      await env.execute(raw(statement))
  },
})
