// Settings of stock: features that are on for all internal users.
import { boolean, extend, implement, type Of } from '#models'

const feature = (label: string, group: string) => boolean({ label, setting: { group: `stock.${group}` } })

const settings = extend('res.config.settings', {
  fields: {
    group_stock_multi_locations: feature('Storage Locations', 'group_stock_multi_locations'),
    group_stock_multi_warehouses: feature('Multi-Warehouses', 'group_stock_multi_warehouses'),
    group_stock_adv_location: feature('Multi-Step Routes', 'group_adv_location'),
    group_stock_production_lot: feature('Lots & Serial Numbers', 'group_production_lot'),
    group_stock_tracking_lot: feature('Packages', 'group_tracking_lot'),
    group_stock_tracking_owner: feature('Consignment', 'group_tracking_owner'),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings)
