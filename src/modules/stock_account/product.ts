// Variants (product.product): what all goods that are there are worth, now or at a date, what one of them
// costs, and what becomes of a cost that somebody sets.
import { computedFields, extend, idsWhere, implement, many2one, monetary, type Of } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { isCostUpdate } from './cost-updates.ts'
import { worthOf } from './current-values.ts'
import { currentCosts, revalue } from './revaluing.ts'
import { valuationAccounts } from './valuation-accounts.ts'

const product = extend('product.product', {
  fields: {
    company_currency_id: many2one('res.currency', { label: 'Valuation Currency', computed: true }),
    total_value: monetary({
      label: 'Total Value',
      currency: 'company_currency_id',
      computed: true,
      groups: 'base.group_user',
      help: 'Value of the goods on hand in the company; at the date of the context, if it has one (to_date).',
    }),
    avg_cost: monetary({
      label: 'Average Cost',
      currency: 'company_currency_id',
      computed: true,
      groups: 'base.group_user',
    }),
  },
})

declare module '#models' {
  interface ProductProduct extends Of<typeof product> {}
}

export default implement(product, {
  computed: computedFields(
    product,
    ['company_currency_id', 'total_value', 'avg_cost'],
    ['standard_price'],
    async (products, env) => {
      const ids = products.map(({ id }) => id)
      const worths = await worthOf(env, ids)
      const { currency_id: currency } = await env
        .sudo()
        .model('res.company')
        .browse([env.companyId])
        .one(['currency_id.rounding'])
      return new Map(
        products.map(({ id }) => {
          const worth = worths.get(id) ?? { quantity: 0, value: 0 }
          const total_value = roundHalfUp(worth.value, currency.rounding)
          // Where nothing is there, nothing costs anything on average (recorded).
          const avg_cost =
            worth.quantity === 0 ? 0 : roundHalfUp(total_value / worth.quantity, currency.rounding)
          return [id, { company_currency_id: currency.id, total_value, avg_cost }]
        }),
      )
    },
    { context: ['to_date', 'allowed_company_ids'] },
  ),
  wrap: {
    bill_accounts: (next) => async (products, params) =>
      new Map([
        ...((await next(products, params)) as ReadonlyMap<number, number>),
        ...(await valuationAccounts(products)),
      ]),
  },
  wrapWrite: (next) => async (products, changes) => {
    const { env } = products
    const repriced = isCostUpdate(env) ? [] : idsWhere(changes, (vals) => 'standard_price' in vals)
    if (repriced.length === 0) return next(products, changes)
    const before = await currentCosts(env, repriced)
    await next(products, changes)
    await revalue(env, before)
  },
})
