// Routes (stock.route): those that lines of sales orders may choose.
import { boolean, extend, implement, type Of } from '#models'

const route = extend('stock.route', {
  fields: { sale_selectable: boolean({ label: 'Selectable on Sales Order Line' }) },
})

declare module '#models' {
  interface StockRoute extends Of<typeof route> {}
}

export default implement(route)
