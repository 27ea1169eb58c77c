// Choices of the form that pays documents: journals of money of their company, and methods of the
// selected one.
import { computedTogether } from '#models'
import { register } from './register.contract.ts'

export const offeredJournals = computedTogether(register, ['company_id'], async (forms, env) => {
  const journals = await env.model('account.journal').search([
    ['type', 'in', ['bank', 'cash', 'credit']],
    ['company_id', 'in', forms.flatMap((form) => form.company_id?.id ?? [])],
  ])
  const rows = await journals.load(['company_id'])
  return new Map(
    forms.map((form) => [form.id, rows.filter((row) => row.company_id.id === form.company_id?.id)]),
  )
})

export const offeredMethods = computedTogether(
  register,
  ['journal_id', 'payment_type'],
  async (forms, env) => {
    const lines = await env
      .sudo()
      .model('account.payment.method.line')
      .search([['journal_id', 'in', forms.flatMap((form) => form.journal_id?.id ?? [])]])
    const rows = await lines.load(['journal_id', 'payment_type'])
    return new Map(
      forms.map((form) => [
        form.id,
        rows.filter(
          (row) => row.journal_id?.id === form.journal_id?.id && row.payment_type === form.payment_type,
        ),
      ]),
    )
  },
)
