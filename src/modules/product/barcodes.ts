// Barcodes: one names one active product or one packaging, within a company and what all companies share
// (spec/business-models.md section 2).
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'
import { claimBarcodes } from './barcode-claims.ts'

/**
 * Of these barcodes, those that name more than one thing; the empty text names nothing. A product of no
 * company, and a packaging of none, are everybody's.
 */
export async function ambiguous(
  env: Environment,
  barcodes: readonly (string | null)[],
): Promise<Set<string>> {
  const wanted = [...new Set(barcodes.filter((code): code is string => Boolean(code)))]
  if (wanted.length === 0) return new Set()
  await claimBarcodes(env, wanted)
  const rows = await env.rows(
    sql`WITH bearer AS (
      SELECT 'p' || p.id AS who, p.barcode, t.company_id FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id
        WHERE p.active AND p.barcode = ANY(${wanted}::text[])
      UNION ALL SELECT 'u' || u.id, u.barcode, u.company_id FROM product_uom u WHERE u.barcode = ANY(${wanted}::text[]))
    SELECT DISTINCT a.barcode FROM bearer a JOIN bearer b ON b.barcode = a.barcode AND b.who <> a.who
    WHERE a.company_id IS NULL OR b.company_id IS NULL OR a.company_id = b.company_id`,
    { reads: ['product.product', 'product.template', 'product.uom'], row: ['text'] },
  )
  return new Set(rows.map((row) => row[0]))
}
