// Money and credits of a contact that a document can be settled with: whether there are any, and matching
// them one by one, as the form of an invoice offers it.
import {
  binary,
  boolean,
  computedTogether,
  type Environment,
  extend,
  implement,
  type Of,
  type Rec,
  type Records,
  required,
  returns,
  type Seen,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { roundHalfUp } from '../../../kit/rounding.ts'
import { assertAllowed } from '../../base/index.ts'
import { partnerTypes } from '../account-types.ts'
import { undoPartials } from '../reconcile/undo.ts'
import { ratesFor } from './headers.ts'
import { isInvoice, signOf } from './kinds.ts'

const move = extend('account.move', {
  fields: {
    invoice_has_outstanding: boolean({
      label: 'Has Outstanding',
      computed: true,
      help: 'The contact has outstanding payments or credits that it can be reconciled with.',
    }),
    invoice_outstanding_credits_debits_widget: binary({
      label: 'Invoice Outstanding Credits Debits Widget',
      computed: true,
      help: 'Outstanding payments and credits, with the open amount of each.',
    }),
  },
  methods: {
    js_assign_outstanding_line: {
      doc: 'Reconciles a document with an open item of its partner.',
      params: { line_id: required<number>('integer') },
    },
    js_remove_outstanding_partial: {
      doc: 'Undoes one reconciliation of a document.',
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
const dueItems = (moves: Moves) =>
  moves.env.model('account.move.line').search([
    ['move_id', 'in', moves.ids],
    ['account_type', 'in', [...partnerTypes]],
  ])

/** Documents are matched on the account of the item. Throws UserError where they owe nothing there. */
async function assign(moves: Moves, line: number): Promise<null> {
  const items = moves.env.model('account.move.line')
  const { account_id: account } = await items.browse([line]).one(['account_id'])
  const owed = await (await dueItems(moves)).filtered([
    ['account_id', '=', account?.id ?? 0],
    ['reconciled', '=', false],
  ])
  if (owed.length === 0)
    throw new UserError('The document has no open amount on the account of the item: choose another item.')
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
    throw new UserError(
      'The match does not belong to this document: reload the document, and choose one of its matches.',
    )
  const items = [match.debit_move_id.id, match.credit_move_id.id]
  await assertAllowed(moves.env.model('account.move.line').browse(items), 'write')
  await undoPartials(moves.env, [id])
  return true
}

type Linked = { readonly id: number } | null

/** Items of one account, contact and company that stand on one side: they settle those on the other. */
const placeOf = (account: Linked, partner: Linked, company: Linked, sign: number) =>
  [account?.id, partner?.id, company?.id, sign].join('/')

const documentPaths = [
  'state',
  'move_type',
  'payment_state',
  'commercial_partner_id',
  'company_id',
  'company_currency_id',
  'currency_id.rounding',
  'amount_residual',
] as const

const itemPaths = [
  'account_id',
  'partner_id',
  'company_id',
  'move_id.name',
  'move_id.ref',
  'payment_id',
  'date',
  'currency_id',
  'amount_residual',
  'amount_residual_currency',
] as const

type Document = Seen<Rec<'account.move'>, (typeof documentPaths)[number]>
type Item = Seen<Rec<'account.move.line'>, (typeof itemPaths)[number]>

/** Open items by the documents that they can settle: two statements, and none if no document is open. */
async function settlingItems(moves: readonly Document[], env: Environment): Promise<Map<number, Item[]>> {
  const open = moves.filter(
    (move) => isInvoice(move.move_type) && move.state !== 'cancel' && move.amount_residual !== 0,
  )
  if (open.length === 0) return new Map()
  const owed = await (await dueItems(env.model('account.move').browse(open.map(({ id }) => id)))).load([
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
  const places = Map.groupBy(await items.load([...itemPaths]), (item) =>
    placeOf(item.account_id, item.partner_id, item.company_id, Math.sign(item.amount_residual)),
  )
  const documents = new Map(open.map((document) => [document.id, document]))
  const settling = new Map<number, Item[]>()
  for (const { move_id, account_id } of owed) {
    const { id, move_type, commercial_partner_id, company_id } = present(documents.get(move_id.id))
    // Items of sales are credits, so that what settles them is a credit on the other side.
    const place = placeOf(account_id, commercial_partner_id, company_id, signOf(move_type))
    const others = (places.get(place) ?? []).filter((item) => item.move_id.id !== id)
    // Instalments of a document stand in one place.
    if (others.length) settling.set(id, [...new Set([...(settling.get(id) ?? []), ...others])])
  }
  return settling
}

/** The open amount of an item, in the currency of a document: at the rate of the item's day. */
async function openAmounts(
  pairs: readonly { readonly document: Document; readonly item: Item }[],
  env: Environment,
): Promise<(document: Document, item: Item) => number> {
  const rateRequestOf = (document: Document, item: Item) => ({
    company: document.company_id?.id ?? env.companyId,
    companyCurrency: document.company_currency_id?.id ?? 0,
    currency: document.currency_id.id,
    day: item.date ?? today(env.tz, env.now()),
  })
  const rates = await ratesFor(
    env,
    pairs
      .filter(({ document, item }) => item.currency_id.id !== document.currency_id.id)
      .map(({ document, item }) => rateRequestOf(document, item)),
  )
  return (document, item) =>
    Math.abs(
      item.currency_id.id === document.currency_id.id
        ? item.amount_residual_currency
        : roundHalfUp(
            item.amount_residual * rates(rateRequestOf(document, item)),
            document.currency_id.rounding,
          ),
    )
}

/** The list of what a document can be settled with, as forms show it; false where there is nothing. */
async function outstandingLists(
  moves: readonly Document[],
  settling: ReadonlyMap<number, readonly Item[]>,
  env: Environment,
) {
  const pairs = moves.flatMap((document) =>
    (settling.get(document.id) ?? []).map((item) => ({ document, item })),
  )
  const openOf = await openAmounts(pairs, env)
  const lists = Map.groupBy(
    pairs.filter(({ document, item }) => openOf(document, item) > 0),
    ({ document }) => document,
  )
  return new Map(
    [...lists].map(([document, documentItems]) => [
      document.id,
      {
        outstanding: true,
        content: documentItems.map(({ item }) => ({
          journal_name: item.move_id.name,
          amount: openOf(document, item),
          currency_id: document.currency_id.id,
          id: item.id,
          move_id: item.move_id.id,
          date: item.date,
          account_payment_id: item.payment_id?.id ?? false,
          move_ref: item.move_id.ref ?? '',
        })),
        move_id: document.id,
        title: signOf(document.move_type) < 0 ? 'Outstanding credits' : 'Outstanding debits',
      },
    ]),
  )
}

const hasOutstanding = computedTogether(move, documentPaths, async (moves, env) => {
  const settling = await settlingItems(moves, env)
  return new Map(moves.map(({ id }) => [id, settling.has(id)]))
})

const outstanding = computedTogether(move, documentPaths, async (moves, env) => {
  const lists = await outstandingLists(moves, await settlingItems(moves, env), env)
  return new Map(moves.map(({ id }) => [id, lists.get(id) ?? false]))
})

export default implement(move, {
  computed: {
    invoice_has_outstanding: hasOutstanding,
    invoice_outstanding_credits_debits_widget: outstanding,
  },
  methods: {
    js_assign_outstanding_line: (moves, { line_id }) => assign(moves, line_id),
    js_remove_outstanding_partial: (moves, { partial_id }) => removeMatch(moves, partial_id),
  },
})
