// Figures of sessions while they are open: orders, payments, expected cash in the drawer.
import { computedFields, type Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { session } from './contract.ts'

/** Cash of a session: payments of paid orders, and cash moves. */
export interface Takings {
  readonly orders: number
  readonly payments: number
  readonly cash: number
  readonly moves: number
}

const NOTHING: Takings = { orders: 0, payments: 0, cash: 0, moves: 0 }

/** Takings by session, in one statement. */
export async function takingsOf(
  env: Environment,
  sessions: readonly number[],
): Promise<(session: number) => Takings> {
  const rows = await env.rows(
    sql`SELECT s.id,
      (SELECT count(*)::int FROM pos_order o WHERE o.session_id = s.id),
      COALESCE(p.total, 0)::float8, COALESCE(p.cash, 0)::float8,
      COALESCE((SELECT sum(l.amount) FROM account_bank_statement_line l WHERE l.pos_session_id = s.id), 0)::float8
    FROM pos_session s LEFT JOIN LATERAL (
      SELECT sum(p.amount) AS total, sum(p.amount) FILTER (WHERE j.type = 'cash') AS cash FROM pos_payment p
      JOIN pos_order o ON o.id = p.pos_order_id AND o.state IN ('paid', 'done')
      JOIN pos_payment_method m ON m.id = p.payment_method_id LEFT JOIN account_journal j ON j.id = m.journal_id
      WHERE p.session_id = s.id) p ON TRUE
    WHERE s.id = ANY(${idList([...sessions])})`,
    {
      reads: [
        'pos.order',
        'account.bank.statement.line',
        'pos.session',
        'pos.payment',
        'pos.payment.method',
        'account.journal',
      ],
      row: ['int', 'int', 'float', 'float', 'float'],
    },
  )
  const takingsById = new Map(
    rows.map((row) => {
      const [id, orders, payments, cash, moves] = row
      return [id, { orders, payments, cash, moves }]
    }),
  )
  return (id) => takingsById.get(id) ?? NOTHING
}

/** Sum of cash moves, without lines that closing created. */
export const cashMoved = (
  record: { readonly state: string; readonly cash_real_transaction: number },
  takings: Takings,
): number => (record.state === 'closed' ? record.cash_real_transaction : takings.moves)

export const figures = computedFields(
  session,
  [
    'order_count',
    'total_payments_amount',
    'cash_register_total_entry_encoding',
    'cash_register_balance_end',
    'cash_register_difference',
  ],
  [
    'state',
    'cash_control',
    'cash_register_balance_start',
    'cash_register_balance_end_real',
    'cash_real_transaction',
  ],
  async (sessions, env) => {
    const takings = await takingsOf(
      env,
      sessions.map(({ id }) => id),
    )
    return new Map(
      sessions.map((session) => {
        const sessionTakings = takings(session.id)
        const entered = session.cash_control
          ? addDecimals(cashMoved(session, sessionTakings), sessionTakings.cash)
          : 0
        const end = session.cash_control ? addDecimals(session.cash_register_balance_start, entered) : 0
        return [
          session.id,
          {
            order_count: sessionTakings.orders,
            total_payments_amount: sessionTakings.payments,
            cash_register_total_entry_encoding: entered,
            cash_register_balance_end: end,
            cash_register_difference: session.cash_control
              ? addDecimals(session.cash_register_balance_end_real, -end)
              : 0,
          },
        ]
      }),
    )
  },
)
