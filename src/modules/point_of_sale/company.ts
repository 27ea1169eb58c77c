// Companies (res.company): when tills move stock.
import { boolean, extend, implement, type Of, selection } from '#models'

const company = extend('res.company', {
  fields: {
    point_of_sale_update_stock_quantities: selection(
      { closing: 'At the session closing', real: 'In real time' },
      {
        label: 'Update quantities in stock',
        default: 'real',
        help: 'When goods that are sold leave the stock.',
      },
    ),
    point_of_sale_use_ticket_qr_code: boolean({ label: 'Self-service invoicing', default: true }),
    point_of_sale_ticket_unique_code: boolean({ label: 'Generate a code on ticket' }),
    point_of_sale_ticket_portal_url_display_mode: selection(
      { qr_code: 'QR code', url: 'URL', qr_code_and_url: 'QR code + URL' },
      { label: 'Print', required: true, default: 'qr_code_and_url' },
    ),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

export default implement(company)
