// Payments of documents as clients show them (account.move): the list below the totals, how many there
// are, what is due next, instalments, and the state of payment in one word.
import {
  binary,
  computed,
  computedTogether,
  date,
  type Environment,
  extend,
  implement,
  integer,
  many2many,
  type Of,
  type Rec,
  type Seen,
  selection,
} from '#models'
import { languagesFor, type Written } from '../../base/index.ts'
import { isInvoice } from './kinds.ts'

const move = extend('account.move', {
  fields: {
    invoice_payments_widget: binary({
      label: 'Invoice Payments Widget',
      computed: true,
      help: 'Reconciliations of the document: payments, credits, exchange differences.',
    }),
    payment_count: integer({ label: 'Payment Count', computed: true }),
    reconciled_payment_ids: many2many('account.payment', {
      label: 'Reconciled Payments',
      computed: true,
      help: 'Payments that are reconciled with it.',
    }),
    next_payment_date: date({ label: 'Next Payment Date', computed: true }),
    payment_term_details: binary({
      label: 'Payment Term Details',
      computed: true,
      help: 'Days and amounts of its instalments, and of the discount for paying early.',
    }),
    status_in_payment: selection(
      {
        not_paid: 'Not Paid',
        in_payment: 'In Payment',
        paid: 'Paid',
        partial: 'Partially Paid',
        reversed: 'Reversed',
        blocked: 'Blocked',
        invoicing_legacy: 'Invoicing App Legacy',
        draft: 'Draft',
        posted: 'Posted',
        sent: 'Sent',
        cancel: 'Cancelled',
      },
      { label: 'Status In Payment', computed: true, help: 'The next step of the payment.' },
    ),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

const sidePaths = <const S extends 'debit_move_id' | 'credit_move_id'>(side: S) =>
  [
    `${side}.name`,
    `${side}.date`,
    `${side}.payment_id`,
    `${side}.account_type`,
    `${side}.move_id.name`,
    `${side}.move_id.ref`,
    `${side}.move_id.move_type`,
    `${side}.move_id.exchange_diff_partial_ids`,
    `${side}.journal_id.name`,
    `${side}.company_id.name`,
    `${side}.payment_id.payment_method_line_id.name`,
  ] as const

const matchPaths = [
  'amount',
  'debit_amount_currency',
  'credit_amount_currency',
  'debit_currency_id',
  'credit_currency_id',
  'company_currency_id',
  ...sidePaths('debit_move_id'),
  ...sidePaths('credit_move_id'),
] as const

type Match = Seen<Rec<'account.partial.reconcile'>, (typeof matchPaths)[number]>

/** A match as it looks from one of its documents. */
interface SeenMatch {
  readonly match: Match
  /** The item of what the document is matched with. */
  readonly other: Match['debit_move_id']
  readonly isExchange: boolean
  /** In the currency of the item of the document, and in that of the other. */
  readonly amount: number
  readonly currency: number
  readonly otherAmount: number
  readonly otherCurrency: number
}

/**
 * Matches by document, differences of rates first: users who may see a document may see its payments.
 * One search for all of them.
 */
async function matchesOf(env: Environment, ids: readonly number[]): Promise<Map<number, SeenMatch[]>> {
  const partials = env.sudo().model('account.partial.reconcile')
  const records = await partials.search(
    ['|', ['debit_move_id.move_id', 'in', ids], ['credit_move_id.move_id', 'in', ids]],
    { order: 'id' },
  )
  const matches = new Map<number, SeenMatch[]>()
  const wanted = new Set(ids)
  for (const match of await records.load([...matchPaths]))
    for (const [side, otherSide] of [
      ['debit', 'credit'],
      ['credit', 'debit'],
    ] as const) {
      const document = match[`${side}_move_id`].move_id.id
      const other = match[`${otherSide}_move_id`]
      if (!wanted.has(document) || other.move_id.id === document) continue
      const ofDocument = matches.get(document) ?? []
      ofDocument.push({
        match,
        other,
        isExchange: other.move_id.exchange_diff_partial_ids.length > 0,
        amount: match[`${side}_amount_currency`],
        currency: match[`${side}_currency_id`]?.id ?? 0,
        otherAmount: match[`${otherSide}_amount_currency`],
        otherCurrency: match[`${otherSide}_currency_id`]?.id ?? 0,
      })
      matches.set(document, ofDocument)
    }
  for (const documentMatches of matches.values())
    documentMatches.sort((a, b) => Number(b.isExchange) - Number(a.isExchange))
  return matches
}

const nameOf = ({ name, ref }: { readonly name: string | null; readonly ref: string | null }) =>
  ref ? `${name ?? ''} (${ref})` : (name ?? '')

type Currencies = Awaited<ReturnType<typeof currenciesOf>>

async function currenciesOf(env: Environment, matches: Iterable<readonly SeenMatch[]>) {
  const all = [...matches].flat()
  const ids = all.flatMap((row) => [row.currency, row.otherCurrency, row.match.company_currency_id?.id ?? 0])
  const rows = await env
    .sudo()
    .model('res.currency')
    .browse([...new Set(ids)])
    .load(['symbol', 'position', 'decimal_places'])
  return new Map(rows.map((row) => [row.id, row]))
}

function paymentRow(seen: SeenMatch, currencies: Currencies, write: Written) {
  const { match, other, isExchange } = seen
  const company = match.company_currency_id?.id ?? 0
  const written = (amount: number, id: number) => {
    const currency = currencies.get(id)
    return currency ? write.money(amount, currency) : false
  }
  const foreign = !isExchange && seen.otherCurrency !== company
  return {
    name: other.name ?? false,
    journal_name: other.journal_id?.name ?? false,
    company_name: other.company_id?.name ?? false,
    amount: isExchange ? match.amount : seen.amount,
    currency_id: isExchange ? company : seen.currency,
    date: other.date ?? false,
    partial_id: match.id,
    account_payment_id: other.payment_id?.id ?? false,
    payment_method_name: other.payment_id?.payment_method_line_id?.name ?? false,
    move_id: other.move_id.id,
    is_refund: ['out_refund', 'in_refund'].includes(other.move_id.move_type),
    ref: nameOf(other.move_id),
    is_exchange: isExchange,
    amount_company_currency: written(match.amount, company),
    amount_foreign_currency: foreign && written(seen.otherAmount, seen.otherCurrency),
    pos_payment_name: false,
  }
}

const widget = computedTogether(move, ['state', 'move_type'], async (moves, env) => {
  const posted = moves.filter((move) => move.state === 'posted' && isInvoice(move.move_type))
  const matches = await matchesOf(
    env,
    posted.map(({ id }) => id),
  )
  const currencies = await currenciesOf(env, matches.values())
  const write = (await languagesFor(env, [env.lang]))(env.lang)
  return new Map(
    moves.map(({ id }) => {
      const documentMatches = matches.get(id)
      const content = documentMatches?.map((seen) => paymentRow(seen, currencies, write))
      return [id, content ? { title: 'Less Payment', outstanding: false, content } : false]
    }),
  )
})

const reconciledPayments = computedTogether(move, [], async (moves, env) => {
  const matches = await matchesOf(
    env,
    moves.map(({ id }) => id),
  )
  return new Map(
    moves.map(({ id }) => {
      const payments = (matches.get(id) ?? []).flatMap(({ other }) => other.payment_id?.id ?? [])
      return [id, [...new Set(payments)].sort((a, b) => a - b)]
    }),
  )
})

const paymentCount = computed(
  move,
  ['reconciled_payment_ids', 'matched_payment_ids'],
  (move) => new Set([...move.reconciled_payment_ids, ...move.matched_payment_ids].map(({ id }) => id)).size,
)

/** The day of the first instalment that is open; until the discount ends, the day that it ends. */
const nextDate = computed(
  move,
  ['line_ids.display_type', 'line_ids.reconciled', 'line_ids.payment_date'],
  (move) =>
    move.line_ids
      .flatMap((item) =>
        item.display_type === 'payment_term' && !item.reconciled ? (item.payment_date ?? []) : [],
      )
      .sort()[0] ?? null,
)

/** Instalments of documents that have several, or that grant a discount; false of all others. */
const details = computedTogether(
  move,
  [
    'move_type',
    'amount_total',
    'invoice_payment_term_id',
    'line_ids.display_type',
    'line_ids.date_maturity',
    'line_ids.amount_currency',
    'line_ids.discount_date',
    'line_ids.discount_amount_currency',
  ],
  async (moves, env) => {
    const write = (await languagesFor(env, [env.lang]))(env.lang)
    return new Map(
      moves.map((move) => {
        const terms = move.line_ids
          .filter((item) => item.display_type === 'payment_term')
          .toSorted((a, b) => (a.date_maturity ?? '').localeCompare(b.date_maturity ?? ''))
        const hasTerms = isInvoice(move.move_type) && move.invoice_payment_term_id !== null
        const rows = terms.map((item) => ({
          date: write.date(item.date_maturity),
          amount: Math.abs(item.amount_currency),
          ...(item.discount_date
            ? {
                discount_date: write.date(item.discount_date),
                discount_amount_currency: Math.abs(item.discount_amount_currency),
              }
            : {}),
        }))
        const worth = rows.length > 1 || terms.some((item) => item.discount_date)
        return [move.id, hasTerms && worth && rows]
      }),
    )
  },
)

const status = computed(move, ['state', 'payment_state', 'is_move_sent'], (move) => {
  if (move.state !== 'posted') return move.state
  if (move.payment_state !== 'not_paid' && move.payment_state) return move.payment_state
  return move.is_move_sent ? 'sent' : 'posted'
})

export default implement(move, {
  computed: {
    invoice_payments_widget: widget,
    reconciled_payment_ids: reconciledPayments,
    payment_count: paymentCount,
    next_payment_date: nextDate,
    payment_term_details: details,
    status_in_payment: status,
  },
})
