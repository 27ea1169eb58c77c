// Value of the quantities in places (stock.quant).
import { computedTogether, date, extend, implement, many2one, monetary, type Of, selection } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { methods } from './category.ts'
import { worthOf } from './worth.ts'

const quant = extend('stock.quant', {
  fields: {
    currency_id: many2one('res.currency', { label: 'Currency', related: 'company_id.currency_id' }),
    cost_method: selection(methods, { label: 'Cost Method', related: 'product_tmpl_id.cost_method' }),
    accounting_date: date({
      label: 'Accounting Date',
      copy: false,
      help: 'Kept for clients: a count is booked on the day that it is applied.',
    }),
    value: monetary({ label: 'Value', computed: true, groups: 'stock.group_stock_manager' }),
  },
})

declare module '#models' {
  interface StockQuant extends Of<typeof quant> {}
}

export default implement(quant, {
  computed: {
    value: computedTogether(
      quant,
      ['product_id', 'quantity', 'company_id.currency_id.rounding', 'owner_id', 'location_id.usage'],
      async (quants, env) => {
        const values = new Map(quants.map(({ id }) => [id, 0]))
        const ownQuants = quants.filter(
          (one) =>
            one.company_id && !one.owner_id && ['internal', 'transit'].includes(one.location_id.usage ?? ''),
        )
        for (const [company, group] of Map.groupBy(ownQuants, (one) => one.company_id?.id ?? 0)) {
          const worths = await worthOf(env.sudo().withCompany(company), [
            ...new Set(group.map((one) => one.product_id.id)),
          ])
          for (const one of group) {
            const all = worths.get(one.product_id.id)
            const value = all && all.quantity !== 0 ? (all.value / all.quantity) * one.quantity : 0
            values.set(one.id, roundHalfUp(value, one.company_id?.currency_id.rounding ?? 0.01))
          }
        }
        return values
      },
    ),
  },
})
