// Holders of accounts: an account whose holder is called like its contact follows when the contact is renamed
// (spec/models-api.md section 6).

import type { Records, WriteChange } from '#models'
import { present } from '../../../kit/present.ts'

/**
 * Before contacts get other names: what is to be written, by id, on those of their accounts, archived ones
 * too, whose holder bears the present name.
 */
export async function renamed(
  partners: Records<'res.partner'>,
  changes: readonly WriteChange[],
): Promise<Map<number, { readonly acc_holder_name: string }>> {
  const names = new Map(
    changes.flatMap(({ ids, vals: { name } }) =>
      typeof name === 'string' ? ids.map((id) => [id, name] as const) : [],
    ),
  )
  if (names.size === 0) return new Map()
  const accounts = await partners.env
    .sudo()
    .withContext({ active_test: false })
    .model('res.partner.bank')
    .search([['partner_id', 'in', [...names.keys()]]])
  const rows = await accounts.load(['acc_holder_name', 'partner_id.name'])
  return new Map(
    rows.flatMap(({ id, acc_holder_name: holder, partner_id: { id: owner, name: before } }) => {
      const name = present(names.get(owner))
      return holder === before && holder !== name ? [[id, { acc_holder_name: name }] as const] : []
    }),
  )
}
