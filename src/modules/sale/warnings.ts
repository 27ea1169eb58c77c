// Warnings for those who sell (sale.order, account.move): what is noted of the customer and of the products.
import { computed, extend, implement, type Of, text } from '#models'
import { warningText } from '../account/index.ts'

const move = extend('account.move', {
  fields: {
    sale_warning_text: text({
      label: 'Sale Warning',
      computed: true,
      groups: 'base.group_user',
      help: 'Notes about the customer and the products, in documents of customers.',
    }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

export const warnedMove = implement(move, {
  computed: {
    sale_warning_text: computed(
      move,
      [
        'move_type',
        'partner_id.name',
        'partner_id.sale_warn_msg',
        'invoice_line_ids.product_id.display_name',
        'invoice_line_ids.product_id.product_tmpl_id.sale_line_warn_msg',
      ],
      ({ move_type: kind, partner_id: partner, invoice_line_ids: items }) =>
        kind.startsWith('out_')
          ? warningText([
              { name: partner?.name ?? null, note: partner?.sale_warn_msg ?? null },
              ...items.map(({ product_id: product }) => ({
                name: product?.display_name ?? null,
                note: product?.product_tmpl_id.sale_line_warn_msg ?? null,
              })),
            ])
          : '',
    ),
  },
})
