// The Z report: what a session came to, as numbers. All sessions together, in a number of statements that
// does not grow with them or their orders.
import type { Environment, Records } from '#models'
import { addDecimals } from '../../../../kit/rounding.ts'
import { assertWithin } from '../../../../limits.ts'
import { idList, sql } from '../../../../sql/index.ts'
import { assertAllowed } from '../../../base/index.ts'
import { cashMoved, takingsOf } from '../../session/figures.ts'
import { type Taxed, taxesBySession } from './taxes.ts'

interface Sum {
  readonly name: string
  readonly count: number
  readonly total: number
}

export interface ZReport {
  readonly id: number
  readonly name: string
  readonly config: string
  readonly company: number
  readonly state: string
  readonly opened_by: string
  readonly opened_at: string | false
  readonly closed_at: string | false
  readonly currency: {
    readonly name: string
    readonly symbol: string
    readonly position: string | null
    readonly decimal_places: number
  }
  readonly orders: number
  readonly refunds: number
  /** Taxes included. */
  readonly sold: number
  readonly refunded: number
  readonly total: number
  readonly tax: number
  /** Sales less the cost of the goods; false for users who may not see costs. */
  readonly margin: number | false
  readonly taxes: readonly Taxed[]
  readonly payments: readonly Sum[]
  readonly categories: readonly Sum[]
  readonly cashiers: readonly Sum[]
  /** By the hour of the day, in the caller's time zone. */
  readonly hours: readonly Sum[]
  readonly cash: {
    readonly opening: number
    readonly paid: number
    readonly moved: number
    readonly expected: number
    readonly counted: number
    readonly difference: number
  } | null
}

const loadSessions = (sessions: Records<'pos.session'>) =>
  sessions
    .sudo()
    .load([
      'name',
      'state',
      'start_at',
      'stop_at',
      'company_id',
      'config_id.name',
      'config_id.is_margins_costs_accessible_to_every_user',
      'user_id.partner_id.name',
      'currency_id.name',
      'currency_id.symbol',
      'currency_id.position',
      'currency_id.decimal_places',
      'cash_control',
      'cash_real_transaction',
      'cash_register_balance_start',
      'cash_register_balance_end_real',
    ])

/** Sums of paid orders by session and what they are grouped by: name, count, total. */
async function sums(env: Environment, ids: readonly number[]) {
  const paid = sql`o.session_id = ANY(${idList([...ids])}) AND o.state IN ('paid', 'done')`
  const category = sql`COALESCE(c.name->>${env.lang}, c.name->>'en_US')`
  const method = sql`COALESCE(m.name->>${env.lang}, m.name->>'en_US')`
  const rows = await env.rows(
    sql`
    SELECT o.session_id, 'cashiers', COALESCE(p.name, ''), count(*)::int, sum(o.amount_total)::float8, min(p.name) AS place FROM pos_order o
      JOIN res_users u ON u.id = o.user_id JOIN res_partner p ON p.id = u.partner_id WHERE ${paid} GROUP BY o.session_id, u.id, p.name
    UNION ALL SELECT o.session_id, 'hours', to_char(h.hour, 'HH24:00'), count(*)::int, sum(o.amount_total)::float8, min(to_char(h.hour, 'HH24'))
      FROM pos_order o, LATERAL (SELECT o.date_order AT TIME ZONE 'UTC' AT TIME ZONE ${env.tz ?? 'UTC'}::text AS hour) h WHERE ${paid} GROUP BY 1, 3
    UNION ALL SELECT o.session_id, 'payments', ${method}, count(DISTINCT o.id)::int, sum(y.amount)::float8, min(to_char(m.sequence, '0000000000')) FROM pos_payment y
      JOIN pos_order o ON o.id = y.pos_order_id JOIN pos_payment_method m ON m.id = y.payment_method_id WHERE ${paid} GROUP BY o.session_id, m.id
    UNION ALL SELECT o.session_id, 'categories', COALESCE(${category}, ''), count(*)::int, sum(l.price_subtotal_incl)::float8, min(COALESCE(to_char(c.sequence, '0000000000'), '~'))
      FROM pos_order_line l JOIN pos_order o ON o.id = l.order_id JOIN product_product v ON v.id = l.product_id
      LEFT JOIN LATERAL (SELECT c.* FROM pos_category_product_template_rel r JOIN pos_category c ON c.id = r.pos_category_id
        WHERE r.product_template_id = v.product_tmpl_id ORDER BY c.sequence, c.id LIMIT 1) c ON TRUE WHERE ${paid} GROUP BY o.session_id, c.id, 3
    UNION ALL SELECT o.session_id, 'sold', '', count(*)::int, sum(o.amount_total)::float8, '' FROM pos_order o WHERE ${paid} AND o.is_refund IS NOT TRUE GROUP BY 1
    UNION ALL SELECT o.session_id, 'refunded', '', count(*)::int, sum(o.amount_total)::float8, '' FROM pos_order o WHERE ${paid} AND o.is_refund GROUP BY 1
    UNION ALL SELECT o.session_id, 'margin', '', 0, sum(l.price_subtotal - COALESCE(l.total_cost, 0)::numeric)::float8, '' FROM pos_order_line l
      JOIN pos_order o ON o.id = l.order_id WHERE ${paid} GROUP BY 1
    ORDER BY 1, 2, place, 3`,
    {
      reads: [
        'pos.order',
        'res.users',
        'res.partner',
        'pos.payment',
        'pos.payment.method',
        'pos.order.line',
        'product.product',
        'pos.category',
      ],
      row: ['int', 'text', 'text?', 'int', 'float?', 'text?'],
    },
  )
  return (session: number, kind: string): Sum[] =>
    rows.flatMap(([id, of, name, count, total]) =>
      id === session && of === kind ? [{ name: name ?? '', count, total: addDecimals(total ?? 0, 0) }] : [],
    )
}

/** Reports of sessions, in their order. Throws AccessError, and PayloadTooLarge for too many. */
export async function zReports(sessions: Records<'pos.session'>): Promise<ZReport[]> {
  await assertAllowed(sessions, 'read')
  const { env, ids } = sessions
  assertWithin('print-documents', ids.length)
  const su = env.sudo()
  const rows = await loadSessions(sessions)
  const of = await sums(env, ids)
  const takings = await takingsOf(su, ids)
  const taxes = await taxesBySession(su, ids)
  const seesCosts = env.su || env.hasGroup('point_of_sale.group_pos_manager')
  return rows.map((row): ZReport => {
    const figureOf = (kind: string) => of(row.id, kind)[0] ?? { name: '', count: 0, total: 0 }
    const [sold, refunded] = [figureOf('sold'), figureOf('refunded')]
    const { cash: paid, ...rest } = takings(row.id)
    const moved = cashMoved(row, { cash: paid, ...rest })
    const expected = addDecimals(row.cash_register_balance_start, addDecimals(paid, moved))
    const counted = row.cash_register_balance_end_real
    const margins = seesCosts || row.config_id.is_margins_costs_accessible_to_every_user
    const sessionTaxes = taxes.get(row.id) ?? []
    return {
      id: row.id,
      name: row.name,
      config: row.config_id.name,
      company: row.company_id?.id ?? env.companyId,
      state: row.state,
      opened_by: row.user_id.partner_id.name ?? '',
      opened_at: row.start_at ?? false,
      closed_at: row.stop_at ?? false,
      currency: {
        name: row.currency_id?.name ?? '',
        symbol: row.currency_id?.symbol ?? '',
        position: row.currency_id?.position ?? null,
        decimal_places: row.currency_id?.decimal_places ?? 2,
      },
      orders: sold.count + refunded.count,
      refunds: refunded.count,
      sold: sold.total,
      refunded: refunded.total,
      total: addDecimals(sold.total, refunded.total),
      tax: sessionTaxes.reduce((sum, { tax }) => addDecimals(sum, tax), 0),
      margin: margins ? figureOf('margin').total : false,
      taxes: sessionTaxes,
      payments: of(row.id, 'payments'),
      categories: of(row.id, 'categories'),
      cashiers: of(row.id, 'cashiers'),
      hours: of(row.id, 'hours'),
      cash: row.cash_control
        ? {
            opening: row.cash_register_balance_start,
            paid,
            moved,
            expected,
            counted,
            difference: row.state === 'closed' ? addDecimals(counted, -expected) : 0,
          }
        : null,
    }
  })
}
