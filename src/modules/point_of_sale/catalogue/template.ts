// Products in tills (product.template): which ones a till offers and where; what is offered stays while
// somebody sells.
import { boolean, extend, html, implement, integer, many2many, type Of } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

const template = extend('product.template', {
  fields: {
    available_in_pos: boolean({
      label: 'Available in POS',
      default: false,
      help: 'Available at points of sale.',
    }),
    to_weight: boolean({ label: 'To Weigh With Scale', help: 'Weighed when it is sold.' }),
    pos_categ_ids: many2many('pos.category', {
      label: 'Point of Sale Category',
      relation: {
        table: 'pos_category_product_template_rel',
        column: 'product_template_id',
        other: 'pos_category_id',
      },
    }),
    public_description: html({ label: 'Product Description', translate: true }),
    pos_optional_product_ids: many2many('product.template', {
      label: 'POS Optional Products',
      relation: { table: 'pos_product_optional_rel', column: 'src_id', other: 'dest_id' },
    }),
    pos_sequence: integer({ label: 'POS Sequence', default: 5 }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

const SOLD = 'Products that tills offer cannot be deleted while a session is open: close all sessions first.'

export default implement(template, {
  wrapGeneric: {
    unlink: (next) => async (products, params) => {
      const offered = await products.env.rows(
        sql`SELECT 1 FROM product_template t WHERE t.id = ANY(${idList(products.ids)})
        AND t.available_in_pos AND EXISTS (SELECT FROM pos_session WHERE state <> 'closed') LIMIT 1`,
        { reads: ['product.template', 'pos.session'], row: ['int'] },
      )
      if (offered.length) throw new UserError(SOLD)
      return next(products, params)
    },
  },
})
