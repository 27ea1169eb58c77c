// Figures that a cashier sees before closing: orders, expected cash in the drawer, totals of other
// payment methods.
import type { Environment, Records } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { sql } from '../../../sql/index.ts'
import { documentTotals, loadTaxes } from '../../account/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { cashMoves } from './cash.ts'
import { takingsOf } from './figures.ts'

type Sessions = Records<'pos.session'>

interface Method {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly amount: number
  readonly number: number
}

export async function closingData(sessions: Sessions): Promise<object> {
  const id = sessions.ensureOne()
  await assertAllowed(sessions, 'read')
  const su = sessions.sudo()
  const session = await su.one([
    'cash_control',
    'cash_register_balance_start',
    'opening_notes',
    'config_id.set_maximum_difference',
    'config_id.amount_authorized_diff',
  ])
  const [orders] = await su.env.rows(
    sql`SELECT count(*)::int, COALESCE(sum(amount_total), 0)::float8 FROM pos_order
    WHERE session_id = ${id}::int AND state IN ('paid', 'done')`,
    { reads: ['pos.order'], row: ['int', 'float'] },
  )
  const methods = await paymentMethods(su.env, id)
  const cash = methods.find(({ type }) => type === 'cash')
  const { moves } = (await takingsOf(su.env, [id]))(id)
  const opening = session.cash_register_balance_start
  return {
    orders_details: { quantity: orders?.[0] ?? 0, amount: orders?.[1] ?? 0 },
    opening_notes: session.opening_notes ?? '',
    default_cash_details:
      session.cash_control && cash
        ? {
            id: cash.id,
            name: cash.name,
            amount: addDecimals(addDecimals(opening, cash.amount), moves),
            opening,
            payment_amount: cash.amount,
            moves: await cashMoves(sessions),
          }
        : {},
    non_cash_payment_methods: methods.filter((method) => method !== cash || !session.cash_control),
    is_manager: sessions.env.hasGroup('point_of_sale.group_pos_manager'),
    amount_authorized_diff: session.config_id.set_maximum_difference
      ? session.config_id.amount_authorized_diff
      : null,
  }
}

/** The ways to pay at the till of a session, with what was paid by each. */
async function paymentMethods(env: Environment, session: number): Promise<Method[]> {
  const rows = await env.rows(
    sql`SELECT m.id, COALESCE(m.name->>${env.lang}, m.name->>'en_US'),
      CASE WHEN j.type IN ('cash', 'bank') THEN j.type ELSE 'pay_later' END, COALESCE(sum(p.amount), 0)::float8, count(p.id)::int
    FROM pos_session s JOIN pos_config_pos_payment_method_rel r ON r.pos_config_id = s.config_id
    JOIN pos_payment_method m ON m.id = r.pos_payment_method_id LEFT JOIN account_journal j ON j.id = m.journal_id
    LEFT JOIN (pos_payment p JOIN pos_order o ON o.id = p.pos_order_id AND o.state IN ('paid', 'done'))
      ON p.payment_method_id = m.id AND p.session_id = s.id
    WHERE s.id = ${session}::int GROUP BY m.id, j.type ORDER BY m.sequence, m.id`,
    {
      reads: ['pos.session', 'pos.payment.method', 'account.journal', 'pos.order'],
      row: ['int', 'text', 'text', 'float', 'int'],
    },
  )
  return rows.map(
    ([method, name, type, amount, number]): Method => ({ id: method, name, type, amount, number }),
  )
}

/** Total of the discounts on lines of paid orders, taxes included. */
export async function totalDiscount(sessions: Sessions): Promise<number> {
  await assertAllowed(sessions, 'read')
  const lines = await sessions.env.model('pos.order.line').search([
    ['order_id.session_id', 'in', sessions.ids],
    ['order_id.state', 'in', ['paid', 'done']],
    ['discount', '>', 0],
  ])
  const rows = await lines
    .sudo()
    .load(['price_unit', 'qty', 'tax_ids', 'price_subtotal_incl', 'currency_id.rounding'])
  const taxesOf = await loadTaxes(sessions.env, [
    ...new Set(rows.flatMap((row) => row.tax_ids.map(({ id }) => id))),
  ])
  return rows.reduce((total, row) => {
    const taxes = taxesOf(row.tax_ids.map(({ id }) => id))
    const whole = documentTotals([{ priceUnit: row.price_unit, quantity: row.qty, discount: 0, taxes }], {
      rounding: row.currency_id?.rounding ?? 0.01,
      method: 'round_per_line',
    })
    return addDecimals(total, addDecimals(whole.total, -row.price_subtotal_incl))
  }, 0)
}
