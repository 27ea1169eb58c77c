// Settings of products: features that are on for all internal users. Switching pricelists off archives every
// list.
import { boolean, extend, implement, type Of } from '#models'
import { featureIsOn } from '../base/index.ts'
import { PRICELISTS, provideLists } from './pricelist-choice.ts'

const settings = extend('res.config.settings', {
  fields: {
    group_uom: boolean({ label: 'Units of Measure & Packagings', setting: { group: 'uom.group_uom' } }),
    group_product_variant: boolean({
      label: 'Variants',
      setting: { group: 'product.group_product_variant' },
    }),
    group_product_pricelist: boolean({ label: 'Pricelists', setting: { group: PRICELISTS } }),
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
