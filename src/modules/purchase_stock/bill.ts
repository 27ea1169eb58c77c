// Bills (account.move): what came for their lines is worth what they say while they are posted.
import { extend, idsWhere, implement, type Records } from '#models'
import { isSettling } from '../account/index.ts'

const bill = extend('account.move', { fields: {} })

const purchases = ['in_invoice', 'in_refund']

async function followBills(bills: Records<'account.move'>): Promise<void> {
  const { env } = bills.sudo()
  const rows = await bills.sudo().load(['move_type'])
  const ids = rows.flatMap((row) => (purchases.includes(row.move_type) ? [row.id] : []))
  if (ids.length === 0) return
  const moves = await env.model('stock.move').search([
    ['purchase_line_id.invoice_lines.move_id', 'in', ids],
    ['state', '=', 'done'],
  ])
  if (moves.ids.length) await moves.invoke('documents_changed', {})
}

export default implement(bill, {
  wrapWrite: (next) => async (moves, changes) => {
    await next(moves, changes)
    // Entries that step back for a change of an account only are posted again at once.
    const restated = isSettling(moves.env) ? [] : idsWhere(changes, (vals) => 'state' in vals)
    if (restated.length) await followBills(moves.browse(restated))
  },
})
