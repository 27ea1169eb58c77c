// Companies (res.company): whether orders wait for approval, from which total on, and whether confirmed ones
// are locked.
import { extend, implement, monetary, type Of, selection } from '#models'

const company = extend('res.company', {
  fields: {
    po_lock: selection(
      { edit: 'Allow to edit purchase orders', lock: 'Confirmed purchase orders are not editable' },
      {
        label: 'Purchase Order Modification',
        default: 'edit',
        help: 'Whether confirmed orders are locked at once.',
      },
    ),
    po_double_validation: selection(
      {
        one_step: 'Confirm purchase orders in one step',
        two_step: 'Get 2 levels of approvals to confirm a purchase order',
      },
      {
        label: 'Levels of Approvals',
        default: 'one_step',
        help: 'Whether orders need the approval of a manager.',
      },
    ),
    po_double_validation_amount: monetary({
      label: 'Double validation amount',
      default: 5000,
      help: 'Orders below this total need no second approval.',
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

export default implement(company)
