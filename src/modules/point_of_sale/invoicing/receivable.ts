// Accounts that customers owe on.
import type { Environment } from '#models'

/** The receivable account of each contact in the current company. */
export async function receivablesOf(
  env: Environment,
  partners: readonly number[],
): Promise<Map<number, number>> {
  if (partners.length === 0) return new Map()
  const rows = await env
    .sudo()
    .model('res.partner')
    .browse([...new Set(partners)])
    .load(['property_account_receivable_id'])
  return new Map(
    rows.flatMap((row) =>
      row.property_account_receivable_id ? [[row.id, row.property_account_receivable_id.id] as const] : [],
    ),
  )
}
