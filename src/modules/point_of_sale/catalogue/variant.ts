// Variants in tills (product.product): what is offered stays while somebody sells.
import { extend, implement } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

const variant = extend('product.product', { fields: {} })

export default implement(variant, {
  wrapGeneric: {
    unlink: (next) => async (products, params) => {
      const offered = await products.env.rows(
        sql`SELECT 1 FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id
        WHERE p.id = ANY(${idList(products.ids)}) AND t.available_in_pos AND EXISTS (SELECT FROM pos_session WHERE state <> 'closed') LIMIT 1`,
        { reads: ['product.product', 'product.template', 'pos.session'], row: ['int'] },
      )
      if (offered.length)
        throw new UserError(
          'Products that tills offer cannot be deleted while a session is open: close all sessions first.',
        )
      return next(products, params)
    },
  },
})
