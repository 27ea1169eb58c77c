// Warns on quotations that would exceed the credit limit of their customer; the user who confirms
// decides.
import { computedTogether } from '#models'
import { creditWarnings } from '../account/index.ts'
import { order } from './order.contract.ts'

export const creditWarning = computedTogether(
  order,
  ['state', 'partner_id', 'company_id', 'amount_total', 'currency_rate'],
  async (orders, env) => {
    const open = orders.filter((one) => one.state === 'draft' || one.state === 'sent')
    const warnings = await creditWarnings(
      env,
      open.map((one) => ({
        id: one.id,
        partner: one.partner_id.id,
        company: one.company_id.id,
        amount: one.amount_total / (one.currency_rate || 1),
      })),
    )
    return new Map(orders.map(({ id }) => [id, warnings.get(id) ?? '']))
  },
)
