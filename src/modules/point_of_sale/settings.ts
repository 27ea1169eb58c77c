// Settings of points of sale: when tills move stock.
import { extend, implement, type Of, selection } from '#models'

const settings = extend('res.config.settings', {
  fields: {
    point_of_sale_update_stock_quantities: selection(
      { closing: 'At the session closing', real: 'In real time' },
      {
        label: 'Update quantities in stock',
        related: 'company_id.point_of_sale_update_stock_quantities',
        readonly: false,
      },
    ),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings)
