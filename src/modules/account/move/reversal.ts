// The form that takes documents back (account.move.reversal): credit notes, with a fresh draft of the
// document where it is to be changed.
import {
  char,
  date,
  implement,
  many2many,
  many2one,
  type Of,
  type Records,
  returns,
  transient,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { givenVals, shownRecords } from '../../base/index.ts'
import { reverseEntries } from '../reconcile/reverse.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { isInvoice, type moveTypes } from './kinds.ts'

const action = returns<object>('object', 'dict')

const reversal = transient('account.move.reversal', {
  label: 'Account Move Reversal',
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
  },
  methods: {
    refund_moves: { doc: 'Makes drafts of credit notes.', params: {}, returns: action },
    modify_moves: {
      doc: 'Makes and matches credit notes, and fresh drafts of the documents.',
      params: {},
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

async function reverse(forms: Forms): Promise<{ readonly invoices: number[]; readonly made: number[] }> {
  // A form that was not saved names no document.
  if (forms.length === 0) return { invoices: [], made: [] }
  forms.ensureOne()
  const { env } = forms
  const form = await forms.one(['move_ids', 'date', 'reason', 'journal_id'])
  const moves = env.model('account.move').browse(form.move_ids.map(({ id }) => id))
  await moves.invoke('check_access_rights', { operation: 'create' })
  const rows = await moves.load([
    'move_type',
    'name',
    'journal_id',
    'invoice_user_id',
    'invoice_origin',
    'currency_id',
  ])
  const day = form.date ?? today(env.tz, env.now())
  const entries = rows.filter((one) => !isInvoice(one.move_type)).map(({ id }) => id)
  const made = entries.length ? await reverseEntries(env, entries, day) : []
  const invoices = rows.filter((one) => isInvoice(one.move_type))
  if (invoices.length === 0) return { invoices: [], made }
  // A credit note is for what the document was for: orders hear of it.
  const copies = (await moves
    .withContext({ keeps_orders: true })
    .browse(invoices.map(({ id }) => id))
    .invoke('copy_data', { default: null })) as Vals<'account.move'>[]
  const notes = await env.model('account.move').create(
    invoices.map((one, i) => ({
      ...copies[i],
      move_type: OPPOSITE[one.move_type] as 'out_refund',
      reversed_entry_id: one.id,
      invoice_date: day,
      date: day,
      journal_id: form.journal_id?.id ?? one.journal_id.id,
      currency_id: one.currency_id.id,
      invoice_payment_term_id: false,
      invoice_user_id: one.invoice_user_id?.id ?? false,
      invoice_origin: one.invoice_origin ?? false,
      ref: form.reason ? `Reversal of: ${one.name}, ${form.reason}` : `Reversal of: ${one.name}`,
    })),
  )
  return { invoices: invoices.map(({ id }) => id), made: [...made, ...notes.ids] }
}

const shown = (ids: readonly number[]) => shownRecords('Reverse Moves', 'account.move', ids)

async function refund(forms: Forms): Promise<object> {
  const { made } = await reverse(forms)
  await forms.write({ new_move_ids: [[6, 0, made]] })
  return shown(made)
}

/** What the documents were matched with is free again; the credit notes settle all of them. */
async function modify(forms: Forms): Promise<object> {
  const { env } = forms
  const { invoices, made } = await reverse(forms)
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
    .browse(made)
    .filtered([['state', '=', 'draft']])
  if (notes.length) await notes.action_post()
  const fresh = invoices.length
    ? await env.withContext({ keeps_orders: true }).model('account.move').browse(invoices).copy()
    : env.model('account.move')
  await forms.write({ new_move_ids: [[6, 0, [...made, ...fresh.ids]]] })
  return shown(fresh.length ? fresh.ids : made)
}

export default implement(reversal, {
  defaults: { date: (env) => today(env.tz, env.now()), company_id: (env) => env.companyId },
  methods: { refund_moves: refund, modify_moves: modify },
  wrapGeneric: {
    create: (next) => async (forms, params) => {
      const { env } = forms
      const { active_ids: given } = env.context
      const ids = Array.isArray(given) ? given.filter((id): id is number => Number.isInteger(id)) : []
      const vals_list = givenVals(params.vals_list).map((vals) =>
        vals.move_ids === undefined ? { ...vals, move_ids: [[6, 0, ids]] } : vals,
      )
      const made = (await next(forms, { ...params, vals_list })) as Forms
      const rows = await made.load(['move_ids.state'])
      if (
        rows.some((one) => one.move_ids.length === 0 || one.move_ids.some((move) => move.state !== 'posted'))
      )
        throw new UserError('Only posted entries can be reversed.')
      return made
    },
  },
})
