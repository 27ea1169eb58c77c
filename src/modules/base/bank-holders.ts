// Holders of accounts: an account whose holder is called like its contact follows when the contact is renamed (spec/models-api.md section 6).
import type { Records } from '#models'

type Accounts = Records<'res.partner.bank'>

/** Before contacts get the name `name`: their accounts, archived ones too, whose holder bears the present name. */
export async function renamed(partners: Records<'res.partner'>, name: string): Promise<Accounts> {
  const accounts = await partners.env
    .sudo()
    .withContext({ active_test: false })
    .model('res.partner.bank')
    .search([['partner_id', 'in', partners.ids]])
  const rows = await accounts.load(['acc_holder_name', 'partner_id.name'])
  const following = rows.filter((account) => account.acc_holder_name === account.partner_id.name && account.acc_holder_name !== name)
  return accounts.browse(following.map((account) => account.id))
}

/** After it: the holders' names. */
export async function renameHolders(accounts: Accounts, name: string): Promise<void> {
  if (accounts.length) await accounts.write({ acc_holder_name: name })
}
