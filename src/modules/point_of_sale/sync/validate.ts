// Validates each order that a till sent: which session takes it, whether it is new, which sale it
// refunds; or why it is refused.
import { MissingError, UserError, ValidationError } from '../../../errors.ts'
import { assertOneWay } from '../order/amounts.ts'
import type { Facts, RefundedLine, SessionFacts, StoredOrder } from './facts.ts'
import { type Entry, type Incoming, idOf, numeric } from './incoming.ts'

export interface ValidOrder {
  readonly order: Incoming
  readonly session: SessionFacts
  /** The draft to update; null for a new order. */
  readonly draft: StoredOrder | null
  readonly partner: number | null
  readonly toInvoice: boolean
  /** The order that goods come back from. */
  readonly refunded: RefundedLine | null
  /** New and changed records of a draft; uuids of its existing records count as their ids. */
  readonly newLines: readonly Entry[]
  readonly changedLines: readonly (Entry & { readonly id: number })[]
  readonly newPayments: readonly Entry[]
  readonly changedPayments: readonly (Entry & { readonly id: number })[]
}

const isClosed = ({ state }: SessionFacts) => state === 'closed' || state === 'closing_control'

/**
 * The session that takes an order: its own, or the one that is open now at the same point of sale.
 * Throws UserError if no session is open.
 */
function sessionFor(order: Incoming, facts: Facts): SessionFacts {
  const session = facts.sessions.get(order.session)
  if (!session) throw new MissingError('The session of an order does not exist.')
  if (!isClosed(session)) return session
  const open = [...facts.sessions.values()].find(
    (record) => record.config === session.config && record.id !== session.id && !isClosed(record),
  )
  if (!open)
    throw new UserError(
      `The session is closed, and no other one is open at ${session.configName}: open one and send the order again.`,
    )
  return open
}

/** Throws ValidationError for an order that takes goods back from several. */
function refundedBy(order: Incoming, facts: Facts): RefundedLine | null {
  const lines = order.lines.flatMap(
    ({ vals }) => facts.refunded.get(idOf(vals.refunded_orderline_id) ?? 0) ?? [],
  )
  if (new Set(lines.map((line) => line.order)).size > 1)
    throw new ValidationError('An order can refund only one other order: send one refund for each order.')
  return lines[0] ?? null
}

type Vals = Record<string, unknown>
type Stored = StoredOrder['lines']

/** New and changed entries: an entry whose uuid the draft already has is a change. */
function split(
  entries: readonly Entry[],
  stored: Stored,
): { fresh: Entry[]; changed: (Entry & { id: number })[] } {
  const byUuid = new Map(stored.flatMap(({ id, uuid }) => (uuid === null ? [] : [[uuid, id] as const])))
  const storedIds = new Set(stored.map(({ id }) => id))
  const [fresh, changed]: [Entry[], (Entry & { id: number })[]] = [[], []]
  for (const entry of entries) {
    const id = entry.id ?? (entry.uuid === null ? undefined : byUuid.get(entry.uuid))
    if (id === undefined) fresh.push(entry)
    else if (storedIds.has(id)) changed.push({ ...entry, id })
    else throw new ValidationError('A line or payment belongs to another order.')
  }
  return { fresh, changed }
}

/** The payment of change to the customer. Throws UserError if there is no cash payment method. */
export function changeOf({ order, session }: ValidOrder): Vals[] {
  if (!order.paid || order.change === 0) return []
  const cash = session.methods.find((method) => method.cash)
  if (!cash)
    throw new UserError(`${session.configName} has no cash payment method, so it cannot give change.`)
  return [{ payment_method_id: cash.id, amount: order.change, is_change: true, name: 'return' }]
}

/** The payments that come with an order and its change, as stored ones are loaded. */
const paymentsOf = (judged: ValidOrder) =>
  [
    ...judged.newPayments.map(({ vals }) => ({ ...vals, is_change: false })),
    ...changeOf(judged).map((vals) => ({ ...vals, is_change: true })),
  ].map(({ payment_method_id, amount, is_change }: Sent) => ({
    payment_method_id: { id: idOf(payment_method_id) },
    amount: numeric(amount),
    is_change,
  }))

interface Sent {
  readonly payment_method_id?: unknown
  readonly amount?: unknown
  readonly is_change: boolean
}

type Payments = Parameters<typeof assertOneWay>[0]

/** Throws ValidationError for a paid order with incoming and outgoing payments, those of its draft included. */
export function assertPayments(judged: ValidOrder, before: Payments): void {
  if (!judged.order.paid) return
  const cash = judged.session.methods.flatMap((method) => (method.cash ? method.id : []))
  assertOneWay([...before, ...paymentsOf(judged)], new Set(cash))
}

/**
 * Null for a stored order that is no longer a draft: it is left unchanged. Throws UserError and
 * ValidationError.
 */
export function validateOrder(order: Incoming, facts: Facts): ValidOrder | null {
  const storedOrder = order.uuid === null ? null : (facts.orders.get(order.uuid) ?? null)
  if (storedOrder && storedOrder.state !== 'draft') return null
  const refunded = refundedBy(order, facts)
  const session = sessionFor(order, facts)
  const partner = order.partner !== null && facts.partners.has(order.partner) ? order.partner : null
  const lost = order.partner !== null && partner === null
  const lines = split(order.lines, storedOrder?.lines ?? [])
  const payments = split(order.payments, storedOrder?.payments ?? [])
  const taken = new Set(session.methods.map(({ id }) => id))
  for (const { vals } of payments.fresh)
    if (!taken.has(idOf(vals.payment_method_id) ?? 0))
      throw new ValidationError(`${session.configName} does not accept this payment method.`)
  const judged: ValidOrder = {
    order,
    session,
    draft: storedOrder,
    partner,
    toInvoice: order.toInvoice && !lost,
    refunded,
    newLines: lines.fresh,
    changedLines: lines.changed,
    newPayments: payments.fresh,
    changedPayments: payments.changed,
  }
  if (!storedOrder) assertPayments(judged, [])
  return judged
}
