// Deliveries that are due to an endpoint: of every record the oldest one, and its successors in their order.
import type { TraceContext } from '../../kit/watch/index.ts'
import { traceOf } from '../../models/changes/log.ts'
import { type Sql, sql } from '../../sql/index.ts'
import { now } from './rows.ts'

/** A delivery that is due; or, where `isDue` is false, one that its successors have to wait for. */
export interface Due {
  readonly id: number
  readonly event: string
  readonly type: string
  readonly model: string | null
  readonly record: number | null
  readonly body: string
  readonly attempts: number
  readonly isDue: boolean
  /** Trace of the request that made the change; null without tracing. */
  readonly trace: TraceContext | null
}

/** The trace of a delivery's change, which its event names; pings have none. */
const traceOfDelivery = sql`(SELECT ${traceOf(sql`c.tx`)} FROM comptoir_change c
  WHERE c.seq = substring(d.event FROM '^evt_([0-9]+)_')::bigint AND c.n = substring(d.event FROM '^evt_[0-9]+_([0-9]+)_')::int)`

const shown = sql`json_build_object('id', d.id, 'event', d.event, 'type', d.type, 'model', d.res_model, 'record', d.res_id, 'body', d.body,
  'attempts', d.attempts, 'isDue', d.next_at <= ${now}, 'trace', ${traceOfDelivery})::text`

/**
 * Bytes of bodies that are looked up at a time for one endpoint, and what goes beyond with the last of them.
 */
const MOST_BYTES = 128 * 1024

/** Rows `d` as they are shown, as far as there is room for their bodies. */
const within = (rows: Sql, order: Sql): Sql =>
  sql`(SELECT ${shown} FROM (SELECT d.*, sum(octet_length(d.body)) OVER (ORDER BY ${order}) - octet_length(d.body) AS ahead FROM (${rows}) d) d
    WHERE d.ahead < ${MOST_BYTES}::int ORDER BY ${order})`

const waiting = (id: number) => sql`d.webhook_id = ${id}::int AND d.state = 'waiting'`

/**
 * Due deliveries about records that are not among those of `taken`, oldest first. Of each record, deliveries
 * up to and including the first that is not due, for which the later ones wait. A delivery never overtakes an
 * earlier one about its record, even if it was created, due at once, while the earlier one was failing.
 * For an endpoint that is `ordered`, the first of all.
 *
 * Each part walks one index, however many deliveries wait and whatever PostgreSQL estimates: due deliveries
 * in the order of time, those of a record in their own.
 */
export const due = (id: number, most: number, taken: readonly Due[] = []): Sql => {
  const about = JSON.stringify(
    taken.map((delivery) => ({ delivery: delivery.id, model: delivery.model, record: delivery.record })),
  )
  const others = sql`NOT EXISTS (SELECT FROM jsonb_to_recordset(${about}::jsonb) AS t(delivery int, model text, record int)
    WHERE t.delivery = d.id OR t.model = d.res_model AND t.record = d.res_id)`
  const isOrdered = sql`(SELECT ordered FROM comptoir_webhook WHERE id = ${id}::int)`
  const time = sql`(ORDER BY d.id)`
  return sql`WITH found AS MATERIALIZED (SELECT d.id, d.res_model, d.res_id FROM comptoir_webhook_delivery d
      WHERE ${waiting(id)} AND d.next_at <= ${now} AND ${isOrdered} IS NOT TRUE AND ${taken.length ? others : sql`TRUE`}
      ORDER BY d.next_at, d.id LIMIT ${most}::int),
    records AS MATERIALIZED (SELECT res_model, res_id, count(*) AS found FROM found WHERE res_model IS NOT NULL GROUP BY res_model, res_id),
    own AS (SELECT d.* FROM records r CROSS JOIN LATERAL (
        SELECT d.*, max(d.next_at) OVER ${time} AS turn, bool_and(d.next_at <= ${now}) OVER (ORDER BY d.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_open
        FROM (SELECT d.* FROM comptoir_webhook_delivery d WHERE ${waiting(id)} AND d.res_model = r.res_model AND d.res_id = r.res_id ORDER BY d.id LIMIT r.found) d) d
      WHERE d.is_open IS NOT FALSE
      UNION ALL SELECT d.*, d.next_at, TRUE FROM comptoir_webhook_delivery d WHERE d.id IN (SELECT id FROM found WHERE res_model IS NULL))
    ${within(sql`SELECT * FROM own d`, sql`d.turn, d.id`)}
    UNION ALL ${within(sql`SELECT d.* FROM comptoir_webhook_delivery d WHERE ${waiting(id)} AND ${isOrdered} ORDER BY d.id LIMIT ${most}::int`, sql`d.id`)}`
}

/** The first that waits, whatever its time: a probe of an endpoint that takes nothing. */
export const firstWaiting = (id: number): Sql =>
  sql`SELECT ${shown} FROM comptoir_webhook_delivery d WHERE d.id = (SELECT min(d.id) FROM comptoir_webhook_delivery d WHERE ${waiting(id)})`

/** Postpones later deliveries about the same records to the time of these. */
export const postponeLater = (id: number, holders: readonly Due[]): Sql =>
  sql`UPDATE comptoir_webhook_delivery d SET next_at = h.next_at
    FROM jsonb_to_recordset(${JSON.stringify(holders.map((holder) => ({ id: holder.id })))}::jsonb) AS x(id int)
      JOIN comptoir_webhook_delivery h ON h.id = x.id AND h.state = 'waiting'
      CROSS JOIN LATERAL (SELECT b.id FROM comptoir_webhook_delivery b WHERE b.webhook_id = ${id}::int AND b.res_model = h.res_model AND b.res_id = h.res_id
        AND b.state = 'waiting' AND b.id > h.id OFFSET 0) b
    WHERE d.id = b.id AND d.state = 'waiting' AND d.next_at < h.next_at`

/**
 * Makes deliveries due that are the first about their record, never tried, and yet postponed: such a delivery
 * was being created or postponed while the one before it ended, and neither transaction saw the other. One
 * look into an index finds the first, however many wait.
 */
export const releaseFirst: Sql = sql`UPDATE comptoir_webhook_delivery d SET next_at = ${now}
  WHERE d.state = 'waiting' AND d.attempts = 0 AND d.next_at > ${now}
    AND (SELECT b.id FROM comptoir_webhook_delivery b WHERE b.webhook_id = d.webhook_id AND b.res_model = d.res_model AND b.res_id = d.res_id
      AND b.state = 'waiting' AND b.id < d.id ORDER BY b.id LIMIT 1) IS NULL`
