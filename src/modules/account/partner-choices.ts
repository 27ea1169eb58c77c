// Contacts (res.partner): how their invoices are sent, printed and paid, how their bills are posted, and how
// much there is of both.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  extend,
  float,
  implement,
  integer,
  json,
  many2many,
  many2one,
  type Of,
  one2many,
  required,
  returns,
  selection,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowed, countUpwards, readonlyActionMethod, shownWindow } from '../base/index.ts'
import { BOOKKEEPERS } from './account-types.ts'

/** Forms of electronic invoices. */
export const formats = {
  facturx: 'Factur-X (CII)',
  ubl_bis3: 'Peppol BIS Billing 3',
  xrechnung: 'XRechnung (UBL)',
  nlcius: 'NLCIUS',
  ubl_a_nz: 'BIS Billing 3 A-NZ',
  ubl_sg: 'BIS Billing 3 SG',
} as const

const partner = extend('res.partner', {
  fields: {
    account_move_count: integer({
      label: 'Number of Invoices and Bills',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Of the contact and its sub-contacts, in any state.',
    }),
    show_credit_limit: boolean({ label: 'Credit Limits Are in Use', computed: true, groups: BOOKKEEPERS }),
    duplicate_bank_partner_ids: many2many('res.partner', {
      label: 'Contacts with the Same Bank Account',
      computed: true,
      groups: 'base.group_user',
    }),
    bank_account_count: integer({ label: 'Number of Bank Accounts', computed: true }),
    days_sales_outstanding: float({
      label: 'Days Sales Outstanding',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Average days until the contact pays: days since the first invoice, times the open part of everything invoiced.',
    }),
    fiscal_country_codes: char({ label: 'Fiscal Countries of Companies', computed: true }),
    autopost_bills: selection(
      { always: 'Always', ask: 'Ask after three unchanged bills', never: 'Never' },
      {
        label: 'Post Bills by Themselves',
        required: true,
        default: 'ask',
        help: 'Whether bills of the vendor are posted without review.',
      },
    ),
    ignore_abnormal_invoice_amount: boolean({ label: 'Ignore Unusual Amounts' }),
    ignore_abnormal_invoice_date: boolean({ label: 'Ignore Unusual Dates' }),
    invoice_sending_method: selection(
      { manual: 'Download', email: 'By email' },
      { label: 'How Invoices Are Sent', companyDependent: true },
    ),
    invoice_edi_format_store: char({ label: 'Kept Format of Electronic Invoices' }),
    invoice_edi_format: selection(formats, {
      label: 'Format of Electronic Invoices',
      computed: true,
      readonly: false,
    }),
    invoice_template_pdf_report_id: many2one('ir.actions.report', {
      label: 'Printout of Invoices',
      ondelete: 'set null',
    }),
    property_inbound_payment_method_line_id: many2one('account.payment.method.line', {
      label: 'How the Contact Pays',
      companyDependent: true,
    }),
    property_outbound_payment_method_line_id: many2one('account.payment.method.line', {
      label: 'How the Contact Is Paid',
      companyDependent: true,
    }),
    contract_ids: one2many('account.analytic.account', 'partner_id', {
      label: 'Partner Contracts',
      readonly: true,
      groups: BOOKKEEPERS,
    }),
    fiscal_country_group_codes: json({ label: 'Fiscal Country Group Codes', computed: true }),
    display_invoice_edi_format: boolean({ label: 'Display Invoice Edi Format', computed: true }),
    ref_company_ids: one2many('res.company', 'partner_id', { label: 'Companies with This Contact' }),
  },
  methods: {
    action_view_partner_invoices: readonlyActionMethod(
      'Shows invoices and credit notes of contacts and of the contacts below them.',
    ),
    get_partner_localisation_fields_required_to_invoice: {
      doc: 'Returns the names of fields of a contact that invoices to a country require in addition to its address: none.',
      level: 'model',
      readonly: true,
      params: { country_id: required<unknown>('any', { annotation: 'int' }) },
      returns: returns<string[]>('array', 'list[str]'),
    },
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

const isFormat = (format: string | null): format is keyof typeof formats =>
  format !== null && Object.hasOwn(formats, format)

/** Codes of the countries that the companies of the caller pay taxes in. */
export async function fiscalCodes(env: Environment): Promise<string | null> {
  const companies = await env
    .sudo()
    .model('res.company')
    .browse(env.companyIds)
    .load(['account_fiscal_country_id.code'])
  const codes = companies.flatMap((company) => company.account_fiscal_country_id?.code ?? [])
  return [...new Set(codes)].join(',') || null
}

const DOCUMENTS = [
  'out_invoice',
  'out_refund',
  'out_receipt',
  'in_invoice',
  'in_refund',
  'in_receipt',
] as const

const outstanding = computedTogether(partner, [], async (partners, env) => {
  const rows = await env.rows(
    sql`SELECT m.commercial_partner_id, COALESCE(sum(m.amount_residual_signed), 0)::float8,
      COALESCE(sum(m.amount_total_signed), 0)::float8, (current_date - min(m.invoice_date))::int
    FROM account_move m WHERE m.commercial_partner_id = ANY(${idList(partners.map(({ id }) => id))}) AND m.state = 'posted'
      AND m.move_type IN ('out_invoice', 'out_refund') AND m.company_id = ANY(${idList([...env.companyIds])}) GROUP BY 1`,
    { reads: ['account.move'], row: ['int', 'float', 'float', 'int?'] },
  )
  const days = new Map(
    rows.map(([id, open, all, age]) => [id, all > 0 ? Math.round((open / all) * (age ?? 0) * 100) / 100 : 0]),
  )
  return new Map(partners.map(({ id }) => [id, days.get(id) ?? 0]))
})

export default implement(partner, {
  computed: {
    account_move_count: computedTogether(partner, [], async (partners, env) => {
      const ids = partners.map(({ id }) => id)
      const documents = await env.model('account.move').search([
        ['partner_id', 'child_of', ids],
        ['move_type', 'in', [...DOCUMENTS]],
      ])
      return countUpwards(env, ids, { ids: documents.ids, model: 'account.move' })
    }),
    show_credit_limit: computedTogether(partner, [], async (partners, env) => {
      const { account_use_credit_limit: inUse } = await env
        .sudo()
        .model('res.company')
        .browse([env.companyId])
        .one(['account_use_credit_limit'])
      return new Map(partners.map(({ id }) => [id, inUse]))
    }),
    duplicate_bank_partner_ids: computedTogether(partner, ['bank_ids'], async (partners, env) => {
      const rows = await env.rows(
        sql`SELECT DISTINCT b.partner_id, o.partner_id FROM res_partner_bank b
        JOIN res_partner_bank o ON o.sanitized_acc_number = b.sanitized_acc_number AND o.partner_id <> b.partner_id
        WHERE b.partner_id = ANY(${idList(partners.map(({ id }) => id))}) AND b.active AND o.active ORDER BY 2`,
        { reads: ['res.partner.bank'], row: ['int', 'int'] },
      )
      const twins = rows.map((row) => row[1])
      const shown = new Set((await env.model('res.partner').search([['id', 'in', twins]])).ids)
      const others = Map.groupBy(
        rows.filter((row) => shown.has(row[1])),
        ([id]) => id,
      )
      return new Map(partners.map(({ id }) => [id, (others.get(id) ?? []).map((row) => row[1])]))
    }),
    bank_account_count: computed(partner, ['bank_ids'], (one) => one.bank_ids.length),
    days_sales_outstanding: outstanding,
    fiscal_country_codes: computedTogether(partner, [], async (partners, env) => {
      const codes = await fiscalCodes(env)
      return new Map(partners.map(({ id }) => [id, codes]))
    }),
    fiscal_country_group_codes: computedTogether(partner, [], async (partners, env) => {
      const companies = await env
        .sudo()
        .model('res.company')
        .browse(env.companyIds)
        .load(['account_fiscal_country_id.country_group_ids.code'])
      const codes = companies.flatMap(
        ({ account_fiscal_country_id: country }) =>
          country?.country_group_ids.flatMap(({ code }) => code ?? []) ?? [],
      )
      return new Map(partners.map(({ id }) => [id, [...new Set(codes)]]))
    }),
    display_invoice_edi_format: computed(partner, ['is_company'], (one) => one.is_company),
    invoice_edi_format: computed(
      partner,
      ['invoice_edi_format_store'],
      ({ invoice_edi_format_store: kept }) => (isFormat(kept) ? kept : null),
      {
        inverse: async (env, values) => {
          await env
            .model('res.partner')
            .writeEach(
              new Map(
                [...values].map(([id, format]) => [
                  id,
                  { invoice_edi_format_store: String(format || '') || false },
                ]),
              ),
            )
        },
      },
    ),
  },
  methods: {
    action_view_partner_invoices: async (partners) => {
      await assertAllowed(partners, 'read')
      return shownWindow({
        name: 'Invoices',
        res_model: 'account.move',
        view_mode: 'list,form',
        domain: [
          ['partner_id', 'child_of', partners.ids],
          ['move_type', 'in', ['out_invoice', 'out_refund']],
        ],
      })
    },
    get_partner_localisation_fields_required_to_invoice: () => [],
  },
})
