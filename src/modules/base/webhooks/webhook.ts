// Webhook endpoints: created by users for themselves, limited to their rights (docs/decisions/0044).
// Sending: services/webhooks.

import { recordAudit } from '#engine'
import { alike, type Environment, implement, type Records } from '#models'
import { AccessError, InvalidValue, MissingError, UserError } from '../../../errors.ts'
import { isMoment, nowUtc } from '../../../kit/dates.ts'
import { isInteger, only, present } from '../../../kit/present.ts'
import { idList, raw, type Sql, sql } from '../../../sql/index.ts'
import { givenVals } from '../caller-arguments.ts'
import { assertAllowed } from '../rights/refusal.ts'
import { retryFromStart } from './delivery.ts'
import { assertDomains, assertOwner, validateEndpoint } from './endpoint-values.ts'
import { newSecret, webhookTables } from './secrets.ts'
import { type EndpointFacts, webhook } from './webhook.contract.ts'

/** Endpoints of one user, and of a database; hours that an old secret stays at most. */
const [MOST_OF_USER, MOST, MOST_HOURS] = [20, 200, 720]

type Webhooks = Records<'comptoir.webhook'>

const audit = (
  env: Environment,
  event: string,
  records: readonly number[],
  detail?: Record<string, unknown>,
) => {
  for (const record of records)
    recordAudit(env, {
      event: `webhook.${event}`,
      model: 'comptoir.webhook',
      record,
      ...(detail ? { detail } : {}),
    })
}

/**
 * Throws for values that may not be stored, checked with the rights of the user whose payloads are sent.
 */
async function assertStorable(env: Environment, vals: Readonly<Record<string, unknown>>, owner: number) {
  assertOwner(env, vals.user_id)
  const state = vals.state ?? 'active'
  if (!env.su && state !== 'active' && state !== 'paused')
    throw new InvalidValue('state can be set to active or paused.')
  const uid = typeof vals.user_id === 'number' ? vals.user_id : owner
  const theirs = uid === env.uid ? env : await env.asUser(uid)
  if (!theirs.hasGroup('base.group_user'))
    throw new AccessError('Only internal users can have webhook endpoints.')
  validateEndpoint(theirs.sudo(false), vals)
  await assertDomains(theirs.sudo(false), vals.model_domain)
}

async function assertRoom(env: Environment, users: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT user_id, count(*)::int, (SELECT count(*)::int FROM comptoir_webhook) FROM comptoir_webhook WHERE user_id = ANY(${idList(users)}) GROUP BY user_id`,
    { reads: ['comptoir.webhook'], row: ['int', 'int', 'int'] },
  )
  if (rows.some((row) => row[1] > MOST_OF_USER))
    throw new UserError(`A user can have at most ${MOST_OF_USER} endpoints: remove one first.`)
  if (rows.some((row) => row[2] > MOST))
    throw new UserError(`A database can have at most ${MOST} endpoints: remove one first.`)
}

const moment = (column: string) =>
  sql`COALESCE(to_json(to_char(${raw(column)}, 'YYYY-MM-DD HH24:MI:SS')), 'false')`

async function factsOf(env: Environment, which: Sql): Promise<readonly EndpointFacts[]> {
  const rows = await env.rows(
    sql`SELECT json_build_object('id', w.id, 'url', w.url, 'events', w.events,
      'fields', COALESCE(w.fields, '{}'), 'model_domain', COALESCE(w.model_domain, '{}'), 'changed_fields', COALESCE(w.changed_fields, '{}'),
      'ordered', COALESCE(w.ordered, FALSE), 'concurrency', w.concurrency, 'user_id', json_build_array(u.id, p.name), 'state', w.state,
      'reason', COALESCE(to_json(w.reason), 'false'),
      'waiting', (SELECT count(*) FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'waiting'),
      'dead', (SELECT count(*) FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'dead'),
      'last_success', ${moment("(SELECT max(finished) FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'done')")})::text
    FROM comptoir_webhook w JOIN res_users u ON u.id = w.user_id JOIN res_partner p ON p.id = u.partner_id
    WHERE ${which} ORDER BY w.id`,
    { reads: ['comptoir.webhook.delivery', 'comptoir.webhook', 'res.users', 'res.partner'], row: ['text'] },
  )
  return rows.map((row) => JSON.parse(row[0]) as EndpointFacts)
}

/** A moment in UTC, or as payloads have it (RFC 3339). Null if it is not a moment. */
function momentIn(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (isMoment(value)) return value
  const isFar = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(value)
  const at = isFar ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : nowUtc(new Date(at))
}

/** The moments and states of deliveries to send again. Throws InvalidValue. */
function replayed({ since, until, states }: { since: unknown; until: unknown; states: unknown }) {
  const [from, to] = [momentIn(since), momentIn(until)]
  if (from === null || (to === null && until !== null && until !== false))
    throw new InvalidValue(
      'since and until must be moments, such as 2026-11-21 10:00:00 (UTC) or 2026-11-21T10:00:00Z.',
    )
  const possible = ['waiting', 'done', 'dead', 'cancelled']
  if (!Array.isArray(states) || !states.every((state) => possible.includes(state)))
    throw new InvalidValue(`states must be a list of ${possible.join(', ')}.`)
  return { since: from, until: to, states: states as string[] }
}

/** Throws AccessError for endpoints of others, MissingError for one that is not there. */
async function assertOwn(webhooks: Webhooks): Promise<void> {
  await assertAllowed(webhooks, 'write')
  const existing = await webhooks.env.rows(
    sql`SELECT FROM comptoir_webhook WHERE id = ANY(${idList(webhooks.ids)})`,
    { reads: ['comptoir.webhook'], row: [] },
  )
  if (existing.length < new Set(webhooks.ids).size) throw new MissingError('Webhook not found.')
}

export default implement(webhook, {
  defaults: { user_id: (env) => env.uid },
  wrapGeneric: {
    create: (next) => async (records, params) => {
      const { env } = records
      const list = givenVals(params.vals_list)
      for (const vals of list) {
        if (!('events' in vals))
          throw new InvalidValue('events is required: list at least one event pattern.')
        await assertStorable(env, vals, env.uid)
      }
      const createdWebhooks = (await next(records, params)) as Webhooks
      const rows = await createdWebhooks.load(['user_id'])
      await assertRoom(env, [...new Set(rows.map((row) => row.user_id.id))])
      // The endpoint gets no changes that were committed before it was created.
      env.unit.send(sql`INSERT INTO comptoir_webhook_lease (webhook_id, begins)
        SELECT id, (SELECT last_value FROM comptoir_feed_seq) FROM unnest(${idList(createdWebhooks.ids)}) AS t(id)`)
      for (const id of createdWebhooks.ids) await newSecret(env, id, 0)
      audit(env, 'create', createdWebhooks.ids)
      return createdWebhooks
    },
    unlink: (next) => async (records, params) => {
      const result = await next(records, params)
      audit(records.env, 'remove', records.ids)
      return result
    },
  },
  wrapWrite: alike<'comptoir.webhook'>((next) => async (records, params) => {
    const { env } = records
    const vals = params.vals as Record<string, unknown>
    const owners = await records.load(['user_id'])
    for (const owner of new Set(owners.map((owner) => owner.user_id.id)))
      await assertStorable(env, vals, owner)
    const isOn = vals.state === 'active'
    const result = await next(records, { ...params, vals: isOn ? { reason: null, ...vals } : vals })
    if (isOn)
      env.unit.send(
        sql`INSERT INTO comptoir_webhook_lease AS l (webhook_id, begins)
          SELECT id, (SELECT last_value FROM comptoir_feed_seq) FROM unnest(${idList(records.ids)}) AS t(id)
          ON CONFLICT (webhook_id) DO UPDATE SET failing_since = NULL, probe_at = NULL, is_full = FALSE, begins = CASE WHEN l.is_full THEN excluded.begins ELSE l.begins END`,
      )
    audit(env, 'change', records.ids, { changed: Object.keys(vals) })
    return result
  }),
  methods: {
    register: async ({ env }, { vals }) => {
      const createdWebhook = await env.model('comptoir.webhook').create([vals as never])
      const id = createdWebhook.ensureOne()
      const secret = await newSecret(env, id, 0)
      const [facts] = await factsOf(env, sql`w.id = ${id}::int`)
      return { ...present(facts), secret }
    },
    rotate_secret: async (webhooks, { hours }) => {
      if (!isInteger(hours) || hours < 0 || hours > MOST_HOURS)
        throw new InvalidValue(`hours must be a whole number from 0 to ${MOST_HOURS}.`)
      const id = webhooks.ensureOne()
      await assertOwn(webhooks)
      const secret = await newSecret(webhooks.env, id, hours as number)
      audit(webhooks.env, 'rotate', [id], { hours })
      return secret
    },
    ping: async (webhooks) => {
      const id = webhooks.ensureOne()
      await assertOwn(webhooks)
      const rows = await webhooks.env.rows(
        sql`WITH d AS (SELECT nextval('comptoir_webhook_delivery_id_seq')::int AS id)
        INSERT INTO comptoir_webhook_delivery (id, webhook_id, user_id, event, type, body, state, attempts, next_at, created)
        SELECT d.id, w.id, w.user_id, 'evt_ping_' || d.id || '_w' || w.id, 'webhook.ping',
          json_build_object('type', 'webhook.ping', 'timestamp', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'database', current_database(), 'data', json_build_object())::text,
          'waiting', 0, now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC' FROM comptoir_webhook w, d WHERE w.id = ${id}::int RETURNING id`,
        { reads: ['comptoir.webhook'], row: ['int'] },
      )
      audit(webhooks.env, 'ping', [id])
      return only(rows)[0]
    },
    replay: async (webhooks, params) => {
      const { since, until, states } = replayed(params)
      await assertOwn(webhooks)
      const rows = await webhooks.env.rows(
        sql`WITH a AS (UPDATE comptoir_webhook_delivery SET ${retryFromStart}
        WHERE webhook_id = ANY(${idList(webhooks.ids)}) AND state = ANY(${states}::text[]) AND created >= ${since}::timestamp
          AND (${until}::timestamp IS NULL OR created < ${until}::timestamp) RETURNING 1) SELECT count(*)::int FROM a`,
        { reads: ['comptoir.webhook.delivery'], row: ['int'] },
      )
      webhooks.env.unit.cache.clear()
      audit(webhooks.env, 'replay', webhooks.ids, { since, until, states, count: only(rows)[0] })
      return only(rows)[0]
    },
    overview: ({ env }, { everybody }) => {
      const def = env.def('comptoir.webhook')
      if (!env.su && !env.unit.rights.mayModel(env.user, def, 'read'))
        throw env.unit.rights.refusal(env.user, def, 'read')
      if (everybody && !env.hasGroup('base.group_system'))
        throw new AccessError('Only administrators see the endpoints of everybody.')
      return factsOf(env, everybody ? sql`TRUE` : sql`w.user_id = ${env.uid}::int`)
    },
  },
  init: async (env) => {
    for (const statement of webhookTables) await env.execute(raw(statement))
  },
})
