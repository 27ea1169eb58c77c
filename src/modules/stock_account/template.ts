// Products (product.template): how their goods are valued, as their category says.
import { computed, extend, implement, type Of, selection } from '#models'
import { methods, valuations } from './category.ts'

const template = extend('product.template', {
  fields: {
    cost_method: selection(methods, { label: 'Cost Method', computed: true }),
    valuation: selection(valuations, { label: 'Valuation', computed: true }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

export default implement(template, {
  computed: {
    cost_method: computed(
      template,
      ['categ_id.property_cost_method'],
      (one) => one.categ_id?.property_cost_method ?? ('standard' as const),
      {
        context: ['allowed_company_ids'],
      },
    ),
    valuation: computed(
      template,
      ['categ_id.property_valuation'],
      (one) => one.categ_id?.property_valuation ?? ('periodic' as const),
      {
        context: ['allowed_company_ids'],
      },
    ),
  },
})
