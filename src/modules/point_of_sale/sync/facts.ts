// Facts that the server reads when a till sends orders: one statement, which also makes sure that the
// session is not closed in the meantime.
import { cacheReadColumn, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import type { CashRounding } from '../../account/index.ts'
import { isLimitedInSql } from '../limits/rows.ts'
import { type Incoming, idOf } from './incoming.ts'

export interface SessionFacts {
  readonly id: number
  readonly state: string
  /** Whether it accepts orders that came after their session was closed. */
  readonly rescue: boolean
  readonly config: number
  readonly configName: string
  readonly company: number
  readonly currency: number
  readonly rounding: number
  readonly companyCurrency: number
  readonly method: 'round_per_line' | 'round_globally'
  readonly stockAtClosing: boolean
  /** Largest difference between payments and totals where these are rounded to coins, else null. */
  readonly slack: number | null
  /** The coins that totals are rounded to however they are paid, else null. */
  readonly coins: CashRounding | null
  readonly check: 'off' | 'note' | 'refuse'
  /** Whether the point of sale limits orders of cashiers. */
  readonly isLimited: boolean
  readonly lineNumbers: number
  readonly orderNumbers: number
  readonly methods: readonly { readonly id: number; readonly cash: boolean }[]
}

export interface StoredOrder {
  readonly id: number
  readonly uuid: string
  readonly state: string
  readonly reference: string | null
  readonly session: number
  readonly lines: readonly { readonly id: number; readonly uuid: string | null }[]
  readonly payments: readonly { readonly id: number; readonly uuid: string | null }[]
}

export interface RefundedLine {
  readonly id: number
  readonly order: number
  readonly name: string
}

export interface Facts {
  readonly sessions: ReadonlyMap<number, SessionFacts>
  readonly orders: ReadonlyMap<string, StoredOrder>
  readonly partners: ReadonlySet<number>
  readonly refunded: ReadonlyMap<number, RefundedLine>
}

const sessionColumns = sql`jsonb_build_object('id', t.id, 'state', t.state, 'rescue', COALESCE(t.rescue, FALSE), 'config', t.config_id, 'configName', c.name, 'company', t.company_id,
  'currency', t.currency_id, 'rounding', cur.rounding, 'companyCurrency', co.currency_id,
  'method', co.tax_calculation_rounding_method, 'stockAtClosing', COALESCE(t.update_stock_at_closing, FALSE),
  'slack', CASE WHEN c.cash_rounding THEN r.rounding / CASE r.rounding_method WHEN 'HALF-UP' THEN 2 ELSE 1 END END,
  'coins', CASE WHEN c.cash_rounding AND c.only_round_cash_method IS NOT TRUE AND r.id IS NOT NULL
    THEN jsonb_build_object('rounding', r.rounding, 'rounding_method', r.rounding_method) END, 'check', c.price_check,
  'isLimited', ${isLimitedInSql}, 'lineNumbers', c.order_line_seq_id,
  'orderNumbers', c.order_backend_seq_id, 'methods', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'cash', COALESCE(j.type = 'cash', FALSE))
    ORDER BY m.sequence, m.id), '[]') FROM pos_config_pos_payment_method_rel x JOIN pos_payment_method m ON m.id = x.pos_payment_method_id
    LEFT JOIN account_journal j ON j.id = m.journal_id WHERE x.pos_config_id = c.id))`

/** Parses a list that PostgreSQL returned as JSON; null is an empty list. */
const listOf = <T>(json: unknown): readonly T[] =>
  typeof json === 'string' ? (JSON.parse(json) as readonly T[]) : []

/** Caches the currencies of companies and their roundings, which the calls that follow read. */
function keepCurrencies(env: Environment, facts: readonly SessionFacts[]): void {
  cacheReadColumn(
    env,
    'res.company',
    'currency_id',
    facts.map(({ company, companyCurrency }) => [company, companyCurrency] as const),
  )
  cacheReadColumn(
    env,
    'res.currency',
    'rounding',
    facts.map(({ currency, rounding }) => [currency, rounding] as const),
  )
}

/**
 * Raises the counter of the sessions concerned and of those that are open at the same points of sale:
 * closing raises it too, so that one of two concurrent calls starts over and sees what the other did.
 * Runs as superuser; the answer does not contain it.
 */
export async function loadFacts(env: Environment, orders: readonly Incoming[]): Promise<Facts> {
  const sessions = idList([...new Set(orders.map((order) => order.session))])
  const uuids = orders.flatMap((order) => order.uuid ?? [])
  const partners = idList([...new Set(orders.flatMap((order) => order.partner ?? []))])
  const refunded = idList([
    ...new Set(
      orders.flatMap((order) => order.lines.flatMap(({ vals }) => idOf(vals.refunded_orderline_id) ?? [])),
    ),
  ])
  const [row] = await env.rows(
    sql`WITH touched AS (UPDATE pos_session s SET changes = COALESCE(s.changes, 0) + 1
      WHERE s.id = ANY(${sessions}) OR s.state <> 'closed' AND s.rescue IS NOT TRUE
        AND s.config_id IN (SELECT g.config_id FROM pos_session g WHERE g.id = ANY(${sessions}))
      RETURNING s.id, s.state, s.rescue, s.config_id, s.company_id, s.currency_id, s.update_stock_at_closing)
    SELECT
      (SELECT jsonb_agg(${sessionColumns}) FROM touched t JOIN pos_config c ON c.id = t.config_id JOIN res_company co ON co.id = t.company_id
        JOIN res_currency cur ON cur.id = t.currency_id LEFT JOIN account_cash_rounding r ON r.id = c.rounding_method),
      (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'uuid', o.uuid, 'state', o.state, 'reference', o.pos_reference, 'session', o.session_id,
          'lines', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', l.id, 'uuid', l.uuid)), '[]') FROM pos_order_line l
            WHERE l.order_id = o.id AND o.state = 'draft'),
          'payments', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', p.id, 'uuid', p.uuid)), '[]') FROM pos_payment p
            WHERE p.pos_order_id = o.id AND o.state = 'draft')))
        FROM pos_order o WHERE o.uuid = ANY(${uuids}::text[])),
      (SELECT jsonb_agg(p.id) FROM res_partner p WHERE p.id = ANY(${partners})),
      (SELECT jsonb_agg(jsonb_build_object('id', l.id, 'order', l.order_id, 'name', o.name)) FROM pos_order_line l
        JOIN pos_order o ON o.id = l.order_id WHERE l.id = ANY(${refunded}))`,
    {
      reads: [
        'pos.session',
        'pos.payment.method',
        'account.journal',
        'pos.config',
        'res.company',
        'res.currency',
        'account.cash.rounding',
        'pos.order.line',
        'pos.payment',
        'pos.order',
        'res.partner',
      ],
      row: ['text?', 'text?', 'text?', 'text?'],
    },
  )
  const [sessionRows, orderRows, presentIds, lines] = row ?? []
  const facts = listOf<SessionFacts>(sessionRows)
  keepCurrencies(env, facts)
  return {
    sessions: new Map(facts.map((fact) => [fact.id, fact])),
    orders: new Map(listOf<StoredOrder>(orderRows).map((item) => [item.uuid, item])),
    partners: new Set(listOf<number>(presentIds)),
    refunded: new Map(listOf<RefundedLine>(lines).map((item) => [item.id, item])),
  }
}
