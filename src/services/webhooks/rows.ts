// Statements on the webhook tables that are not models: endpoints to fan out to, positions, leases,
// deliveries and their outcomes. Every change is one statement.
import type { Environment } from '../../models/language/environment.ts'
import type { Row } from '../../models/language/unit.ts'
import { idList, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { Change } from '../changes/rows.ts'
import { PROBE } from './schedule.ts'

/** An endpoint as changes are taken up for it. */
export interface Endpoint {
  readonly id: number
  readonly user: number
  readonly begins: number
  readonly events: readonly string[]
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly domains: Readonly<Record<string, readonly unknown[]>>
  readonly changed: Readonly<Record<string, readonly string[]>>
}

/** A lock over all nodes: rows that are read after it belong to this process until the transaction ends. */
export const lock: Statement = {
  ...sql`SELECT pg_try_advisory_xact_lock(${0x77686b73}::int, 0)`.compile(),
  leads: true,
}

/**
 * Endpoints to fan out to: one that came with a copy of another database has no lease row, and waits for one.
 */
export const endpoints = sql`SELECT json_build_object('id', w.id, 'user', w.user_id, 'begins', l.begins, 'events', COALESCE(w.events, '[]'),
    'fields', COALESCE(w.fields, '{}'), 'domains', COALESCE(w.model_domain, '{}'), 'changed', COALESCE(w.changed_fields, '{}'))::text
  FROM comptoir_webhook w JOIN comptoir_webhook_lease l ON l.webhook_id = w.id JOIN res_users u ON u.id = w.user_id
  WHERE u.active AND NOT l.is_full ORDER BY w.id`

/** The result of `endpoints`. */
export const endpointsOf = (rows: readonly Row[]): Endpoint[] =>
  rows.map((row) => JSON.parse(row[0] as string) as Endpoint)

export const position = sql`SELECT p.seq::float8, p.n, p.k FROM comptoir_webhook_position p JOIN comptoir_feed f ON f.id = p.feed`

const at = sql`SELECT p.seq, p.n FROM comptoir_webhook_position p`

/** Changes from the position on, up to the horizon that was kept, with when they were committed. */
export const changesFrom = (
  limit: number,
): Sql => sql`SELECT c.seq::float8, c.n, c.tx::text, c.model, c.op, c.ids, c.fields, c.event,
    to_char(c.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  FROM comptoir_change c WHERE c.seq >= (SELECT a.seq FROM (${at}) a) AND (c.seq, c.n) >= (SELECT a.seq, a.n FROM (${at}) a)
    AND c.seq <= current_setting('comptoir.horizon')::bigint ORDER BY c.seq, c.n LIMIT ${limit + 1}::int`

/** Rows as they came, with their models. */
export const changesOf = (env: Environment, rows: readonly Row[]): Change[] =>
  rows.map(([seq, n, tx, name, ...columns]) => {
    const [op, ids, fields, event] = columns as [Change['op'], number[], string[], string | null]
    return {
      ...{ seq: Number(seq), n: Number(n), tx: String(tx), op, ids, fields, event },
      model: env.unit.registry.get(String(name)),
    }
  })

/** Stores the position up to which changes have become deliveries. */
export const movePosition = (place: { readonly seq: number; readonly n: number; readonly k: number }) =>
  sql`INSERT INTO comptoir_webhook_position AS p (feed, seq, n, k) SELECT id, ${place.seq}::bigint, ${place.n}::int, ${place.k}::int FROM comptoir_feed
    ON CONFLICT (single) DO UPDATE SET feed = excluded.feed, seq = excluded.seq, n = excluded.n, k = excluded.k`

/** A delivery to insert. */
export interface NewDelivery {
  readonly webhook: number
  readonly user: number
  readonly event: string
  readonly type: string
  readonly model: string
  readonly record: number
  readonly body: string
}

/**
 * Inserts deliveries in their order; one about a record waits as long as a repeated one before it. The
 * latter's time is read when the statement begins: the sender postpones deliveries that came in between
 * (due-deliveries.ts).
 */
export const insertDeliveries = (deliveries: readonly NewDelivery[]): Sql =>
  sql`INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, created, next_at)
    SELECT x.webhook, x.user, x.event, x.type, x.model, x.record, x.body, 'waiting', 0, now() AT TIME ZONE 'UTC',
      GREATEST(now() AT TIME ZONE 'UTC', (SELECT d.next_at FROM comptoir_webhook_delivery d
        WHERE d.webhook_id = x.webhook AND d.res_model = x.model AND d.res_id = x.record AND d.state = 'waiting' ORDER BY d.id DESC LIMIT 1))
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) AS (webhook int, "user" int, event text, type text, model text, record int, body text))
      WITH ORDINALITY AS x(webhook, "user", event, type, model, record, body, place) ORDER BY x.place`

/** As columns without a time zone have it. */
export const now = sql`now() AT TIME ZONE 'UTC'`

/** Seconds that a process has an endpoint for, unless it says so again. */
export const LEASE = 30

/** Leases free endpoints with something due, or a probe, except for some; returns them with their users. */
export const takeLeases = (holder: string, most: number, but: readonly number[] = []): Sql =>
  sql`UPDATE comptoir_webhook_lease l SET holder = ${holder}::uuid, until = now() + ${LEASE}::int * interval '1 second'
    WHERE l.webhook_id IN (SELECT i.webhook_id FROM comptoir_webhook_lease i JOIN comptoir_webhook w ON w.id = i.webhook_id
      CROSS JOIN LATERAL (SELECT d.next_at FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'waiting' ORDER BY d.next_at LIMIT 1) d
      WHERE w.state = 'active' AND i.until <= now() AND i.webhook_id <> ALL(${idList(but)}) AND (d.next_at <= ${now} OR i.probe_at <= now())
      ORDER BY i.webhook_id LIMIT ${most}::int FOR UPDATE OF i SKIP LOCKED)
    RETURNING l.webhook_id, (SELECT user_id FROM comptoir_webhook w WHERE w.id = l.webhook_id)`

/** Extends leases of a process; returns the endpoints that it still has. */
export const renewLeases = (holder: string, ids: readonly number[]): Sql =>
  sql`UPDATE comptoir_webhook_lease SET until = now() + ${LEASE}::int * interval '1 second'
    WHERE holder = ${holder}::uuid AND webhook_id = ANY(${idList(ids)}) AND until > now() RETURNING webhook_id`

/** Gives leases back. */
export const leaveLeases = (holder: string, ids: readonly number[]): Sql =>
  sql`UPDATE comptoir_webhook_lease SET until = '-infinity' WHERE holder = ${holder}::uuid AND webhook_id = ANY(${idList(ids)})`

/** Address, secrets and settings of an endpoint, for the process that has its lease. */
export interface Target {
  readonly id: number
  readonly url: string
  readonly user: number
  readonly ordered: boolean
  readonly concurrency: number
  /** Whether it takes nothing, and it is time to see whether it does again. */
  readonly isProbed: boolean
  readonly secrets: readonly string[]
}

/** The target of an active endpoint whose lease a process has. */
export const target = (holder: string, id: number): Sql =>
  sql`SELECT json_build_object('id', w.id, 'url', w.url, 'user', w.user_id, 'ordered', COALESCE(w.ordered, FALSE), 'concurrency', COALESCE(w.concurrency, 4), 'isProbed', COALESCE(l.probe_at <= now(), FALSE),
      'secrets', COALESCE((SELECT json_agg(s.secret ORDER BY s.until DESC, s.created DESC) FROM comptoir_webhook_secret s WHERE s.webhook_id = w.id AND s.until > now()), '[]'))::text
    FROM comptoir_webhook w JOIN comptoir_webhook_lease l ON l.webhook_id = w.id
    WHERE w.id = ${id}::int AND w.state = 'active' AND l.holder = ${holder}::uuid AND l.until > now()`

/** Outcome of an attempt. */
export interface Ended {
  readonly id: number
  readonly webhook: number
  readonly state: 'waiting' | 'done' | 'dead' | 'cancelled'
  /** Milliseconds until the next attempt. */
  readonly pause: number
  /** Milliseconds for which the receiver asked to be let alone. */
  readonly rest: number
  readonly status: number | null
  readonly error: string | null
  readonly reply: string | null
  readonly ms: number
  readonly attempted: boolean
  /** Whether it was sent before its time, which costs no attempt where it fails. */
  readonly isProbe: boolean
}

/**
 * Writes attempts of endpoints whose lease this process still has. Later deliveries about the same record
 * wait as long as the failed one, and become due when it has ended. Endpoints that could not be reached for
 * long are returned.
 *
 * A probe that fails leaves the delivery unchanged. The first success of an endpoint makes deliveries due
 * that failed for the first time during its outage, except for those that it refused as too many (429); a
 * delivery with one failure is due soon anyway. A rest that the receiver asked for is not shortened by a
 * later failure without such a wish.
 */
export const endAttempts = (holder: string, ended: readonly Ended[], daysToGiveUp: number): Sql =>
  sql`WITH x AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) AS x(id int, webhook int, state text, pause float8, rest float8, status int, error text, reply text, ms int, attempted boolean, "isProbe" boolean)
      WHERE webhook IN (SELECT webhook_id FROM comptoir_webhook_lease WHERE holder = ${holder}::uuid AND until > now())),
    ended AS (UPDATE comptoir_webhook_delivery d SET state = x.state, status = x.status, error = x.error, reply = x.reply,
        attempts = d.attempts + x.attempted::int, next_at = ${now} + x.pause * interval '1 millisecond',
        finished = CASE WHEN x.state <> 'waiting' THEN ${now} END,
        log = CASE WHEN x.attempted THEN COALESCE(CASE WHEN jsonb_array_length(d.log) >= 30 THEN d.log - 0 ELSE d.log END, '[]') || jsonb_build_object('at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'status', x.status, 'error', x.error, 'ms', x.ms) ELSE d.log END
      FROM x WHERE d.id = x.id AND d.state = 'waiting' AND NOT (x."isProbe" AND x.state = 'waiting') RETURNING d.id, d.webhook_id, d.res_model, d.res_id, d.state, d.next_at),
    moving AS (SELECT e.* FROM ended e WHERE e.state = 'waiting' OR (SELECT b.next_at FROM comptoir_webhook_delivery b
        WHERE b.webhook_id = e.webhook_id AND b.res_model = e.res_model AND b.res_id = e.res_id AND b.state = 'waiting' AND b.id > e.id ORDER BY b.id LIMIT 1) > ${now}),
    behind AS (UPDATE comptoir_webhook_delivery d SET next_at = CASE WHEN m.state = 'waiting' THEN m.next_at ELSE ${now} END
      FROM moving m CROSS JOIN LATERAL (SELECT b.id, b.next_at FROM comptoir_webhook_delivery b
        WHERE b.webhook_id = m.webhook_id AND b.res_model = m.res_model AND b.res_id = m.res_id AND b.id > m.id AND b.state = 'waiting' OFFSET 0) b
      WHERE d.id = b.id AND d.state = 'waiting' AND CASE WHEN m.state = 'waiting' THEN d.next_at < m.next_at ELSE d.next_at > ${now} END
        AND NOT EXISTS (SELECT FROM x WHERE x.id = d.id) RETURNING d.id),
    attempts AS (SELECT webhook, bool_or(state = 'done') AS good, max(rest) AS rest FROM x WHERE attempted GROUP BY webhook),
    released AS (UPDATE comptoir_webhook_delivery d SET next_at = ${now} FROM attempts h JOIN comptoir_webhook_lease l ON l.webhook_id = h.webhook
      WHERE h.good AND d.webhook_id = h.webhook AND d.state = 'waiting' AND d.next_at > ${now} AND d.attempts > 1 AND d.status IS DISTINCT FROM 429
        AND (d.log->0->>'at')::timestamp >= date_trunc('second', l.failing_since AT TIME ZONE 'UTC')
        AND d.id NOT IN (SELECT id FROM ended UNION ALL SELECT id FROM behind)),
    failing AS (UPDATE comptoir_webhook_lease l SET failing_since = CASE WHEN NOT h.good THEN COALESCE(l.failing_since, now()) END,
        probe_at = CASE WHEN NOT h.good THEN GREATEST(l.probe_at, now() + GREATEST(h.rest * interval '1 millisecond', LEAST(${PROBE.most}::int * interval '1 second',
          GREATEST(${PROBE.least}::int * interval '1 second', (now() - l.failing_since) / ${PROBE.part}::int)))) END
      FROM attempts h WHERE l.webhook_id = h.webhook AND (NOT h.good OR l.failing_since IS NOT NULL))
    SELECT l.webhook_id FROM comptoir_webhook_lease l JOIN x ON x.webhook = l.webhook_id
    WHERE l.failing_since < now() - ${daysToGiveUp}::int * interval '1 day' GROUP BY l.webhook_id HAVING NOT bool_or(x.state = 'done')`

/**
 * Nothing more is sent to an endpoint, and it says why; `deaf`: nothing is taken up for it either. An entry
 * in the audit log.
 */
export const disable = (id: number, reason: string, deaf = false): Sql =>
  sql`WITH w AS (UPDATE comptoir_webhook SET state = 'disabled', reason = ${reason} WHERE id = ${id}::int AND state <> 'disabled' RETURNING id, url),
    deaf AS (UPDATE comptoir_webhook_lease SET is_full = is_full OR ${deaf}::boolean WHERE webhook_id = ${id}::int)
    INSERT INTO comptoir_audit (time, event, res_model, res_id, name, detail)
    SELECT clock_timestamp() AT TIME ZONE 'UTC', 'webhook.disable', 'comptoir.webhook', w.id, left(w.url, 200), json_build_object('reason', ${reason}::text)::jsonb FROM w`

/** Deliveries of one endpoint that may wait. */
const MOST_WAITING = 1_000_000

/** Nothing more is taken up for endpoints until they are active again; one that is disabled stays so. */
export const fill = (which: Sql, reason: string): Sql =>
  sql`WITH full_now AS (UPDATE comptoir_webhook_lease SET is_full = TRUE WHERE webhook_id IN (${which}) AND NOT is_full RETURNING webhook_id)
    UPDATE comptoir_webhook SET state = 'paused', reason = ${reason} WHERE id IN (SELECT webhook_id FROM full_now) AND state <> 'disabled'`

/** Where very many deliveries wait nothing more is taken up until there is room. */
export const keepRoom = fill(
  sql`SELECT webhook_id FROM comptoir_webhook_delivery WHERE state = 'waiting' GROUP BY webhook_id HAVING count(*) >= ${MOST_WAITING}::int`,
  'Too many pending deliveries: no deliveries are queued until the endpoint is active again.',
)

/** Bytes of the disk that bodies of what waits take, by endpoint. */
export const waitingBytes = (ids: readonly number[]): Sql =>
  sql`SELECT webhook_id, sum(pg_column_size(body))::float8 FROM comptoir_webhook_delivery
    WHERE state = 'waiting' AND webhook_id = ANY(${idList(ids)}) GROUP BY webhook_id`

/** Pauses endpoints that came with a copy of a database: the original may still send to them. */
export const pauseCopies = sql`UPDATE comptoir_webhook w SET state = 'paused', reason = 'It came with a copy of the database: make a new secret, then make it active.'
  WHERE state = 'active' AND NOT EXISTS (SELECT FROM comptoir_webhook_lease l WHERE l.webhook_id = w.id)`

/** Age of the oldest waiting delivery, in seconds. */
export const oldest = sql`SELECT COALESCE(EXTRACT(EPOCH FROM ${now} - min(created)), 0)::float8 FROM comptoir_webhook_delivery d WHERE state = 'waiting'`

export const hasEndpoints = sql`SELECT to_regclass('comptoir_webhook') IS NOT NULL AND EXISTS (SELECT FROM comptoir_webhook)`
