// The lines of bank statements that show a payment: those whose entry is matched with an item of its entry.
import { computed } from '#models'
import { payment } from './payment.contract.ts'

/** Paths from a payment to the items that those of its entry are matched with. */
const counterparts = [
  'move_id.line_ids.matched_debit_ids.debit_move_id.move_id.statement_line_id',
  'move_id.line_ids.matched_credit_ids.credit_move_id.move_id.statement_line_id',
] as const

export const statementLines = {
  reconciled_statement_line_ids: computed(
    payment,
    counterparts,
    ({ move_id: entry }) => {
      const items = (entry?.line_ids ?? []).flatMap((item) => [
        ...item.matched_debit_ids.map((match) => match.debit_move_id),
        ...item.matched_credit_ids.map((match) => match.credit_move_id),
      ])
      const lines = new Set(items.flatMap((item) => item.move_id.statement_line_id?.id ?? []))
      return [...lines].sort((a, b) => a - b)
    },
    { search: (operator, value) => ['|', ...counterparts.map((path) => [path, operator, value])] },
  ),
  reconciled_statement_lines_count: computed(
    payment,
    ['reconciled_statement_line_ids'],
    (payment) => payment.reconciled_statement_line_ids.length,
  ),
}
