// Which offers of the vendor apply to lines of orders: to new lines before they have a quantity, to others
// as they stand.

import type { Environment } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { offersFor, type Proposal, proposalsFor } from '../product/index.ts'

type Link = { readonly id: number }

export interface Offered {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
  readonly product_uom_id: Link | null
  readonly product_qty: number
}

/** An order as far as prices go. */
export interface Terms {
  readonly company: number
  readonly companyCurrency: number
  readonly currency: number
  readonly currencyDigits: number
  readonly vendor: number
  readonly position: number | null
  readonly state: string | null
  /** The moment of the order, and its day. */
  readonly moment: string
  readonly day: string
}

export async function termsOf(
  env: Environment,
  lines: readonly Pick<Offered, 'order_id'>[],
): Promise<Map<number, Terms>> {
  const orders = await env
    .sudo()
    .model('purchase.order')
    .browse([...new Set(lines.map((line) => line.order_id.id))])
    .load([
      'company_id.currency_id',
      'currency_id.decimal_places',
      'partner_id',
      'fiscal_position_id',
      'date_order',
      'state',
    ])
  return new Map(
    orders.map((order) => {
      const moment = order.date_order ?? nowUtc(env.now())
      return [
        order.id,
        {
          company: order.company_id.id,
          companyCurrency: order.company_id.currency_id.id,
          currency: order.currency_id.id,
          currencyDigits: order.currency_id.decimal_places,
          vendor: order.partner_id.id,
          position: order.fiscal_position_id?.id ?? null,
          state: order.state,
          moment,
          day: moment.slice(0, 10),
        },
      ]
    }),
  )
}

/** Proposals that new lines with a product begin with, by line. */
export async function proposalsOf(
  env: Environment,
  lines: readonly Pick<Offered, 'id' | 'order_id' | 'product_id'>[],
  terms: ReadonlyMap<number, Terms>,
): Promise<Map<number, Proposal>> {
  const asks = lines.flatMap(({ id, order_id, product_id: product }) => {
    const orderTerms = terms.get(order_id.id)
    if (!orderTerms || !product) return []
    const { company, vendor, day } = orderTerms
    return [{ id, product: product.id, company, vendor, day }]
  })
  const proposals = await proposalsFor(env, asks)
  return new Map(asks.flatMap(({ id }, i) => (proposals[i] ? [[id, proposals[i]] as const] : [])))
}

/** Lines with a product and a unit, each with the offer that applies to it, if any. */
export async function offersOf<L extends Offered>(
  env: Environment,
  lines: readonly L[],
  terms: ReadonlyMap<number, Terms>,
  fresh = false,
) {
  const asks = lines.flatMap((line) => {
    const orderTerms = terms.get(line.order_id.id)
    return orderTerms && line.product_id && line.product_uom_id
      ? [
          {
            ...orderTerms,
            line,
            product: line.product_id.id,
            unit: line.product_uom_id.id,
            quantity: line.product_qty,
          },
        ]
      : []
  })
  if (fresh) {
    const proposals = await proposalsOf(env, lines, terms)
    return asks.map((ask) => {
      const proposal = proposals.get(ask.line.id)
      return { ...ask, unit: proposal?.unit.id ?? ask.unit, offer: proposal?.offer ?? null }
    })
  }
  const offers = await offersFor(env, asks)
  return asks.map((ask, i) => ({ ...ask, offer: offers[i] ?? null }))
}

export type LineOffer = Awaited<ReturnType<typeof offersOf>>[number]
