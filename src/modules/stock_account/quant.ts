// Value of the quantities in places (stock.quant).
import { computedTogether, date, extend, implement, many2one, monetary, type Of, selection } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { methods } from './category.ts'
import { worthOf } from './current-values.ts'

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
          (quant) =>
            quant.company_id &&
            !quant.owner_id &&
            ['internal', 'transit'].includes(quant.location_id.usage ?? ''),
        )
        for (const [company, group] of Map.groupBy(ownQuants, (quant) => quant.company_id?.id ?? 0)) {
          const worths = await worthOf(env.sudo().withCompany(company), [
            ...new Set(group.map((member) => member.product_id.id)),
          ])
          for (const member of group) {
            const all = worths.get(member.product_id.id)
            const value = all && all.quantity !== 0 ? (all.value / all.quantity) * member.quantity : 0
            values.set(member.id, roundHalfUp(value, member.company_id?.currency_id.rounding ?? 0.01))
          }
        }
        return values
      },
    ),
  },
})
