// Products (product.template): optional products offered with them, and warnings for salespeople.
import {
  boolean,
  char,
  computed,
  computedTogether,
  extend,
  implement,
  many2many,
  type Of,
  selection,
} from '#models'

const template = extend('product.template', {
  fields: {
    optional_product_ids: many2many('product.template', {
      label: 'Optional Products',
      help: 'Offered whenever the product is put on a quotation.',
      relation: { table: 'product_optional_rel', column: 'src_id', other: 'dest_id' },
    }),
    visible_expense_policy: boolean({
      label: 'Re-Invoicing Is Shown',
      computed: true,
      help: 'Costs of the product may be charged to customers: it is bought, and costs are kept by project.',
    }),
    product_tooltip: char({ label: 'Hint', computed: true, help: 'When the product is invoiced, in words.' }),
  },
})
const document = extend('product.document', {
  fields: {
    attached_on_sale: selection(
      { hidden: 'Hidden', quotation: 'On quotations', sale_order: 'On confirmed orders' },
      { label: 'Sales Visibility', required: true, default: 'hidden' },
    ),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductDocument extends Of<typeof document> {}
}

/** Services are invoiced when somebody says so: the hint says when. */
const hints = {
  order: 'Invoice ordered quantities as soon as this service is sold.',
  delivery: 'Invoice what was done of this service, as it is typed on the order.',
} as const

export const productOffer = [
  implement(document),
  implement(template, {
    computed: {
      visible_expense_policy: computedTogether(
        template,
        ['purchase_ok'],
        (templates, env) =>
          new Map(
            templates.map((template) => [
              template.id,
              template.purchase_ok && env.hasGroup('analytic.group_analytic_accounting'),
            ]),
          ),
      ),
      product_tooltip: computed(template, ['type', 'invoice_policy'], (template) =>
        template.type === 'service' ? hints[template.invoice_policy ?? 'order'] : '',
      ),
    },
    wrap: {
      get_single_product_variant: (next) => async (templates, params) => {
        const variant = await next(templates, params)
        if (!('product_id' in variant)) return variant
        const { optional_product_ids: offered } = await templates.one(['optional_product_ids'])
        return { ...variant, has_optional_products: offered.length > 0 }
      },
    },
  }),
] as const
