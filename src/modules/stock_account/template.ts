// Products (product.template): how their goods are valued, as their category says.
import { boolean, computed, extend, implement, many2one, type Of, selection } from '#models'
import { recordText } from '../account/index.ts'
import { methods, valuations } from './category.ts'

const template = extend('product.template', {
  fields: {
    cost_method: selection(methods, { label: 'Cost Method', computed: true }),
    valuation: selection(valuations, { label: 'Valuation', computed: true }),
    lot_valuated: boolean({
      label: 'Valued by Lot',
      help: 'Each lot or serial number has its own cost, entered by hand. The accounts do not use it.',
    }),
    property_price_difference_account_id: many2one('account.account', {
      label: 'Price Difference Account',
      companyDependent: true,
      help: 'Stored for clients; not used in entries.',
    }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

export default implement(template, {
  wrap: {
    get_product_accounts: (next) => async (templates, params) => {
      const { categ_id: category } = await templates.one([
        'categ_id.property_stock_valuation_account_id',
        'categ_id.property_stock_journal',
      ])
      const { env } = templates.sudo()
      const company = await env
        .model('res.company')
        .browse([env.companyId])
        .one(['account_stock_valuation_id', 'account_stock_journal_id'])
      const account = category?.property_stock_valuation_account_id ?? company.account_stock_valuation_id
      const journal = category?.property_stock_journal ?? company.account_stock_journal_id
      return {
        ...(await next(templates, params)),
        stock_valuation: recordText('account.account', account?.id),
        stock_variation: recordText('account.account', null),
        stock_journal: recordText('account.journal', journal?.id),
      }
    },
  },
  computed: {
    cost_method: computed(
      template,
      ['categ_id.property_cost_method'],
      (template) => template.categ_id?.property_cost_method ?? ('standard' as const),
      {
        context: ['allowed_company_ids'],
      },
    ),
    valuation: computed(
      template,
      ['categ_id.property_valuation'],
      (template) => template.categ_id?.property_valuation ?? ('periodic' as const),
      {
        context: ['allowed_company_ids'],
      },
    ),
  },
})
