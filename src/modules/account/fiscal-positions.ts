// Fiscal positions of customers, and how they map taxes and accounts; read as superuser, as documents
// need it.
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'
import { inZipRange } from './zip-range.ts'

/** A customer and the address that goods go to, both ids of contacts. */
export interface Delivered {
  readonly partner: number
  /** The customer when left out. */
  readonly delivery?: number | null
}

interface Conditions {
  readonly id: number
  readonly vat_required: boolean
  readonly country_id: { readonly id: number } | null
  readonly country_group_id: { readonly country_ids: readonly { readonly id: number }[] } | null
  readonly state_ids: readonly { readonly id: number }[]
  readonly zip_from: string | null
  readonly zip_to: string | null
}

interface Address {
  readonly country_id: { readonly id: number } | null
  readonly state_id: { readonly id: number } | null
  readonly zip: string | null
  readonly vat: string | null
}

/**
 * Fiscal positions (or null) in the order of what is asked (spec/business-models.md section 5): the one
 * written on the delivery address, else on the customer; else, when the customer has a country, the first
 * automatic one whose conditions the delivery address meets.
 */
export async function positionsFor(
  env: Environment,
  companyId: number,
  deliveries: readonly Delivered[],
): Promise<(number | null)[]> {
  const companyEnv = env.sudo().withCompany(companyId)
  const ids = [...new Set(deliveries.flatMap(({ partner, delivery }) => [partner, delivery || partner]))]
  if (ids.length === 0) return []
  const contacts = await companyEnv
    .model('res.partner')
    .browse(ids)
    .load(['country_id', 'state_id', 'zip', 'vat', 'property_account_position_id'])
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]))
  let automatic: readonly Conditions[] | null = null
  const positions: (number | null)[] = []
  for (const { partner, delivery } of deliveries) {
    const customer = contactById.get(partner)
    const address = contactById.get(delivery || partner) ?? customer
    const written = address?.property_account_position_id ?? customer?.property_account_position_id
    if (written || !customer?.country_id || !address) {
      positions.push(written?.id ?? null)
      continue
    }
    automatic ??= await automaticPositions(companyEnv, companyId)
    const vat = address.vat ?? customer.vat
    positions.push(automatic.find((position) => meets(position, { ...address, vat }))?.id ?? null)
  }
  return positions
}

async function automaticPositions(env: Environment, companyId: number): Promise<readonly Conditions[]> {
  const { parent_path } = await env.model('res.company').browse([companyId]).one(['parent_path'])
  const positions = await env
    .withContext({ active_test: true })
    .model('account.fiscal.position')
    .search([
      ['auto_apply', '=', true],
      ['company_id', 'in', (parent_path ?? '').split('/').filter(Boolean).map(Number)],
    ])
  return positions.load([
    'vat_required',
    'country_id',
    'country_group_id.country_ids',
    'state_ids',
    'zip_from',
    'zip_to',
  ])
}

/** Whether an address meets all conditions of a position. */
export function meets(position: Conditions, address: Address): boolean {
  const country = address.country_id?.id
  if (position.vat_required && !address.vat) return false
  if (position.country_id && position.country_id.id !== country) return false
  if (
    !position.country_id &&
    position.country_group_id &&
    !position.country_group_id.country_ids.some((record) => record.id === country)
  )
    return false
  if (position.state_ids.length && !position.state_ids.some((state) => state.id === address.state_id?.id))
    return false
  return position.zip_from && position.zip_to
    ? inZipRange(address.zip, position.zip_from, position.zip_to)
    : true
}

/**
 * Gives the taxes that take the place of a set of taxes under a position: none at all when it has none, the
 * same without a position.
 */
export async function mapTaxes(
  env: Environment,
  positionId: number | null,
): Promise<(taxes: readonly number[]) => number[]> {
  if (positionId === null) return (taxes) => [...taxes]
  const rows = await env.rows(
    sql`SELECT t.id, a.src_tax_id FROM account_fiscal_position_account_tax_rel p JOIN account_tax t ON t.id = p.account_tax_id AND t.active
    LEFT JOIN account_tax_alternatives a ON a.dest_tax_id = t.id WHERE p.account_fiscal_position_id = ${positionId}::int ORDER BY t.sequence, t.id`,
    { reads: ['account.tax'], row: ['int', 'int?'] },
  )
  if (rows.length === 0) return () => []
  const instead = new Map<number, number[]>()
  for (const [tax, original] of rows) {
    if (original !== null) instead.set(original, [...(instead.get(original) ?? []), tax])
  }
  return (taxes) => [...new Set(taxes.flatMap((tax) => instead.get(tax) ?? [tax]))]
}

/** Gives the account that takes the place of another under a position. */
export async function mapAccounts(
  env: Environment,
  positionId: number | null,
): Promise<(account: number) => number> {
  if (positionId === null) return (account) => account
  const rows = await env
    .sudo()
    .model('account.fiscal.position.account')
    .search([['position_id', '=', positionId]])
  const instead = new Map(
    (await rows.load(['account_src_id', 'account_dest_id'])).map((m) => [
      m.account_src_id.id,
      m.account_dest_id.id,
    ]),
  )
  return (account) => instead.get(account) ?? account
}
