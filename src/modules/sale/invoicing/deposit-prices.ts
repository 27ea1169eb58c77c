// The price of a deposit on its order: what deposit invoices billed less what was credited. It is set when
// one of its documents is posted, so that the final invoice deducts what customers were really asked for,
// also where the draft was changed (recorded).
import { extend, implement, type Records, type Vals } from '#models'
import { asDecimal } from '../../../kit/rounding.ts'

const move = extend('account.move', { fields: {} })

interface Billed {
  readonly quantity: number
  readonly price_unit: number
  readonly discount: number
  readonly parent_state: string | null
  readonly move_id: { readonly move_type: string }
}

/** Deductions have negative quantities: they do not count. */
function priceOf(billed: readonly Billed[]): number {
  const counted = billed.filter((line) => line.parent_state === 'posted' && line.quantity > 0)
  return asDecimal(
    counted.reduce((sum, row) => {
      const amount = row.price_unit * row.quantity * (1 - row.discount / 100)
      return sum + (row.move_id.move_type.endsWith('refund') ? -amount : amount)
    }, 0),
  )
}

async function updateDepositPrices(moves: Records<'account.move'>): Promise<void> {
  const su = moves.sudo()
  // Posting read these lines: most documents have no deposits, and are done here without a query.
  const items = (await su.load(['line_ids.is_downpayment'])).flatMap(({ line_ids }) => line_ids)
  const ids = items.filter((item) => item.is_downpayment).map(({ id }) => id)
  if (ids.length === 0) return
  const deposits = await su.env.model('sale.order.line').search([
    ['invoice_lines', 'in', ids],
    ['is_downpayment', '=', true],
  ])
  const rows = await deposits.load([
    'price_unit',
    'invoice_lines.quantity',
    'invoice_lines.price_unit',
    'invoice_lines.discount',
    'invoice_lines.parent_state',
    'invoice_lines.move_id.move_type',
  ])
  const changed = rows.flatMap((row): [number, Vals<'sale.order.line'>][] => {
    const price_unit = priceOf(row.invoice_lines)
    return price_unit === asDecimal(row.price_unit) ? [] : [[row.id, { price_unit }]]
  })
  if (changed.length) await deposits.writeEach(new Map(changed))
}

export default implement(move, {
  wrap: {
    action_post: (next) => async (moves, params) => {
      const answer = await next(moves, params)
      await updateDepositPrices(moves)
      return answer
    },
  },
})
