// Variants (product.product): how often each was bought.
import { computedTogether, extend, float, implement, type Of } from '#models'
import { boughtOf } from './product.ts'

const variant = extend('product.product', {
  fields: {
    purchased_product_qty: float({
      label: 'Purchased',
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
    purchased_product_qty: computedTogether(variant, [], (variants, env) =>
      boughtOf(
        env,
        'variant',
        variants.map(({ id }) => id),
      ),
    ),
  },
})
