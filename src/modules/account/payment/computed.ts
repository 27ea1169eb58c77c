// Computed fields of payments: from their journal and partner, and from what they pay.
import { computed, computedFields, computedTogether, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { ratesFor } from '../move/headers.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import { methodsOf } from './agreed.ts'
import { payment } from './payment.contract.ts'

const editable = { editable: true } as const
type Link = { readonly id: number }

/** The currency of the journal, else of its company. */
export const computedCurrency = computedFields(
  payment,
  ['currency_id'],
  ['journal_id'],
  async (payments, env) => {
    const journals = await env
      .sudo()
      .model('account.journal')
      .browse([...new Set(payments.map((one) => one.journal_id.id))])
      .load(['currency_id', 'company_id.currency_id'])
    const money = new Map(journals.map((one) => [one.id, one.currency_id ?? one.company_id.currency_id]))
    return new Map(payments.map((one) => [one.id, { currency_id: money.get(one.journal_id.id) ?? null }]))
  },
  editable,
)

/** Of the methods that the journal offers in this direction the one agreed with the contact, else the first. */
export const computedMethodLine = computedFields(
  payment,
  ['payment_method_line_id'],
  ['journal_id', 'payment_type', 'partner_id'],
  async (payments, env) => {
    const lines = await env
      .sudo()
      .model('account.payment.method.line')
      .search([['journal_id', 'in', [...new Set(payments.map((one) => one.journal_id.id))]]])
    const rows = await lines.load(['journal_id', 'payment_type'])
    const agreed = await methodsOf(env, payments)
    return new Map(
      payments.map((payment) => {
        const offered = rows.filter(
          (row) => row.journal_id?.id === payment.journal_id.id && row.payment_type === payment.payment_type,
        )
        const line = offered.find((row) => agreed.get(payment.id) === row.id) ?? offered[0]
        return [payment.id, { payment_method_line_id: line?.id ?? null }]
      }),
    )
  },
  editable,
)

/** Where payments wait for the bank: the method's account, else the company's. */
export const outstanding = computedFields(
  payment,
  ['outstanding_account_id'],
  ['journal_id', 'payment_type', 'payment_method_line_id', 'force_outstanding_account_id'],
  async (payments, env) => {
    const su = env.sudo()
    const methods = await su
      .model('account.payment.method.line')
      .browse([...new Set(payments.flatMap((one) => one.payment_method_line_id?.id ?? []))])
      .load(['payment_account_id'])
    const accountOf = new Map(methods.map((one) => [one.id, one.payment_account_id]))
    const journals = await su
      .model('account.journal')
      .browse([...new Set(payments.map((one) => one.journal_id.id))])
      .load([
        'company_id.account_journal_payment_debit_account_id',
        'company_id.account_journal_payment_credit_account_id',
      ])
    const companies = new Map(journals.map((one) => [one.id, one.company_id]))
    return new Map(
      payments.map((row) => {
        const company = companies.get(row.journal_id.id)
        const shared =
          row.payment_type === 'inbound'
            ? company?.account_journal_payment_debit_account_id
            : company?.account_journal_payment_credit_account_id
        const usual = accountOf.get(row.payment_method_line_id?.id ?? 0) ?? shared ?? null
        return [row.id, { outstanding_account_id: row.force_outstanding_account_id ?? usual }]
      }),
    )
  },
  editable,
)

/** Payments settle the account of their partner, else the default account of contacts. */
export const destination = computedFields(
  payment,
  ['destination_account_id'],
  ['partner_id', 'partner_type', 'journal_id'],
  async (payments, env) => {
    const su = env.sudo()
    const journals = await su
      .model('account.journal')
      .browse([...new Set(payments.map((one) => one.journal_id.id))])
      .load(['company_id'])
    const companies = new Map(journals.map((one) => [one.id, one.company_id.id]))
    const values = new Map<number, { destination_account_id: Link | null }>()
    for (const [company, group] of Map.groupBy(
      payments,
      (one) => companies.get(one.journal_id.id) ?? env.companyId,
    )) {
      const partners = await su
        .withCompany(company)
        .model('res.partner')
        .browse([...new Set(group.flatMap((one) => one.partner_id?.id ?? []))])
        .load(['property_account_receivable_id', 'property_account_payable_id'])
      const rowById = new Map(partners.map((one) => [one.id, one]))
      const fieldOf = (type: string) =>
        type === 'customer' ? 'property_account_receivable_id' : 'property_account_payable_id'
      const lacking = group.some((one) => !rowById.get(one.partner_id?.id ?? 0)?.[fieldOf(one.partner_type)])
      const shared = lacking ? await sharedAccounts(su, company) : new Map<string, number>()
      for (const { id, partner_id, partner_type } of group) {
        const field = fieldOf(partner_type)
        const fallback = shared.get(field)
        const account =
          rowById.get(partner_id?.id ?? 0)?.[field] ?? (fallback === undefined ? null : { id: fallback })
        values.set(id, { destination_account_id: account })
      }
    }
    return values
  },
  editable,
)

async function sharedAccounts(env: Environment, company: number): Promise<Map<string, number>> {
  const rows = await env.rows(
    sql`SELECT f.name, d.json_value::int FROM ir_default d JOIN ir_model_fields f ON f.id = d.field_id
    WHERE f.model = 'res.partner' AND f.name IN ('property_account_receivable_id', 'property_account_payable_id')
    AND d.user_id IS NULL AND d.company_id = ${company}::int`,
    { reads: ['ir.default', 'ir.model.fields'], row: ['text', 'int'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

/**
 * Posted payments are paid when the bank shows them, when they were validated, or when all customer invoices
 * they pay are.
 */
export const state = computedFields(
  payment,
  ['state', 'is_reconciled', 'is_matched'],
  [
    'stage',
    'amount',
    'outstanding_account_id',
    'destination_account_id',
    'invoice_ids.payment_state',
    'move_id.line_ids.amount_residual',
    'move_id.line_ids.account_id',
    'move_id.line_ids.reconciled',
    'move_id.line_ids.matched_debit_ids.debit_move_id.move_id.payment_state',
    'move_id.line_ids.matched_credit_ids.credit_move_id.move_id.payment_state',
  ],
  async (payments, env) => {
    const documents = await documentsOf(
      env,
      payments.map(({ id }) => id),
    )
    return new Map(
      payments.map((row) => {
        const items = row.move_id?.line_ids ?? []
        const settled = (account: Link | null) => {
          const accountItems = items.filter((item) => item.account_id?.id === account?.id)
          return accountItems.length > 0 && accountItems.every((item) => item.amount_residual === 0)
        }
        const is_matched = settled(row.outstanding_account_id)
        const invoices = (documents.get(row.id) ?? []).filter((document) => document.sale)
        // A payment of nothing has no money that could arrive: it stays in process (recorded).
        const paid =
          (is_matched && row.amount !== 0) ||
          (invoices.length > 0 && invoices.every((invoice) => invoice.state === 'paid'))
        return [
          row.id,
          { state: stateOf(row.stage, paid), is_reconciled: settled(row.destination_account_id), is_matched },
        ]
      }),
    )
  },
)

function stateOf(stage: string, paid: boolean): string {
  if (stage === 'validated') return 'paid'
  return stage === 'posted' ? (paid ? 'paid' : 'in_process') : stage
}

interface Document {
  readonly id: number
  readonly sale: boolean
  readonly state: string
}

/** Documents that payments were made for or are matched with, by payment. */
export async function documentsOf(
  env: Environment,
  payments: readonly number[],
): Promise<Map<number, Document[]>> {
  if (payments.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT DISTINCT x.payment, m.id, m.move_type LIKE 'out%', COALESCE(m.payment_state, 'not_paid') FROM (
      SELECT payment_id AS payment, invoice_id AS document FROM account_move__account_payment WHERE payment_id = ANY(${idList([...payments])})
      UNION SELECT p.id, o.move_id FROM account_payment p JOIN account_move_line l ON l.move_id = p.move_id
        JOIN account_partial_reconcile r ON r.debit_move_id = l.id OR r.credit_move_id = l.id
        JOIN account_move_line o ON o.id IN (r.debit_move_id, r.credit_move_id) AND o.id <> l.id
        WHERE p.id = ANY(${idList([...payments])})) AS x
    JOIN account_move m ON m.id = x.document WHERE m.move_type <> 'entry' ORDER BY x.payment, m.id`,
    {
      reads: ['account.payment', 'account.move.line', 'account.partial.reconcile', 'account.move'],
      row: ['int', 'int', 'bool', 'text'],
    },
  )
  const paid = new Map<number, Document[]>()
  for (const [of, id, sale, state] of rows) paid.set(of, [...(paid.get(of) ?? []), { id, sale, state }])
  return paid
}

const documents = (sale: boolean) =>
  computedTogether(
    payment,
    [],
    async (payments, env) => {
      const all = await documentsOf(
        env,
        payments.map(({ id }) => id),
      )
      return new Map(
        payments.map(({ id }) => [
          id,
          (all.get(id) ?? []).filter((one) => one.sale === sale).map((one) => one.id),
        ]),
      )
    },
    { search: (operator, value) => searchDocuments(operator, value, sale ? 'out%' : 'in%') },
  )

/** Payments of documents of a `kind`, by the documents that they were made for or are matched with. */
function searchDocuments(operator: string, value: unknown, kind: string): readonly unknown[] {
  const item = [
    ['move_id', operator, value],
    ['move_id.move_type', '=like', kind],
  ]
  return [
    '|',
    '&',
    ['invoice_ids', operator, value],
    ['invoice_ids.move_type', '=like', kind],
    '|',
    ['move_id.line_ids.matched_debit_ids.debit_move_id', 'any', item],
    ['move_id.line_ids.matched_credit_ids.credit_move_id', 'any', item],
  ]
}

const count = (sale: boolean) =>
  computedTogether(payment, [], async (payments, env) => {
    const all = await documentsOf(
      env,
      payments.map(({ id }) => id),
    )
    return new Map(
      payments.map(({ id }) => [id, (all.get(id) ?? []).filter((one) => one.sale === sale).length]),
    )
  })

export const shown = {
  reconciled_invoice_ids: documents(true),
  reconciled_bill_ids: documents(false),
  reconciled_invoices_count: count(true),
  reconciled_bills_count: count(false),
  amount_signed: computed(payment, ['payment_type', 'amount'], (one) =>
    one.payment_type === 'inbound' ? one.amount : -one.amount,
  ),
  amount_company_currency_signed: computedTogether(
    payment,
    ['payment_type', 'amount', 'currency_id', 'date', 'company_id.currency_id.rounding'],
    async (payments, env) => {
      const rateAsks = payments.map((row) => ({
        row,
        company: row.company_id?.id ?? env.companyId,
        companyCurrency: row.company_id?.currency_id.id ?? 0,
        currency: row.currency_id.id,
        day: row.date,
      }))
      const rates = await ratesFor(env, rateAsks)
      return new Map(
        rateAsks.map((ask) => [
          ask.row.id,
          toNumber(
            roundTo(
              exact(ask.row.payment_type === 'inbound' ? ask.row.amount : -ask.row.amount).div(rates(ask)),
              exact(ask.row.company_id?.currency_id.rounding ?? 0.01),
            ),
          ),
        ]),
      )
    },
  ),
}
