// Money and credits of a contact that a document can be settled with: whether there are any, and matching
// them one by one, as the form of an invoice offers it.
import {
  boolean,
  computedTogether,
  extend,
  implement,
  type Of,
  type Records,
  required,
  returns,
} from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { assertAllowed } from '../../base/index.ts'
import { partnerTypes } from '../account-types.ts'
import { undoPartials } from '../reconcile/undo.ts'
import { isInvoice, signOf } from './kinds.ts'

const move = extend('account.move', {
  fields: {
    invoice_has_outstanding: boolean({
      label: 'Has Outstanding',
      computed: true,
      help: 'There are payments, credits or debts of the contact that it can be matched with.',
    }),
  },
  methods: {
    js_assign_outstanding_line: {
      doc: 'Matches a document with an open item of its contact.',
      params: { line_id: required<number>('integer') },
    },
    js_remove_outstanding_partial: {
      doc: 'Takes back one match of a document.',
      params: { partial_id: required<number>('integer') },
      returns: returns<true>('boolean', 'bool', 'Always true'),
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

type Moves = Records<'account.move'>

/** The items that say what is owed for documents. */
const owedItems = (moves: Moves) =>
  moves.env.model('account.move.line').search([
    ['move_id', 'in', moves.ids],
    ['account_id.account_type', 'in', [...partnerTypes]],
  ])

/** Documents are matched on the account of the item. Throws UserError where they owe nothing there. */
async function assign(moves: Moves, line: number): Promise<null> {
  const items = moves.env.model('account.move.line')
  const { account_id: account } = await items.browse([line]).one(['account_id'])
  const owed = await (await owedItems(moves)).filtered([
    ['account_id', '=', account?.id ?? 0],
    ['reconciled', '=', false],
  ])
  if (owed.length === 0)
    throw new UserError('Nothing of the document is open on the account of the item: choose another item.')
  await items.browse([line, ...owed.ids]).reconcile()
  return null
}

/** Throws UserError for a match of other documents. */
async function removeMatch(moves: Moves, id: number): Promise<true> {
  const match = await moves.env
    .model('account.partial.reconcile')
    .browse([id])
    .one(['debit_move_id.move_id', 'credit_move_id.move_id'])
  const documents = [match.debit_move_id.move_id.id, match.credit_move_id.move_id.id]
  if (!documents.some((document) => moves.ids.includes(document)))
    throw new UserError('The match is none of this document: reload the document, and choose one of its own.')
  const items = [match.debit_move_id.id, match.credit_move_id.id]
  await assertAllowed(moves.env.model('account.move.line').browse(items), 'write')
  await undoPartials(moves.env, [id])
  return true
}

type Linked = { readonly id: number } | null

/** Items of one account, contact and company that stand on one side: they settle those on the other. */
const placeOf = (account: Linked, partner: Linked, company: Linked, sign: number) =>
  [account?.id, partner?.id, company?.id, sign].join('/')

const hasOutstanding = computedTogether(
  move,
  ['state', 'move_type', 'payment_state', 'commercial_partner_id', 'company_id', 'amount_residual'],
  async (moves, env) => {
    const open = moves.filter(
      (one) => isInvoice(one.move_type) && one.state !== 'cancel' && one.amount_residual !== 0,
    )
    if (open.length === 0) return new Map(moves.map(({ id }) => [id, false]))
    const owed = await (await owedItems(env.model('account.move').browse(open.map(({ id }) => id)))).load([
      'move_id',
      'account_id',
    ])
    const items = await env.model('account.move.line').search([
      ['account_id', 'in', owed.flatMap((item) => item.account_id?.id ?? [])],
      ['partner_id', 'in', open.flatMap((document) => document.commercial_partner_id?.id ?? [])],
      ['parent_state', '=', 'posted'],
      ['reconciled', '=', false],
      ['amount_residual', '!=', 0],
    ])
    const rows = await items.load(['account_id', 'partner_id', 'company_id', 'move_id', 'amount_residual'])
    const entries = new Map<string, Set<number>>()
    for (const { account_id, partner_id, company_id, move_id, amount_residual } of rows) {
      const place = placeOf(account_id, partner_id, company_id, Math.sign(amount_residual))
      entries.set(place, (entries.get(place) ?? new Set()).add(move_id.id))
    }
    const documents = new Map(open.map((document) => [document.id, document]))
    const settled = owed.flatMap(({ move_id: { id }, account_id }) => {
      const { move_type, commercial_partner_id, company_id } = present(documents.get(id))
      // Items of sales are credits, so that what settles them is a credit on the other side.
      const unsettled = entries.get(placeOf(account_id, commercial_partner_id, company_id, signOf(move_type)))
      return unsettled && unsettled.size > Number(unsettled.has(id)) ? [id] : []
    })
    const settleable = new Set(settled)
    return new Map(moves.map(({ id }) => [id, settleable.has(id)]))
  },
)

export default implement(move, {
  computed: { invoice_has_outstanding: hasOutstanding },
  methods: {
    js_assign_outstanding_line: (moves, { line_id }) => assign(moves, line_id),
    js_remove_outstanding_partial: (moves, { partial_id }) => removeMatch(moves, partial_id),
  },
})
