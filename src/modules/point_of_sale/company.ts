// Companies (res.company): when tills move stock.
import { extend, implement, type Of, selection } from '#models'

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
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

export default implement(company)
