// Related records of entries (account.move): items, payments, files, journals to choose from, the
// country of taxes.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  one2many,
  selection,
  writable,
} from '#models'
import { journalTypesOf, signOf } from './kinds.ts'

const move = extend('account.move', {
  fields: {
    attachment_ids: one2many('ir.attachment', 'res_id', {
      label: 'Attachments',
      domain: [['res_model', '=', 'account.move']],
    }),
    journal_line_ids: one2many('account.move.line', 'move_id', {
      label: 'Journal Items (DEPRECATED)',
      domain: [['display_type', 'not in', ['line_section', 'line_subsection', 'line_note']]],
    }),
    payment_ids: one2many('account.payment', 'move_id', {
      label: 'Payments',
      help: 'The payment that the entry belongs to.',
    }),
    matched_payment_ids: many2many('account.payment', {
      label: 'Matched Payments',
      copy: false,
      relation: {
        table: 'account_move__account_payment',
        column: 'invoice_id',
        other: 'payment_id',
      },
      help: 'Payments created for the document, reconciled or not.',
    }),
    exchange_diff_partial_ids: one2many('account.partial.reconcile', 'exchange_move_id', {
      label: 'Related reconciliation',
      help: 'Reconciliations whose exchange rate difference is posted by this entry.',
    }),
    statement_id: many2one('account.bank.statement', {
      label: 'Statement',
      related: 'statement_line_id.statement_id',
    }),
    user_id: many2one('res.users', { label: 'User', related: 'invoice_user_id' }),
    company_price_include: selection(
      { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
      { label: 'Default Sales Price Include', related: 'company_id.account_price_include' },
    ),
    direction_sign: integer({
      label: 'Direction Sign',
      computed: true,
      help: '1 or -1: amounts of the document multiplied by it are debits.',
    }),
    suitable_journal_ids: many2many('account.journal', {
      label: 'Suitable Journal',
      computed: true,
      groups: 'base.group_user',
    }),
    tax_country_id: many2one('res.country', {
      label: 'Tax Country',
      computed: true,
      help: 'Country of the taxes.',
    }),
    tax_country_code: char({ label: 'Tax Country Code', computed: true }),
    has_reconciled_entries: boolean({
      label: 'Has Reconciled Entries',
      computed: true,
      help: 'At least one of its items is fully reconciled.',
    }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

const relativesWritable = writable<'account.move'>({
  server: ['payment_ids', 'matched_payment_ids', 'exchange_diff_partial_ids'],
})

const suitable = computedTogether(move, ['move_type', 'company_id'], async (moves, env) => {
  const companies = [...new Set(moves.flatMap((move) => move.company_id?.id ?? []))]
  const journals = await env.model('account.journal').search([['company_id', 'in', companies]])
  const rows = await journals.load(['company_id', 'type'])
  return new Map(
    moves.map(({ id, move_type, company_id }) => {
      const types = journalTypesOf(move_type)
      return [
        id,
        rows.filter(
          (journal) =>
            journal.company_id.id === company_id?.id && (types === null || types.includes(journal.type)),
        ),
      ]
    }),
  )
})

/** A fiscal position with a tax id abroad owes its taxes there; all others where the company does. */
const taxCountry = computedFields(
  move,
  ['tax_country_id', 'tax_country_code'],
  [
    'fiscal_position_id.foreign_vat',
    'fiscal_position_id.country_id.code',
    'company_id.account_fiscal_country_id.code',
  ],
  (moves) =>
    new Map(
      moves.map(({ id, fiscal_position_id: position, company_id }) => {
        const country =
          (position?.foreign_vat && position.country_id) || company_id?.account_fiscal_country_id
        return [id, { tax_country_id: country ?? null, tax_country_code: country?.code ?? null }]
      }),
    ),
)

export default implement(move, {
  writable: relativesWritable,
  computed: {
    direction_sign: computed(move, ['move_type'], (move) => signOf(move.move_type)),
    suitable_journal_ids: suitable,
    ...taxCountry,
    has_reconciled_entries: computed(move, ['line_ids.reconciled'], (move) =>
      move.line_ids.some((item) => item.reconciled),
    ),
  },
})
