// From what a till sent to what is stored: values of orders, lines and payments, and what is paid with them.

import { isInteger } from '../../../kit/present.ts'
import { addDecimals, asDecimal } from '../../../kit/rounding.ts'
import type { Tax } from '../../account/index.ts'
import { givenIds } from '../../base/index.ts'
import { assertPaid, checked, inCoins, type PaidLine, sum, totalsOf } from '../order/amounts.ts'
import { type Entry, idOf, numeric } from './incoming.ts'
import { changeOf, type ValidOrder } from './validate.ts'

type Vals = Record<string, unknown>

/** Ids that commands on a many2many leave linked: tills send `[[6, 0, ids]]`, plain ids, or `[4, id]`. */
export function linkedIds(value: unknown): number[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    if (isInteger(item)) return [item]
    if (!Array.isArray(item)) return []
    if (item[0] === 6) return givenIds(item[2])
    return item[0] === 4 && isInteger(item[1]) ? [item[1]] : []
  })
}

/** A line as the tax engine takes it. */
export const paidLine = ({ vals }: Entry, taxesOf: (ids: readonly number[]) => readonly Tax[]): PaidLine => ({
  price_unit: numeric(vals.price_unit),
  qty: vals.qty === undefined ? 1 : numeric(vals.qty),
  discount: numeric(vals.discount),
  taxes: taxesOf(linkedIds(vals.tax_ids)),
})

export const lastPart = (reference: string | null): string => reference?.split('-').at(-1) ?? ''

/** Name of an order once it is paid. */
export const paidName = (config: string, reference: string | null, refunded: string | null): string =>
  refunded === null ? `${config} - ${lastPart(reference)}` : `${refunded} REFUND`

export interface Settled {
  readonly state: 'paid' | 'draft'
  readonly name?: string
  readonly vals: Vals
}

/**
 * Values of an order with these lines and payments. Totals stay as the till says them. With change they
 * are computed again (recorded): taxes are the lines', as far as these come to the same total, and the
 * total is in coins where all totals of the till are. Throws UserError for orders that are not
 * paid, and for totals that the point of sale refuses.
 */
export function settled(
  judged: ValidOrder,
  reference: string | null,
  lines: readonly PaidLine[],
  amounts: readonly number[],
): Settled {
  const { order, session } = judged
  if (!order.paid) return { state: 'draft', vals: { amount_return: Math.abs(order.change) } }
  const name = paidName(session.configName, reference, judged.refunded?.name ?? null)
  const paid = sum([...amounts, ...changeOf(judged).map(({ amount }) => numeric(amount))])
  assertPaid(name, order.total, paid, session)
  const computed = session.check === 'off' && order.change === 0 ? null : totalsOf(lines, session)
  const agrees = computed !== null && addDecimals(computed.total, -order.total) === 0
  const recomputed = order.change !== 0 && agrees
  const total = recomputed && session.coins ? inCoins(order.total, session.coins) : order.total
  return {
    state: 'paid',
    name,
    vals: {
      amount_total: total,
      amount_tax: recomputed ? computed.tax : order.tax,
      amount_paid: paid,
      amount_return: order.change === 0 ? 0 : -order.change,
      ...(order.change === 0 ? {} : { amount_difference: addDecimals(paid, -total) }),
      ...(session.check === 'off' || computed === null
        ? {}
        : checked(
            name,
            { total: order.total, tax: order.tax },
            computed,
            session.rounding,
            session.check === 'refuse',
          )),
    },
  }
}

/** Values of an order, without those that follow from its payments. */
export function orderVals(judged: ValidOrder, uid: number): Vals {
  const { order, session, partner, toInvoice, refunded } = judged
  return {
    user_id: uid,
    ...order.vals,
    session_id: session.id,
    config_id: session.config,
    company_id: session.company,
    currency_id: session.currency,
    partner_id: partner ?? false,
    to_invoice: toInvoice,
    ...(refunded ? { refunded_order_id: refunded.order } : {}),
    // Whatever the till calls it: money is given back.
    ...(refunded || order.total < 0 ? { is_refund: true } : {}),
  }
}

/** Values of a line: numbered, with its cost. */
export function lineVals(
  { vals, uuid }: Entry,
  { session }: ValidOrder,
  order: number,
  number: string | undefined,
  costOf: (product: number) => number,
): Vals {
  const qty = vals.qty === undefined ? 1 : numeric(vals.qty)
  return {
    ...vals,
    uuid: uuid ?? false,
    name: number ?? false,
    order_id: order,
    company_id: session.company,
    currency_id: session.currency,
    total_cost: asDecimal(costOf(idOf(vals.product_id) ?? 0) * qty),
    is_total_cost_computed: true,
  }
}

export const paymentVals = (vals: Vals, { session }: ValidOrder, order: number, moment: string): Vals => ({
  payment_date: moment,
  ...vals,
  pos_order_id: order,
  session_id: session.id,
  company_id: session.company,
  currency_id: session.currency,
})
