// Purchase orders (purchase.order): where the goods arrive, their receipts, and how much of them came.
import { datetime, extend, integer, many2many, many2one, type Of, selection } from '#models'
import { actionMethod } from '../base/index.ts'

export const order = extend('purchase.order', {
  fields: {
    picking_type_id: many2one('stock.picking.type', {
      label: 'Deliver To',
      required: true,
      mustSend: false,
      checkCompany: true,
      computed: true,
      stored: true,
      precompute: true,
      help: 'Operation type of the receipt, which sets its destination.',
    }),
    picking_ids: many2many('stock.picking', { label: 'Receptions', asStored: true, computed: true }),
    incoming_picking_count: integer({ label: 'Incoming Shipment count', computed: true }),
    receipt_status: selection(
      { pending: 'Not Received', partial: 'Partially Received', full: 'Fully Received' },
      { label: 'Receipt Status', computed: true, stored: true, index: true },
    ),
    effective_date: datetime({
      label: 'Arrival',
      computed: true,
      stored: true,
      copy: false,
      help: 'When the first receipt was done.',
    }),
  },
  methods: {
    action_view_picking: actionMethod('The action that shows the receipts of orders.'),
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
}
