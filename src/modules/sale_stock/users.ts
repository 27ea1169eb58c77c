// Users (res.users): the warehouse that their orders are delivered from.
import { extend, implement, many2one, type Of } from '#models'

const user = extend('res.users', {
  fields: {
    property_warehouse_id: many2one('stock.warehouse', {
      label: 'Default Warehouse',
      companyDependent: true,
      help: 'Kept for salespeople; orders name their warehouse themselves.',
    }),
  },
})

declare module '#models' {
  interface User extends Of<typeof user> {}
}

export default implement(user)
