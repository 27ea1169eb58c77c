// Exclusions (product.template.attribute.exclusion): values of one product that never come together in a
// variant.
import { implement, many2many, many2one, model, type Of, type Records } from '#models'
import { settleVariants } from './variants/settle.ts'

const exclusion = model('product.template.attribute.exclusion', {
  label: 'Product Template Attribute Exclusion',
  order: 'product_tmpl_id, id',
  recName: 'product_tmpl_id',
  fields: {
    product_template_attribute_value_id: many2one('product.template.attribute.value', {
      label: 'Attribute Value',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    value_ids: many2many('product.template.attribute.value', {
      label: 'Attribute Values',
      relation: {
        table: 'product_attr_exclusion_value_ids_rel',
        column: 'product_template_attribute_exclusion_id',
        other: 'product_template_attribute_value_id',
      },
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.template.attribute.exclusion': ProductTemplateAttributeExclusion
  }
  interface ProductTemplateAttributeExclusion extends Of<typeof exclusion> {}
}

/** Products whose variants an exclusion has a say in. */
async function templatesOf(exclusions: Records<'product.template.attribute.exclusion'>): Promise<number[]> {
  const rows = await exclusions.load([
    'product_tmpl_id',
    'product_template_attribute_value_id.product_tmpl_id',
  ])
  return [
    ...new Set(
      rows.flatMap((row) =>
        [row.product_tmpl_id.id, row.product_template_attribute_value_id.product_tmpl_id?.id ?? []].flat(),
      ),
    ),
  ]
}

export default implement(exclusion, {
  wrapWrite: (next) => async (exclusions, changes) => {
    const before = await templatesOf(exclusions)
    await next(exclusions, changes)
    await settleVariants(exclusions.env, [...new Set([...before, ...(await templatesOf(exclusions))])])
  },
  wrapGeneric: {
    create: (next) => async (exclusions, params) => {
      const createdExclusions = (await next(exclusions, params)) as typeof exclusions
      await settleVariants(createdExclusions.env, await templatesOf(createdExclusions))
      return createdExclusions
    },
    unlink: (next) => async (exclusions, params) => {
      const before = await templatesOf(exclusions)
      const done = await next(exclusions, params)
      await settleVariants(exclusions.env, before)
      return done
    },
  },
})
