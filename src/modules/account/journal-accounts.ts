// Bank accounts of journals (account.journal): the account of the company with a number; a number that is new
// makes an account.
import type { Environment, Records } from '#models'
import { UserError } from '../../errors.ts'
import { isInteger } from '../../kit/present.ts'

/**
 * Opens accounts for banks that have none, by the numbers written into their journals: a related field has no
 * record to write to there.
 */
export async function openAccounts(
  env: Environment,
  written: readonly { readonly ids: readonly number[]; readonly vals: unknown }[],
): Promise<void> {
  const numbered = written.flatMap(({ ids, vals }) => {
    const { bank_acc_number: number, bank_id: bank } = Object(vals) as Record<string, unknown>
    if (typeof number !== 'string' || !number) return []
    return ids.map((id) => ({ id, number, bank: isInteger(bank) ? bank : null }))
  })
  if (numbered.length === 0) return
  const rows = await env
    .model('account.journal')
    .browse(numbered.map(({ id }) => id))
    .load(['type', 'bank_account_id'])
  const lacking = new Set(
    rows.filter((row) => row.type === 'bank' && !row.bank_account_id).map(({ id }) => id),
  )
  for (const { id, number, bank } of numbered.filter((entry) => lacking.has(entry.id)))
    await setAccount(env.model('account.journal').browse([id]), number, bank)
}

/** Throws UserError for journals of other kinds: only banks have accounts. */
export async function setAccount(
  journals: Records<'account.journal'>,
  number: string,
  bank: number | null,
): Promise<null> {
  journals.ensureOne()
  const { env } = journals
  const row = await journals.one(['type', 'company_id.partner_id'])
  if (row.type !== 'bank')
    throw new UserError('Only bank journals can have a bank account: choose another journal.')
  const holder = row.company_id.partner_id.id
  const accounts = env.model('res.partner.bank')
  const existing = await accounts.search([
    ['acc_number', '=', number],
    ['partner_id', '=', holder],
  ])
  const account = existing.length
    ? existing
    : await accounts.create([{ acc_number: number, partner_id: holder, bank_id: bank ?? false }])
  await journals.write({ bank_account_id: account.ids[0] })
  return null
}
