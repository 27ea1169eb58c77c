// Barcodes of packagings (product.uom): a product in another unit, such as a pack of six, has a barcode of
// its own.
import { char, computedTogether, extend, implement, many2one, model, type Of, one2many } from '#models'
import { ambiguous } from './barcodes.ts'

const packaging = model('product.uom', {
  label: 'Link between products and their UoMs',
  order: 'id',
  recName: 'barcode',
  rules: {
    barcode_uniq: { unique: ['barcode'], message: 'A barcode can only be assigned to one packaging.' },
  },
  fields: {
    uom_id: many2one('uom.uom', { label: 'Unit', required: true, ondelete: 'cascade' }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    barcode: char({ label: 'Barcode', required: true }),
    company_id: many2one('res.company', { label: 'Company' }),
  },
})

const packed = extend('uom.uom', {
  fields: { product_uom_ids: one2many('product.uom', 'uom_id', { label: 'Barcodes' }) },
})

declare module '#models' {
  interface Uom extends Of<typeof packed> {}
  interface Models {
    'product.uom': ProductUom
  }
  interface ProductUom extends Of<typeof packaging> {}
}

export const unit = implement(packed)

export default implement(packaging, {
  defaults: { company_id: (env) => env.companyId },
  checks: {
    'Another product or packaging has this barcode already.': computedTogether(
      packaging,
      ['barcode', 'company_id'],
      async (packagings, env) => {
        const taken = await ambiguous(
          env,
          packagings.map((packaging) => packaging.barcode),
        )
        return new Map(packagings.map((packaging) => [packaging.id, !taken.has(packaging.barcode)]))
      },
    ),
  },
})
