// Items that settle each other completely (account.full.reconcile).
import { implement, model, type Of, one2many } from '#models'

const full = model('account.full.reconcile', {
  label: 'Full Reconcile',
  fields: {
    partial_reconcile_ids: one2many('account.partial.reconcile', 'full_reconcile_id', {
      label: 'Reconciliation Parts',
    }),
    reconciled_line_ids: one2many('account.move.line', 'full_reconcile_id', {
      label: 'Matched Journal Items',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.full.reconcile': FullReconcile
  }
  interface FullReconcile extends Of<typeof full> {}
}

export default implement(full)
