// Payments in reports: totals by payment method, and for drawers the counted cash.
import type { Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { cashMoves } from '../session/cash.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly session: number
  readonly sessionName: string
  readonly cash: boolean
  readonly total: number
}

/** Ways to pay by session, in the order of the methods. */
export async function paymentRows(
  env: Environment,
  sessions: readonly number[],
  orders: readonly number[],
): Promise<object[]> {
  const rows = await env.rows(
    sql`SELECT m.id, COALESCE(m.name->>${env.lang}, m.name->>'en_US'), s.id, s.name, COALESCE(j.type = 'cash', FALSE), COALESCE(sum(p.amount), 0)::float8
    FROM pos_payment p JOIN pos_payment_method m ON m.id = p.payment_method_id JOIN pos_session s ON s.id = p.session_id
    LEFT JOIN account_journal j ON j.id = m.journal_id WHERE p.pos_order_id = ANY(${idList([...orders])})
    GROUP BY m.id, s.id, j.type ORDER BY s.id, m.sequence, m.id`,
    {
      reads: ['pos.payment', 'pos.payment.method', 'pos.session', 'account.journal'],
      row: ['int', 'text', 'int', 'text', 'bool', 'float'],
    },
  )
  const drawerRows = rows.map(
    ([id, name, session, sessionName, cash, total]): Row => ({ id, name, session, sessionName, cash, total }),
  )
  const drawers = await env
    .model('pos.session')
    .browse([...new Set(drawerRows.filter(({ cash }) => cash).map(({ session }) => session))])
    .load([
      'cash_register_balance_start',
      'cash_register_balance_end',
      'cash_register_balance_end_real',
      'state',
    ])
  const moves =
    sessions.length === 1 && drawers.length === 1
      ? await cashMoves(env.model('pos.session').browse(sessions))
      : []
  return drawerRows.map(({ id, name, session, sessionName, cash, total }) => {
    const drawer = drawers.find((drawer) => drawer.id === session)
    const plain = { id, name: `${name} ${sessionName}`, session, total, count: cash, cash }
    if (!cash || !drawer) return plain
    const { cash_register_balance_end: expected, cash_register_balance_end_real: counted } = drawer
    return {
      ...plain,
      opening: drawer.cash_register_balance_start,
      final_count: expected,
      money_counted: counted,
      money_difference: drawer.state === 'closed' ? addDecimals(counted, -expected) : 0,
      cash_moves: moves,
    }
  })
}
