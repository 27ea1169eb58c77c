// Settings of purchases: how new products are billed, approval and locking of the current company's orders.
import { extend, implement, many2one, monetary, type Of, selection } from '#models'

const settings = extend('res.config.settings', {
  fields: {
    default_purchase_method: selection(
      { purchase: 'Ordered quantities', receive: 'Received quantities' },
      { label: 'Bill Control', setting: { defaultOf: 'product.template' } },
    ),
    po_lock: selection(
      { edit: 'Allow to edit purchase orders', lock: 'Confirmed purchase orders are not editable' },
      { label: 'Purchase Order Modification', related: 'company_id.po_lock', readonly: false },
    ),
    po_double_validation: selection(
      {
        one_step: 'Confirm purchase orders in one step',
        two_step: 'Get 2 levels of approvals to confirm a purchase order',
      },
      { label: 'Levels of Approvals', related: 'company_id.po_double_validation', readonly: false },
    ),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    po_double_validation_amount: monetary({
      label: 'Minimum Amount',
      currency: 'company_currency_id',
      related: 'company_id.po_double_validation_amount',
      readonly: false,
    }),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings)
