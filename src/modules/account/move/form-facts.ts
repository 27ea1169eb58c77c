// Facts about entries by which forms show or hide parts (account.move).
import { boolean, char, computed, extend, implement, type Of, selection } from '#models'
import { isPurchase, isSale } from './kinds.ts'

const shows = (label: string) => boolean({ label, computed: true })

const move = extend('account.move', {
  fields: {
    tax_calculation_rounding_method: selection(
      { round_per_line: 'Round per Line', round_globally: 'Round Globally' },
      {
        label: 'Tax calculation rounding method',
        related: 'company_id.tax_calculation_rounding_method',
      },
    ),
    invoice_filter_type_domain: char({ label: 'Invoice Filter Type Domain', computed: true }),
    display_inactive_currency_warning: shows('Display Inactive Currency Warning'),
    display_qr_code: shows('Display QR-code'),
    is_draft_duplicated_ref_ids: shows('Is Draft Duplicated Ref'),
    show_delivery_date: shows('Show Delivery Date'),
    show_payment_term_details: shows('Show Payment Term Details'),
    show_discount_details: shows('Show Discount Details'),
    quick_edit_mode: shows('Quick Edit Mode'),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

export default implement(move, {
  computed: {
    invoice_filter_type_domain: computed(move, ['move_type'], (move) =>
      isSale(move.move_type) ? 'sale' : isPurchase(move.move_type) ? 'purchase' : null,
    ),
    display_inactive_currency_warning: computed(
      move,
      ['state', 'currency_id.active'],
      (move) => move.state === 'draft' && !move.currency_id.active,
    ),
    display_qr_code: computed(
      move,
      ['move_type', 'company_id.qr_code'],
      (move) => isSale(move.move_type) && Boolean(move.company_id?.qr_code),
    ),
    is_draft_duplicated_ref_ids: computed(move, ['duplicated_ref_ids.state'], (move) =>
      move.duplicated_ref_ids.some((other) => other.state === 'draft'),
    ),
    show_delivery_date: computed(
      move,
      ['move_type', 'delivery_date'],
      (move) => isSale(move.move_type) && move.delivery_date !== null,
    ),
    show_payment_term_details: computed(move, ['payment_term_details'], (move) =>
      Boolean(move.payment_term_details),
    ),
    show_discount_details: computed(
      move,
      ['move_type', 'invoice_payment_term_id.early_discount'],
      (move) => move.move_type !== 'entry' && Boolean(move.invoice_payment_term_id?.early_discount),
    ),
    quick_edit_mode: computed(move, ['state', 'move_type', 'company_id.quick_edit_mode'], (move) => {
      const mode = move.company_id?.quick_edit_mode ?? ''
      const side = isSale(move.move_type) ? 'out' : isPurchase(move.move_type) ? 'in' : null
      return move.state === 'draft' && side !== null && mode.split('_').includes(side)
    }),
  },
})
