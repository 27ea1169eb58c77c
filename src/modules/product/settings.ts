// Settings of products: features that are on for all internal users, units of weights and volumes. Switching
// pricelists off archives every list.
import { boolean, extend, implement, type Of, selection } from '#models'
import { featureIsOn } from '../base/index.ts'
import { VOLUME_IN_CUBIC_FEET, WEIGHT_IN_POUNDS } from './measures.ts'
import { PRICELISTS, provideLists } from './pricelist-choice.ts'

const settings = extend('res.config.settings', {
  fields: {
    group_uom: boolean({ label: 'Units of Measure & Packagings', setting: { group: 'uom.group_uom' } }),
    group_product_variant: boolean({
      label: 'Variants',
      setting: { group: 'product.group_product_variant' },
    }),
    group_product_pricelist: boolean({ label: 'Pricelists', setting: { group: PRICELISTS } }),
    product_weight_in_lbs: selection(
      { 0: 'Kilograms', 1: 'Pounds' },
      { label: 'Weight unit of measure', default: '0', setting: { parameter: WEIGHT_IN_POUNDS } },
    ),
    product_volume_volume_in_cubic_feet: selection(
      { 0: 'Cubic Meters', 1: 'Cubic Feet' },
      { label: 'Volume unit of measure', default: '0', setting: { parameter: VOLUME_IN_CUBIC_FEET } },
    ),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings, {
  wrap: {
    set_values: (next) => async (form, params) => {
      const was = await featureIsOn(form.env, PRICELISTS)
      const done = await next(form, params)
      const { group_product_pricelist: on } = await form.one(['group_product_pricelist'])
      if (on && !was) await provideLists(form.env)
      if (!on)
        await (
          await form.env
            .sudo()
            .model('product.pricelist')
            .search([['active', '=', true]])
        ).write({ active: false })
      return done
    },
  },
})
