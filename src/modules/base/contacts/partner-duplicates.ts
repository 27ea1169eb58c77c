// Contacts with the same number: of tax, of the register of companies, of a barcode.
import { computedTogether, type Environment } from '#models'
import { partner } from './partner.contract.ts'

interface Owner {
  readonly id: number
  readonly number: string | null
  readonly family: number | undefined
}

/**
 * For each contact another family's contact with the same number that the caller may read, in one query;
 * people below a company are not looked at.
 */
async function twins(
  env: Environment,
  field: 'vat' | 'company_registry',
  owners: readonly Owner[],
): Promise<Map<number, number | null>> {
  const numbers = [...new Set(owners.flatMap((owner) => owner.number || []))]
  if (numbers.length === 0) return new Map(owners.map(({ id }) => [id, null]))
  const everyone = env.withContext({ active_test: false }).model('res.partner')
  const candidates = await everyone.search(
    [
      [field, 'in', numbers],
      ['parent_id', '=', false],
    ],
    { order: 'id' },
  )
  const others = await candidates.load([field, 'commercial_partner_id'])
  return new Map(
    owners.map(({ id, number, family }) => {
      const twin =
        number &&
        others.find((p) => p[field] === number && p.id !== id && p.commercial_partner_id?.id !== family)
      return [id, twin ? twin.id : null]
    }),
  )
}

export const sameVat = computedTogether(partner, ['vat', 'commercial_partner_id'], (partners, env) =>
  twins(
    env,
    'vat',
    partners.map((p) => ({ id: p.id, number: p.vat, family: p.commercial_partner_id?.id })),
  ),
)

export const sameRegistry = computedTogether(
  partner,
  ['company_registry', 'commercial_partner_id'],
  (partners, env) =>
    twins(
      env,
      'company_registry',
      partners.map((p) => ({ id: p.id, number: p.company_registry, family: p.commercial_partner_id?.id })),
    ),
)

/** That no other contact has the barcode in the current company. */
export const barcodeIsOwn = computedTogether(partner, ['barcode'], (partners, env) => {
  const codes = partners.flatMap((p) => p.barcode || [])
  return codes.length ? areOwn(partners, codes, env) : new Map<number, boolean>()
})

async function areOwn(
  partners: readonly { readonly id: number; readonly barcode?: string | null }[],
  codes: readonly string[],
  env: Environment,
): Promise<Map<number, boolean>> {
  const withBarcode = await env
    .sudo()
    .withContext({ active_test: false })
    .model('res.partner')
    .search([['barcode', 'in', codes]])
  const bearers = new Map<string | null, number>()
  for (const { barcode } of await withBarcode.load(['barcode']))
    bearers.set(barcode, (bearers.get(barcode) ?? 0) + 1)
  return new Map(partners.map((p) => [p.id, !p.barcode || (bearers.get(p.barcode) ?? 0) <= 1]))
}
