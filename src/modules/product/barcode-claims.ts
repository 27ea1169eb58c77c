// Claims on barcodes (product.barcode.claim): a row for each barcode ever set, which setting it again
// updates.
import { char, type Environment, implement, model, type Of } from '#models'
import { sql } from '../../sql/index.ts'

const claim = model('product.barcode.claim', {
  label: 'Barcode claims',
  recName: 'barcode',
  logAccess: false,
  rules: {
    barcode_uniq: {
      unique: ['barcode'],
      message: 'Another transaction is assigning this barcode. Please try again.',
    },
  },
  fields: { barcode: char({ label: 'Barcode', required: true }) },
})

declare module '#models' {
  interface Models {
    'product.barcode.claim': ProductBarcodeClaim
  }
  interface ProductBarcodeClaim extends Of<typeof claim> {}
}

/**
 * Updates the rows of barcodes. Of two calls that set the same barcode at the same time, one conflicts
 * here, is repeated, and then sees the other's change: no index can keep barcodes of products and
 * packagings distinct by company. The rows have no other use.
 */
export async function claimBarcodes(env: Environment, barcodes: readonly string[]): Promise<void> {
  await env.execute(sql`INSERT INTO product_barcode_claim (barcode) SELECT code FROM unnest(${[...barcodes]}::text[]) AS x(code) ORDER BY code
    ON CONFLICT (barcode) DO UPDATE SET barcode = EXCLUDED.barcode`)
}

export default implement(claim)
