// Parts of taxes as documents book them, with their tags, for many taxes in one statement.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import type { TaxPart } from './document.ts'

interface LoadedParts {
  readonly name: string
  readonly parts: TaxPart[]
  readonly baseTags: readonly number[]
}

/** Parts of taxes by `tax/kind of document`, with the name of the tax. */
export async function loadParts(
  env: Environment,
  taxes: readonly number[],
): Promise<Map<string, LoadedParts>> {
  const loaded = new Map<string, LoadedParts>()
  if (taxes.length === 0) return loaded
  const rows = await env.rows(
    sql`SELECT p.tax_id, p.document_type, p.id, COALESCE(p.factor_percent, 0)::float8, p.account_id, t.name->>'en_US',
      ARRAY(SELECT r.account_account_tag_id FROM account_account_tag_account_tax_repartition_line_rel r
        WHERE r.account_tax_repartition_line_id = p.id),
      ARRAY(SELECT r.account_account_tag_id FROM account_tax_repartition_line b
        JOIN account_account_tag_account_tax_repartition_line_rel r ON r.account_tax_repartition_line_id = b.id
        WHERE b.tax_id = p.tax_id AND b.document_type = p.document_type AND b.repartition_type = 'base')
    FROM account_tax_repartition_line p JOIN account_tax t ON t.id = p.tax_id
    WHERE p.tax_id = ANY(${idList([...taxes])}) AND p.repartition_type = 'tax' ORDER BY p.sequence, p.id`,
    {
      reads: ['account.tax.repartition.line', 'account.tax'],
      row: ['int', 'text', 'int', 'float', 'int?', 'text', 'ints', 'ints'],
    },
  )
  for (const [tax, kind, id, factor_percent, account, name, tags, baseTags] of rows) {
    const key = `${tax}/${kind}`
    const ofTax = loaded.get(key) ?? { name, parts: [], baseTags }
    ofTax.parts.push({ id, factor_percent, account, tags })
    loaded.set(key, ofTax)
  }
  return loaded
}
