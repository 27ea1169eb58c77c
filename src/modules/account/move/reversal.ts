// The form that takes documents back (account.move.reversal): credit notes, with a fresh draft of the
// document where it is to be changed.
import {
  char,
  computedFields,
  computedTogether,
  date,
  implement,
  many2many,
  many2one,
  monetary,
  type Of,
  optional,
  type Records,
  returns,
  transient,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { actionMethod, assertAllowed, givenIds, shownRecords } from '../../base/index.ts'
import { reverseEntries } from '../reconcile/reverse.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { isInvoice, type moveTypes } from './kinds.ts'
import { KEEPS_ORDERS } from './order-links.ts'
import { convertAsReversed } from './reversed-amounts.ts'

const action = returns<object>('object', 'dict')

const reversal = transient('account.move.reversal', {
  label: 'Account Move Reversal',
  formsBySaving: true,
  fields: {
    move_ids: many2many('account.move', {
      label: 'Moves',
      relation: { table: 'account_move_reversal_move', column: 'reversal_id', other: 'move_id' },
    }),
    new_move_ids: many2many('account.move', {
      label: 'New Moves',
      relation: { table: 'account_move_reversal_new_move', column: 'reversal_id', other: 'new_move_id' },
    }),
    date: date({ label: 'Reversal date' }),
    reason: char({ label: 'Reason displayed on Credit Note' }),
    journal_id: many2one('account.journal', { label: 'Journal' }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    available_journal_ids: many2many('account.journal', { label: 'Available Journals', computed: true }),
    residual: monetary({ label: 'Residual', computed: true, help: 'Open amount of a single document.' }),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    move_type: char({ label: 'Move Type', computed: true }),
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
  },
  methods: {
    refund_moves: actionMethod('Creates draft credit notes.'),
    modify_moves: actionMethod(
      'Creates credit notes, reconciles them with the documents, and creates new drafts of the documents.',
    ),
    reverse_moves: {
      doc: 'Does what `refund_moves` does, or what `modify_moves` does.',
      params: { is_modify: optional<boolean>('boolean', false, { annotation: 'bool' }) },
      returns: action,
    },
  },
})

declare module '#models' {
  interface Models {
    'account.move.reversal': MoveReversal
  }
  interface MoveReversal extends Of<typeof reversal> {}
}

type Forms = Records<'account.move.reversal'>

const OPPOSITE: Readonly<Record<string, keyof typeof moveTypes>> = {
  out_invoice: 'out_refund',
  out_refund: 'out_invoice',
  in_invoice: 'in_refund',
  in_refund: 'in_invoice',
  out_receipt: 'out_refund',
  in_receipt: 'in_refund',
}

async function reverse(forms: Forms): Promise<{ readonly invoices: number[]; readonly reversals: number[] }> {
  // A form that was not saved names no document.
  if (forms.length === 0) return { invoices: [], reversals: [] }
  forms.ensureOne()
  const { env } = forms
  const form = await forms.one(['move_ids', 'date', 'reason', 'journal_id'])
  const moves = env.model('account.move').browse(form.move_ids.map(({ id }) => id))
  await assertAllowed(moves.browse([]), 'create')
  const rows = await moves.load([
    'move_type',
    'name',
    'journal_id',
    'invoice_user_id',
    'invoice_origin',
    'currency_id',
    'company_currency_id',
    'invoice_payment_term_id.early_discount',
    'invoice_payment_term_id.early_pay_discount_computation',
  ])
  const day = form.date ?? today(env.tz, env.now())
  const entries = rows.filter((one) => !isInvoice(one.move_type)).map(({ id }) => id)
  const reversals = entries.length ? await reverseEntries(env, entries, day) : []
  const invoices = rows.filter((one) => isInvoice(one.move_type))
  if (invoices.length === 0) return { invoices: [], reversals }
  // A credit note keeps the order lines of its document, so that orders count it.
  const keeping = env.withContext({ [KEEPS_ORDERS]: true }).model('account.move')
  const copies = (await keeping
    .browse(invoices.map(({ id }) => id))
    .invoke('copy_data', { default: null })) as Vals<'account.move'>[]
  const notes = await keeping.create(
    invoices.map((invoice, i) => ({
      ...copies[i],
      // The money goes the other way.
      partner_bank_id: undefined,
      move_type: OPPOSITE[invoice.move_type] as 'out_refund',
      reversed_entry_id: invoice.id,
      invoice_date: day,
      invoice_date_due: day,
      date: day,
      journal_id: form.journal_id?.id ?? invoice.journal_id.id,
      currency_id: invoice.currency_id.id,
      invoice_payment_term_id: keptTerms(invoice.invoice_payment_term_id),
      invoice_user_id: invoice.invoice_user_id?.id ?? false,
      invoice_origin: invoice.invoice_origin ?? false,
      ref: form.reason ? `Reversal of: ${invoice.name}, ${form.reason}` : `Reversal of: ${invoice.name}`,
    })),
  )
  const isForeign = invoices.some((one) => one.currency_id.id !== one.company_currency_id?.id)
  if (isForeign) await convertAsReversed(notes)
  return { invoices: invoices.map(({ id }) => id), reversals: [...reversals, ...notes.ids] }
}

interface Terms {
  readonly id: number
  readonly early_discount: boolean
  readonly early_pay_discount_computation: string | null
}

/** Terms that lowered the tax of a document lower that of its credit note; others are for the document alone. */
const keptTerms = (terms: Terms | null) =>
  terms?.early_discount && terms.early_pay_discount_computation === 'mixed' ? terms.id : false

const shown = (ids: readonly number[]) => shownRecords('Reverse Moves', 'account.move', ids)

async function refund(forms: Forms): Promise<object> {
  const { reversals } = await reverse(forms)
  await forms.write({ new_move_ids: [[6, 0, reversals]] })
  return shown(reversals)
}

/** Matches of the documents are undone; the credit notes settle all of them. */
async function modify(forms: Forms): Promise<object> {
  const { env } = forms
  const { invoices, reversals } = await reverse(forms)
  const items = await env
    .sudo()
    .model('account.move.line')
    .search([
      ['move_id', 'in', invoices],
      ['display_type', '=', 'payment_term'],
    ])
  await undoMatches(env, items.ids)
  const notes = await env
    .model('account.move')
    .browse(reversals)
    .filtered([['state', '=', 'draft']])
  if (notes.length) await notes.action_post()
  const fresh = invoices.length
    ? await env
        .withContext({ [KEEPS_ORDERS]: true })
        .model('account.move')
        .browse(invoices)
        .copy()
    : env.model('account.move')
  await forms.write({ new_move_ids: [[6, 0, [...reversals, ...fresh.ids]]] })
  return shown(fresh.length ? fresh.ids : reversals)
}

/** The common value of all, else null. */
const common = <T>(values: readonly T[]): T | null => {
  const [first, ...others] = new Set(values)
  return first !== undefined && others.length === 0 ? first : null
}

const about = computedFields(
  reversal,
  ['residual', 'currency_id', 'move_type'],
  ['move_ids.amount_residual', 'move_ids.currency_id', 'move_ids.move_type'],
  (forms) =>
    new Map(
      forms.map(({ id, move_ids: moves }) => [
        id,
        {
          residual: moves.length === 1 ? (moves[0]?.amount_residual ?? 0) : 0,
          currency_id: common(moves.map((one) => one.currency_id.id)),
          move_type: common(moves.map((one) => one.move_type)),
        },
      ]),
    ),
)

const offeredJournals = computedTogether(
  reversal,
  ['move_ids.journal_id.type', 'company_id'],
  async (forms, env) => {
    const journals = await env
      .model('account.journal')
      .search([['company_id', 'in', forms.map((one) => one.company_id.id)]])
    const rows = await journals.load(['company_id', 'type'])
    return new Map(
      forms.map((form) => [
        form.id,
        rows.filter(
          (journal) =>
            journal.company_id.id === form.company_id.id &&
            form.move_ids.some((move) => move.journal_id.type === journal.type),
        ),
      ]),
    )
  },
)

/** Documents are reversed in their company, and in their journal where they share one. */
async function completed(forms: Forms): Promise<void> {
  const rows = await forms.load([
    'move_ids.state',
    'move_ids.company_id',
    'move_ids.journal_id',
    'journal_id',
  ])
  const followed = new Map<number, Vals<'account.move.reversal'>>()
  for (const row of rows) {
    if (row.move_ids.length === 0 || row.move_ids.some((move) => move.state !== 'posted'))
      throw new UserError('Only posted entries can be reversed.')
    const company = common(row.move_ids.map((move) => move.company_id?.id))
    if (!company)
      throw new UserError(
        'Entries of different companies cannot be reversed together: choose the entries of one company.',
      )
    const journal = row.journal_id?.id ?? common(row.move_ids.map((move) => move.journal_id.id))
    followed.set(row.id, { company_id: company, journal_id: journal ?? false })
  }
  await forms.writeEach(followed)
}

export default implement(reversal, {
  computed: { ...about, available_journal_ids: offeredJournals },
  defaults: {
    date: (env) => today(env.tz, env.now()),
    company_id: (env) => env.companyId,
    move_ids: ({ context: { active_ids: ids } }) => [[6, 0, givenIds(ids)]] as const,
  },
  methods: {
    refund_moves: refund,
    modify_moves: modify,
    reverse_moves: (forms, { is_modify }) => (is_modify ? modify(forms) : refund(forms)),
  },
  wrapGeneric: {
    create: (next) => async (forms, params) => {
      const created = (await next(forms, params)) as Forms
      await completed(created)
      return created
    },
  },
})
