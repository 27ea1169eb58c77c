// Receivable and payable accounts of the partners of entries.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'
import { mapAccounts } from '../fiscal-positions.ts'
import type { Header } from './headers.ts'
import { isSale } from './kinds.ts'

/**
 * Receivable or payable accounts by entry: of the partner in the company, as the fiscal position has them.
 */
export async function partnerAccounts(
  env: Environment,
  headers: readonly Header[],
  partnerOf: (header: Header) => number | null,
): Promise<Map<number, number>> {
  const accounts = new Map<number, number>()
  for (const [company, group] of Map.groupBy(headers, (header) => header.company)) {
    const companyEnv = env.withCompany(company)
    const partners = await companyEnv
      .model('res.partner')
      .browse([...new Set(group.flatMap((member) => partnerOf(member) ?? []))])
      .load(['property_account_receivable_id', 'property_account_payable_id'])
    const partnerById = new Map(partners.map((partner) => [partner.id, partner]))
    const fieldOf = (header: Header) =>
      isSale(header.move_type) ? 'property_account_receivable_id' : 'property_account_payable_id'
    const lacking = group.some((member) => !partnerById.get(partnerOf(member) ?? 0)?.[fieldOf(member)])
    const fallback = lacking ? await companyAccounts(companyEnv) : new Map<string, number>()
    for (const [position, same] of Map.groupBy(group, (member) => member.position)) {
      const mapped = await mapAccounts(companyEnv, position)
      for (const row of same) {
        const field = fieldOf(row)
        const account = partnerById.get(partnerOf(row) ?? 0)?.[field]?.id ?? fallback.get(field)
        if (account !== undefined) accounts.set(row.id, mapped(account))
      }
    }
  }
  return accounts
}

/** Default accounts of the company's contacts. */
async function companyAccounts(env: Environment): Promise<Map<string, number>> {
  const rows = await env.rows(
    sql`SELECT f.name, d.json_value::int FROM ir_default d JOIN ir_model_fields f ON f.id = d.field_id
    WHERE f.model = 'res.partner' AND f.name IN ('property_account_receivable_id', 'property_account_payable_id')
    AND d.user_id IS NULL AND d.company_id = ${env.companyId}::int`,
    { reads: ['ir.default', 'ir.model.fields'], row: ['text', 'int'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}
