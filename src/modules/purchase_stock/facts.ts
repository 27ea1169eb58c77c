// Facts about receipts that clients read on purchase orders (purchase.order and its lines), and what
// companies say of buying.
import { boolean, char, computed, extend, float, implement, many2one, type Of, writable } from '#models'

const company = extend('res.company', {
  fields: {
    days_to_purchase: float({
      label: 'Days to Purchase',
      help: 'Days that it takes to confirm a purchase order.',
    }),
  },
})

const order = extend('purchase.order', {
  fields: {
    incoterm_location: char({ label: 'Incoterm Location' }),
    is_shipped: boolean({ label: 'Is Shipped', computed: true, help: 'Every receipt is done or cancelled.' }),
  },
})

const line = extend('purchase.order.line', {
  fields: {
    is_storable: boolean({ label: 'Track Inventory', related: 'product_id.is_storable' }),
    product_description_variants: char({ label: 'Custom Description' }),
    location_final_id: many2one('stock.location', {
      label: 'Location from procurement',
      ondelete: 'set null',
      help: 'Where the goods are needed.',
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
  interface PurchaseOrder extends Of<typeof order> {}
  interface PurchaseOrderLine extends Of<typeof line> {}
}

export const buyingCompany = implement(company)
export const shippedOrder = implement(order, {
  writable: writable<'purchase.order'>({ later: { purchase: ['incoterm_location'] } }),
  computed: {
    is_shipped: computed(
      order,
      ['picking_ids.state'],
      ({ picking_ids: pickings }) =>
        pickings.length > 0 && pickings.every(({ state }) => state === 'done' || state === 'cancel'),
    ),
  },
})
export const storedLine = implement(line)
