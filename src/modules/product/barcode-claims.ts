// Claims on barcodes (product.barcode.claim): a row for each barcode ever given, which whoever gives it again
// has to touch.
import { char, type Environment, implement, model, type Of } from '#models'
import { sql } from '../../sql/index.ts'

const claim = model('product.barcode.claim', {
  label: 'Barcode claims',
  recName: 'barcode',
  logAccess: false,
  rules: {
    barcode_uniq: { unique: ['barcode'], message: 'Somebody else is giving this barcode at the moment.' },
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
 * Touches the rows of barcodes. Of two calls that give the same barcode at the same time, one loses here
 * against the other, is repeated, and then sees what the other did: no index can hold barcodes of products
 * and packagings apart by company. Nobody reads or writes the rows otherwise.
 */
export async function claimBarcodes(env: Environment, barcodes: readonly string[]): Promise<void> {
  await env.execute(sql`INSERT INTO product_barcode_claim (barcode) SELECT code FROM unnest(${[...barcodes]}::text[]) AS x(code) ORDER BY code
    ON CONFLICT (barcode) DO UPDATE SET barcode = EXCLUDED.barcode`)
}

export default implement(claim)
