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
  for (const [company, group] of Map.groupBy(headers, (one) => one.company)) {
    const companyEnv = env.withCompany(company)
    const partners = await companyEnv
      .model('res.partner')
      .browse([...new Set(group.flatMap((one) => partnerOf(one) ?? []))])
      .load(['property_account_receivable_id', 'property_account_payable_id'])
    const partnerById = new Map(partners.map((one) => [one.id, one]))
    const fieldOf = (one: Header) =>
      isSale(one.move_type) ? 'property_account_receivable_id' : 'property_account_payable_id'
    const lacking = group.some((one) => !partnerById.get(partnerOf(one) ?? 0)?.[fieldOf(one)])
    const fallback = lacking ? await companyAccounts(companyEnv) : new Map<string, number>()
    for (const [position, same] of Map.groupBy(group, (one) => one.position)) {
      const mapped = await mapAccounts(companyEnv, position)
      for (const one of same) {
        const field = fieldOf(one)
        const account = partnerById.get(partnerOf(one) ?? 0)?.[field]?.id ?? fallback.get(field)
        if (account !== undefined) accounts.set(one.id, mapped(account))
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
