// Company, journal and accrual accounts that the form proposes for items.
import { computedFields } from '#models'
import { form } from './form.contract.ts'

export const proposals = computedFields(
  form,
  ['company_id', 'account_type', 'journal_id', 'expense_accrual_account', 'revenue_accrual_account'],
  // Items are read here: as dependencies, each entry would look for forms.
  ['move_line_ids'],
  async (forms, env) => {
    const all = await env
      .model('account.move.line')
      .browse([...new Set(forms.flatMap(({ move_line_ids: items }) => items.map(({ id }) => id)))])
      .load(['company_id', 'balance'])
    const byId = new Map(all.map((item) => [item.id, item]))
    const itemsOf = forms.map(({ move_line_ids: items }) => items.flatMap(({ id }) => byId.get(id) ?? []))
    const ids = itemsOf.map(([first]) => first?.company_id?.id ?? env.companyId)
    const companies = await env
      .model('res.company')
      .browse([...new Set(ids)])
      .load([
        'automatic_entry_default_journal_id',
        'expense_accrual_account_id',
        'revenue_accrual_account_id',
      ])
    const journals = await (
      await env.model('account.journal').search([
        ['type', '=', 'general'],
        ['company_id', 'in', [...new Set(ids)]],
      ])
    ).load(['company_id'])
    return new Map(
      forms.map(({ id }, i) => {
        const company = companies.find((candidate) => candidate.id === ids[i])
        const general = journals.find((journal) => journal.company_id.id === ids[i])
        return [
          id,
          {
            company_id: ids[i],
            account_type:
              (itemsOf[i] ?? []).reduce((sum, item) => sum + item.balance, 0) < 0 ? 'income' : 'expense',
            journal_id: company?.automatic_entry_default_journal_id?.id ?? general?.id ?? null,
            expense_accrual_account: company?.expense_accrual_account_id?.id ?? null,
            revenue_accrual_account: company?.revenue_accrual_account_id?.id ?? null,
          },
        ] as const
      }),
    )
  },
)
