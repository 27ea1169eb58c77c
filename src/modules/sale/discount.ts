// The discount form (sale.order.discount): off every line, a share of the order, or a sum, as lines of the
// order. The lines: discount-lines.ts.

import {
  computed,
  float,
  implement,
  many2many,
  many2one,
  monetary,
  type Of,
  selection,
  transient,
} from '#models'
import { isInteger } from '../../kit/present.ts'
import { addDiscountLines } from './discount-lines.ts'
import { assertUnlocked } from './order-states.ts'

const discount = transient('sale.order.discount', {
  label: 'Discount Wizard',
  formsBySaving: true,
  fields: {
    sale_order_id: many2one('sale.order', {
      label: 'Sales Order',
      required: true,
      mustSend: true,
      ondelete: 'cascade',
    }),
    company_id: many2one('res.company', { label: 'Company', related: 'sale_order_id.company_id' }),
    currency_id: many2one('res.currency', { label: 'Currency', related: 'sale_order_id.currency_id' }),
    discount_type: selection(
      { sol_discount: 'On All Order Lines', so_discount: 'Global Discount', amount: 'Fixed Amount' },
      { label: 'Discount Type', default: 'sol_discount' },
    ),
    discount_percentage: float({ label: 'Percentage', help: '0.1 is ten percent.' }),
    discount_amount: monetary({ label: 'Amount', help: 'Taken off the total, taxes included.' }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      help: 'Not needed: a discount has the taxes of what it is on.',
    }),
  },
  methods: { action_apply_discount: { doc: 'Applies the discount to the order.', params: {} } },
})

declare module '#models' {
  interface Models {
    'sale.order.discount': SaleOrderDiscount
  }
  interface SaleOrderDiscount extends Of<typeof discount> {}
}

export default implement(discount, {
  defaults: {
    sale_order_id: ({ context: { active_id: id } }) => (isInteger(id) ? id : null),
  },
  checks: {
    'A discount cannot be more than 100 %.': computed(
      discount,
      ['discount_type', 'discount_percentage'],
      (discount) => discount.discount_type === 'amount' || discount.discount_percentage <= 1,
    ),
  },
  methods: {
    action_apply_discount: async (wizards) => {
      wizards.ensureOne()
      const form = await wizards.one([
        'sale_order_id',
        'discount_type',
        'discount_percentage',
        'discount_amount',
      ])
      const order = wizards.env.model('sale.order').browse([form.sale_order_id.id])
      // Hidden orders are refused here, whatever comes after.
      await assertUnlocked(order)
      if (form.discount_type === 'sol_discount') {
        const lines = await wizards.env.model('sale.order.line').search([
          ['order_id', '=', form.sale_order_id.id],
          ['is_downpayment', '=', false],
        ])
        if (lines.length) await lines.write({ discount: form.discount_percentage * 100 })
      } else if (form.discount_type === 'so_discount')
        await addDiscountLines(order, { share: form.discount_percentage })
      else await addDiscountLines(order, { sum: form.discount_amount })
      return null
    },
  },
})
