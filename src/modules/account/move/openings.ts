// Forms and lists that entries open (account.move): payment, reversal, payments, a copy, the portal's page.
import { extend, implement, type Of, optional, type Records, returns, type Vals } from '#models'
import { UserError } from '../../../errors.ts'
import {
  assertAllowed,
  portalAddress,
  portalComputed,
  portalFields,
  portalMethods,
  shownAddress,
  shownForm,
  shownRecords,
} from '../../base/index.ts'
import { isInvoice } from './kinds.ts'
import { lineAccount, lineTaxes } from './line-product.ts'

const action = returns<object>('object', 'dict')
const opens = { params: {}, returns: action } as const

const move = extend('account.move', {
  fields: portalFields,
  methods: {
    ...portalMethods,
    action_register_payment: { doc: 'The action that opens the payment form for these documents.', ...opens },
    action_force_register_payment: {
      doc: 'Does what `action_register_payment` does, for drafts too.',
      ...opens,
    },
    action_reverse: { doc: 'The action that opens the form that reverses entries.', ...opens },
    action_duplicate: { doc: 'Copies the entry, and shows the copy.', ...opens },
    open_payments: { doc: 'The action that shows the payments of documents.', ...opens },
    preview_invoice: { doc: "The action that opens the contact's page of the document.", ...opens },
    action_print_pdf: { doc: 'The action that downloads the document as PDF.', ...opens },
    action_invoice_download_pdf: {
      doc: 'The action that downloads documents as PDF.',
      params: { target: optional<string>('string', 'download') },
      returns: action,
    },
    action_toggle_block_payment: {
      doc: 'Blocks the payment of documents, or allows it again.',
      params: {},
    },
    action_update_fpos_values: {
      doc: 'Updates taxes and accounts of the lines of drafts by their fiscal position.',
      params: {},
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

type Moves = Records<'account.move'>

const payForm = (moves: Moves) =>
  shownForm('Pay', 'account.payment.register', {
    active_model: 'account.move',
    active_ids: moves.ids,
  })

/** Throws UserError for entries that are not posted: nothing of them is owed yet. */
async function registerPayment(moves: Moves): Promise<object> {
  const rows = await moves.load(['state', 'move_type'])
  if (rows.some((row) => row.state !== 'posted' || !isInvoice(row.move_type)))
    throw new UserError('Payments can only be registered for posted documents: post these documents first.')
  return payForm(moves)
}

async function duplicate(moves: Moves): Promise<object> {
  moves.ensureOne()
  return shownRecords('Copy', 'account.move', (await moves.copy()).ids)
}

async function showPayments(moves: Moves): Promise<object> {
  const rows = await moves.load(['reconciled_payment_ids', 'matched_payment_ids'])
  const ids = rows.flatMap((row) => [...row.reconciled_payment_ids, ...row.matched_payment_ids])
  return shownRecords('Payments', 'account.payment', [...new Set(ids.map(({ id }) => id))])
}

/** The address of the documents as PDF (http/reports.ts). */
async function fetchPdf(moves: Moves, target: unknown = 'download'): Promise<object> {
  if (moves.length === 0) throw new UserError('No documents selected: choose the documents to print.')
  if (target !== 'download' && target !== 'self' && target !== 'new')
    throw new UserError('Invalid target: use download, self or new.')
  return shownAddress(`/report/pdf/account.report_invoice/${moves.ids.join(',')}`, target)
}

/** Throws UserError for documents that cannot be paid. */
async function toggleBlock(moves: Moves): Promise<null> {
  await assertAllowed(moves, 'write')
  const rows = await moves.load(['payment_state'])
  if (rows.some((row) => row.payment_state !== 'not_paid' && row.payment_state !== 'blocked'))
    throw new UserError('Only documents without payments can be blocked.')
  const values = rows.map((row) => [row.id, { payment_blocked: row.payment_state !== 'blocked' }] as const)
  await moves.sudo().writeEach(new Map(values))
  return null
}

/** Lines of drafts with a product take its account and taxes anew, as the fiscal position has them. */
async function updatePositions(moves: Moves): Promise<null> {
  await assertAllowed(moves, 'write')
  const { env } = moves
  const drafts = await moves.filtered([['state', '=', 'draft']])
  const lines = await env.model('account.move.line').search([
    ['move_id', 'in', drafts.ids],
    ['display_type', '=', 'product'],
    ['product_id', '!=', false],
  ])
  const rows = await lines.load(['move_id', 'product_id', 'account_id', 'display_type'])
  const accounts = await lineAccount.account_id.run(rows, env)
  const taxes = await lineTaxes.tax_ids.run(rows, env)
  const values = lines.ids.map((id): readonly [number, Vals<'account.move.line'>] => [
    id,
    { account_id: Number(accounts.get(id)) || false, tax_ids: [[6, 0, taxes.get(id) ?? []]] },
  ])
  if (values.length) await lines.writeEach(new Map(values))
  return null
}

export default implement(move, {
  computed: portalComputed(move, '/my/invoices'),
  methods: {
    get_portal_url: portalAddress,
    action_register_payment: registerPayment,
    action_force_register_payment: async (moves) => payForm(moves),
    action_reverse: async (moves) =>
      shownForm('Reverse Entries', 'account.move.reversal', {
        active_model: 'account.move',
        active_ids: moves.ids,
      }),
    action_duplicate: duplicate,
    open_payments: showPayments,
    preview_invoice: async (moves) => shownAddress(await portalAddress(moves)),
    action_print_pdf: (moves) => fetchPdf(moves),
    action_invoice_download_pdf: (moves, { target }) => fetchPdf(moves, target),
    action_toggle_block_payment: toggleBlock,
    action_update_fpos_values: updatePositions,
  },
})
