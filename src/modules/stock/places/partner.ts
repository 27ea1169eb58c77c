// Contacts (res.partner): where goods for them go, and where their goods come from.
import { extend, implement, many2one, type Of, text } from '#models'

const partner = extend('res.partner', {
  fields: {
    property_stock_customer: many2one('stock.location', {
      label: 'Customer Location',
      companyDependent: true,
      help: 'Goods that are sold to the contact go there.',
    }),
    property_stock_supplier: many2one('stock.location', {
      label: 'Vendor Location',
      companyDependent: true,
      help: 'Source location of products that are bought from the contact.',
    }),
    picking_warn_msg: text({
      label: 'Message for Transfers',
      groups: 'base.group_user',
      help: 'Shown to users who create a transfer for the contact.',
    }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

export default implement(partner)
