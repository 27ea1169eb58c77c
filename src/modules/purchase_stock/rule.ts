// Rules (stock.rule) that buy what is needed.
import { extend, implement, type Of, selection } from '#models'
import { buyAll } from './buy.ts'

const rule = extend('stock.rule', {
  fields: {
    action: selection({ pull: 'Pull From', push: 'Push To', pull_push: 'Pull & Push', buy: 'Buy' }),
  },
})

declare module '#models' {
  // Its choices are more than those of the field it extends.
  interface StockRule extends Omit<Of<typeof rule>, 'action'> {}
}

export default implement(rule, {
  wrap: {
    carry_out: (next) => async (rules, params) => {
      const bought = params.needs.filter(({ rule: { action } }) => action === 'buy')
      if (bought.length) await buyAll(rules.env, bought)
      return next(rules, {
        ...params,
        needs: params.needs.filter(({ rule: { action } }) => action !== 'buy'),
      })
    },
  },
})
