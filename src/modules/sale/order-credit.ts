// Warns on quotations that would exceed the credit limit of their customer; the user who confirms
// decides.
import { computedTogether } from '#models'
import { creditWarnings } from '../account/index.ts'
import { order } from './order.contract.ts'

export const creditWarning = computedTogether(
  order,
  ['state', 'partner_id', 'company_id', 'amount_total', 'currency_rate'],
  async (orders, env) => {
    const open = orders.filter((order) => order.state === 'draft' || order.state === 'sent')
    const warnings = await creditWarnings(
      env,
      open.map((row) => ({
        id: row.id,
        partner: row.partner_id.id,
        company: row.company_id.id,
        amount: row.amount_total / (row.currency_rate || 1),
      })),
    )
    return new Map(orders.map(({ id }) => [id, warnings.get(id) ?? '']))
  },
)
