// Whether documents are paid: by what their items were matched with, in one statement for all of them
// (spec/business-models.md section 8).
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { isInvoice, isRefund } from '../move/kinds.ts'
import { move } from '../move/move.contract.ts'

export const paymentState = computedFields(
  move,
  ['payment_state'],
  [
    'state',
    'move_type',
    'amount_total',
    'amount_residual',
    'payment_blocked',
    'line_ids.matched_debit_ids',
    'line_ids.matched_credit_ids',
  ],
  async (moves, env) => {
    const matchable = moves.filter(
      (move) =>
        isInvoice(move.move_type) &&
        move.line_ids.some((l) => l.matched_debit_ids.length || l.matched_credit_ids.length),
    )
    const counterparts = await counterpartsOf(
      env,
      matchable.map(({ id }) => id),
    )
    const states = new Map(moves.map((move) => [move.id, stateOf(move, counterparts.get(move.id)?.types)]))
    const paid = matchable.filter(
      ({ id }) => states.get(id) === 'paid' && counterparts.get(id)?.before !== 'paid',
    )
    env
      .model('account.move')
      .browse(paid.map(({ id }) => id))
      .emit('paid')
    return new Map([...states].map(([id, payment_state]) => [id, { payment_state }]))
  },
)

interface Document {
  readonly state: string
  readonly move_type: string
  readonly amount_residual: number
  readonly payment_blocked: boolean
}

function stateOf(
  { state, move_type, amount_residual, payment_blocked: isBlocked }: Document,
  types: readonly string[] | undefined,
): string {
  if (!isInvoice(move_type)) return 'not_paid'
  if (isBlocked && !types?.length && amount_residual !== 0) return 'blocked'
  if (!types) return state === 'posted' && amount_residual === 0 ? 'paid' : 'not_paid'
  if (amount_residual !== 0) return types.length ? 'partial' : 'not_paid'
  if (types.length === 0) return 'paid'
  // A document is reversed if credit notes settled it, alone or with journal entries; a credit note if
  // journal entries alone did.
  const booked = types.every((type) => type === 'entry' || isRefund(type))
  const reversed = booked && (isRefund(move_type) ? !types.some(isRefund) : types.some(isRefund))
  return reversed ? 'reversed' : 'paid'
}

interface Counterparts {
  readonly types: readonly string[]
  /** The stored state. */
  readonly before: string | null
}

/**
 * Kinds of entries that documents are matched with, by document, `payment` for those of payments and of
 * banks; those that book differences of rates do not count.
 */
async function counterpartsOf(env: Environment, ids: readonly number[]): Promise<Map<number, Counterparts>> {
  if (ids.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT l.move_id, array_agg(DISTINCT CASE WHEN o.origin_payment_id IS NULL AND o.statement_line_id IS NULL THEN o.move_type ELSE 'payment' END)
      FILTER (WHERE x.id IS NULL), (SELECT d.payment_state FROM account_move d WHERE d.id = l.move_id)
    FROM account_move_line l
    JOIN LATERAL (SELECT p.credit_move_id AS other FROM account_partial_reconcile p WHERE p.debit_move_id = l.id
      UNION ALL SELECT p.debit_move_id FROM account_partial_reconcile p WHERE p.credit_move_id = l.id) m ON TRUE
    JOIN account_move_line c ON c.id = m.other JOIN account_move o ON o.id = c.move_id
    LEFT JOIN account_partial_reconcile x ON x.exchange_move_id = o.id
    WHERE l.move_id = ANY(${idList([...ids])}) GROUP BY l.move_id`,
    {
      reads: ['account.move', 'account.move.line', 'account.partial.reconcile'],
      row: ['int', 'texts?', 'text?'],
    },
  )
  return new Map(rows.map((row) => [row[0], { types: row[1] ?? [], before: row[2] }]))
}
