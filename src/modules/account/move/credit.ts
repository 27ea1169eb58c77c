// Credit limits: warns if a draft would make a customer owe more than their limit; the user who posts
// decides.
import { computedTogether, type Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { languagesFor } from '../../base/index.ts'
import { isSale } from './kinds.ts'
import { move } from './move.contract.ts'

/** A document to check: the amount it adds to what is owed, in the company's currency. */
export interface CreditCheck {
  readonly id: number
  readonly partner: number | null
  readonly company: number
  readonly amount: number
}

/**
 * Warnings by id, for those beyond the limits of their customers' companies: a bounded number of statements.
 */
export async function creditWarnings(
  env: Environment,
  all: readonly CreditCheck[],
): Promise<Map<number, string>> {
  const warnings = new Map<number, string>()
  for (const [id, group] of Map.groupBy(all, (row) => row.company)) {
    const companyEnv = env.sudo().withCompany(id)
    const company = await companyEnv
      .model('res.company')
      .browse([id])
      .one([
        'account_use_credit_limit',
        'currency_id.symbol',
        'currency_id.position',
        'currency_id.decimal_places',
      ])
    if (!company.account_use_credit_limit) continue
    const partners = await companyEnv
      .model('res.partner')
      .browse([...new Set(group.flatMap((member) => member.partner ?? []))])
      .load(['commercial_partner_id'])
    const commercial = new Map(
      partners.map((partner) => [partner.id, partner.commercial_partner_id?.id ?? partner.id]),
    )
    const owing = await companyEnv
      .model('res.partner')
      .browse([...new Set(commercial.values())])
      .load(['name', 'credit', 'credit_limit'])
    const owingById = new Map(owing.map((document) => [document.id, document]))
    const write = (await languagesFor(env, [env.lang]))(env.lang)
    const amount = (value: number) => write.money(value, company.currency_id)
    for (const member of group) {
      const debtor = owingById.get(commercial.get(member.partner ?? 0) ?? 0)
      if (!debtor?.credit_limit) continue
      const total = addDecimals(debtor.credit, member.amount)
      if (total > debtor.credit_limit)
        warnings.set(
          member.id,
          `${debtor.name} has a credit limit of ${amount(debtor.credit_limit)} and would owe ${amount(total)} with this document.`,
        )
    }
  }
  return warnings
}

export const creditWarning = computedTogether(
  move,
  ['state', 'move_type', 'partner_id', 'company_id', 'amount_total_signed'],
  async (moves, env) => {
    const drafts = moves.filter((move) => move.state === 'draft' && isSale(move.move_type) && move.partner_id)
    const amounts = drafts.map((draft) => ({
      id: draft.id,
      partner: draft.partner_id?.id ?? null,
      company: draft.company_id?.id ?? env.companyId,
      amount: draft.amount_total_signed,
    }))
    const warnings = await creditWarnings(env, amounts)
    return new Map(moves.map(({ id }) => [id, warnings.get(id) ?? '']))
  },
)
