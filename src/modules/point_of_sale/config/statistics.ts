// Statistics of sessions for lists of points of sale: when they began, the float, orders that are paid and
// that wait.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

/** Statistics by key of `sessions`, in one statement. */
export async function statisticsOf(
  env: Environment,
  sessions: ReadonlyMap<number, number>,
): Promise<Map<number, object>> {
  const rows = await env.rows(
    sql`SELECT s.id, s.state, to_char(COALESCE(s.start_at, s.create_date), 'YYYY-MM-DD HH24:MI:SS'),
      COALESCE(s.cash_register_balance_start, 0)::float8,
      count(o.id) FILTER (WHERE o.state IN ('paid', 'done'))::int,
      COALESCE(sum(o.amount_total) FILTER (WHERE o.state IN ('paid', 'done')), 0)::float8,
      count(o.id) FILTER (WHERE o.state = 'draft')::int,
      COALESCE(sum(o.amount_total) FILTER (WHERE o.state = 'draft'), 0)::float8
    FROM pos_session s LEFT JOIN pos_order o ON o.session_id = s.id
    WHERE s.id = ANY(${idList([...sessions.values()])}) GROUP BY s.id`,
    {
      reads: ['pos.session', 'pos.order'],
      row: ['int', 'text', 'text?', 'float', 'int', 'float', 'int', 'float'],
    },
  )
  const bySession = new Map(
    rows.map(([id, state, start, cash, paid, paidAmount, draft, draftAmount]) => [
      id,
      {
        date: { is_started: state !== 'opening_control', start_date: start ?? false },
        cash: { opening_cash: cash },
        orders: {
          paid: { count: paid, amount: paidAmount },
          draft: { count: draft, amount: draftAmount },
        },
      },
    ]),
  )
  return new Map([...sessions].flatMap(([key, id]) => [[key, bySession.get(id) ?? {}] as const]))
}
