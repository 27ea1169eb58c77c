// Variants (product.product): how often each was sold.
import { computedTogether, extend, float, implement, type Of } from '#models'
import { soldOf } from './product.ts'

const variant = extend('product.product', {
  fields: {
    sales_count: float({
      label: 'Sold',
      precision: 'Product Unit',
      computed: true,
      help: 'Quantity on confirmed orders of the last year.',
    }),
  },
})

declare module '#models' {
  interface ProductProduct extends Of<typeof variant> {}
}

export default implement(variant, {
  computed: {
    sales_count: computedTogether(variant, [], (variants, env) =>
      soldOf(
        env,
        'variant',
        variants.map(({ id }) => id),
      ),
    ),
  },
})
