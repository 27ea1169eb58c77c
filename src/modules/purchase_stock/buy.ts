// Rules that buy: needs become lines of requests for quotation, one request for each vendor, kind of
// operation and company; all needs of a call together.

import type { Environment, Vals } from '#models'
import { UserError } from '../../errors.ts'
import { addDays, nowUtc } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { type Offer, offersFor } from '../product/index.ts'
import { BY_QUANTITY } from '../purchase/index.ts'
import type { Matched } from '../stock/index.ts'

interface Demand extends Matched {
  readonly offer: Offer
  readonly quantity: number
  /** When the order has to be placed for the goods to come in time. */
  readonly placed: string
}

/**
 * Buys needed goods. Throws UserError for goods made to order without a vendor; reordering rules without
 * a vendor are skipped.
 */
export async function buyAll(env: Environment, matched: readonly Matched[]): Promise<void> {
  const su = env.sudo().withContext({ [BY_QUANTITY]: true })
  const demands = await demandsOf(su, matched)
  if (demands.length === 0) return
  const groups = [
    ...Map.groupBy(demands, (demand) => keyOf(demand.need.company, demand.offer.vendor, demand.rule.type)),
  ]
  const drafts = await draftsFor(su, demands)
  const fresh = groups.filter(([key]) => !drafts.has(key)).map(([, group]) => group)
  const orders = su.model('purchase.order')
  if (fresh.length) await orders.create(fresh.map((group) => requestOf(group, nowUtc(env.now()))))
  const extended = groups.flatMap(([key, group]) => {
    const draft = drafts.get(key)
    return draft ? [{ draft, group }] : []
  })
  await addTo(su, extended)
}

/** The later of two moments. */
const latest = (moment: string, other: string): string => (moment.localeCompare(other) > 0 ? moment : other)

const keyOf = (company: number, vendor: number, type: number) => `${company}/${vendor}/${type}`

/** Vendors that reordering rules buy from, where they name one. */
async function chosenVendors(env: Environment, matched: readonly Matched[]): Promise<Map<number, number>> {
  const rules = matched.flatMap(({ need }) => need.orderpoint ?? [])
  if (rules.length === 0) return new Map()
  const rows = await env
    .model('stock.warehouse.orderpoint')
    .browse([...new Set(rules)])
    .load(['supplier_id.partner_id'])
  return new Map(rows.flatMap((row) => (row.supplier_id ? [[row.id, row.supplier_id.partner_id.id]] : [])))
}

/** Needs with the offers that meet them. */
async function demandsOf(env: Environment, matched: readonly Matched[]): Promise<Demand[]> {
  const now = nowUtc(env.now())
  const wanted = matched
    .map((matching) => ({ ...matching, quantity: matching.need.quantity }))
    .filter(({ quantity }) => quantity > 0)
  const chosen = await chosenVendors(env, wanted)
  const offers = await offersFor(
    env,
    wanted.map(({ need, quantity }) => ({
      product: need.product,
      company: need.company,
      vendor: need.vendor ?? chosen.get(need.orderpoint ?? 0) ?? null,
      quantity,
      unit: need.unit,
      day: latest(need.date, now).slice(0, 10),
    })),
  )
  const unmet = wanted.find(({ need }, i) => !offers[i] && !need.orderpoint)
  if (unmet) {
    const [product] = await env.model('product.product').browse([unmet.need.product]).load(['display_name'])
    throw new UserError(
      `No vendor offers ${product?.display_name}: add one to the product before it is bought.`,
    )
  }
  const companies = await env
    .model('res.company')
    .browse([...new Set(wanted.map(({ need }) => need.company))])
    .load(['days_to_purchase'])
  const daysToPurchase = new Map(companies.map((company) => [company.id, company.days_to_purchase]))
  return wanted.flatMap((demand, i) => {
    const offer = offers[i]
    if (!offer) return []
    const days = offer.delay + Math.ceil(daysToPurchase.get(demand.need.company) ?? 0)
    const placed = addDays(demand.need.date, -days)
    return [{ ...demand, offer, placed: latest(placed, now) }]
  })
}

/** Requests that are not sent yet and take more lines, by key. */
async function draftsFor(env: Environment, demands: readonly Demand[]): Promise<Map<string, number>> {
  const openDrafts = await env.model('purchase.order').search(
    [
      ['state', '=', 'draft'],
      ['user_id', '=', false],
      ['partner_id', 'in', [...new Set(demands.map((demand) => demand.offer.vendor))]],
      ['picking_type_id', 'in', [...new Set(demands.map((demand) => demand.rule.type))]],
      ['company_id', 'in', [...new Set(demands.map((demand) => demand.need.company))]],
      ['dest_address_id', '=', false],
    ],
    { order: 'id' },
  )
  const drafts = new Map<string, number>()
  for (const draft of await openDrafts.load(['company_id', 'partner_id', 'picking_type_id'])) {
    const key = keyOf(draft.company_id.id, draft.partner_id.id, draft.picking_type_id.id)
    if (!drafts.has(key)) drafts.set(key, draft.id)
  }
  return drafts
}

const origins = (texts: readonly (string | null)[]) =>
  [...new Set(texts.flatMap((text) => text?.split(', ') ?? []))].filter(Boolean).join(', ')

function requestOf(group: readonly Demand[], now: string): Vals<'purchase.order'> {
  const [first] = group as [Demand, ...Demand[]]
  return {
    partner_id: first.offer.vendor,
    company_id: first.need.company,
    picking_type_id: first.rule.type,
    user_id: false,
    date_order: group.map((demand) => demand.placed).toSorted()[0] ?? now,
    origin: origins(group.map((demand) => demand.need.origin)) || false,
    order_line: linesOf(group).map((line) => [0, 0, line]),
  }
}

/** Key of needs that share a line: the same product and unit, for the same reordering rule. */
const lineKey = (
  product: number | undefined,
  unit: number | undefined,
  orderpoint: number | null | undefined,
) => `${product}/${unit}/${orderpoint ?? ''}`
const demandKey = ({ need }: Demand) => lineKey(need.product, need.unit, need.orderpoint)

function linesOf(group: readonly Demand[]): Vals<'purchase.order.line'>[] {
  return [...Map.groupBy(group, demandKey).values()].map((same) => {
    const [{ need, rule }] = same as [Demand, ...Demand[]]
    return {
      product_id: need.product,
      product_uom_id: need.unit,
      product_qty: sumOf(same),
      date_planned: earliest(same),
      propagate_cancel: rule.propagate,
      orderpoint_id: need.orderpoint ?? false,
      move_dest_ids: destsOf(same).map((id) => [4, id, 0] as const),
    }
  })
}

const sumOf = (demands: readonly Demand[]) =>
  demands.reduce((sum, demand) => addDecimals(sum, demand.quantity), 0)
const earliest = (demands: readonly Demand[]) =>
  present(demands.map((demand) => demand.need.date).toSorted()[0])
const destsOf = (demands: readonly Demand[]) => demands.flatMap((demand) => demand.need.dests ?? [])

/** Adds demands to existing requests: to their lines where they fit, else on new ones. */
async function addTo(
  env: Environment,
  extended: readonly { readonly draft: number; readonly group: readonly Demand[] }[],
): Promise<void> {
  if (extended.length === 0) return
  const orders = env.model('purchase.order').browse(extended.map(({ draft }) => draft))
  const rows = await orders.load([
    'origin',
    'order_line.product_id',
    'order_line.product_uom_id',
    'order_line.orderpoint_id',
    'order_line.product_qty',
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const more: Vals<'purchase.order.line'>[] = []
  const grown = new Map<number, Vals<'purchase.order.line'>>()
  for (const { draft, group } of extended) {
    const lines = new Map(
      byId
        .get(draft)
        ?.order_line.map((line) => [
          lineKey(line.product_id?.id, line.product_uom_id?.id, line.orderpoint_id?.id),
          line,
        ]),
    )
    for (const [key, same] of Map.groupBy(group, demandKey)) {
      const line = lines.get(key)
      if (line) {
        const move_dest_ids = destsOf(same).map((id) => [4, id, 0] as const)
        grown.set(line.id, {
          product_qty: addDecimals(line.product_qty, sumOf(same)),
          ...(move_dest_ids.length ? { move_dest_ids } : {}),
        })
      } else more.push(...linesOf(same).map((vals) => ({ ...vals, order_id: draft })))
    }
  }
  if (grown.size)
    await env
      .model('purchase.order.line')
      .browse([...grown.keys()])
      .writeEach(grown)
  if (more.length) await env.model('purchase.order.line').create(more)
  const named = extended.map(({ draft, group }) => {
    const origin = origins([byId.get(draft)?.origin ?? null, ...group.map((demand) => demand.need.origin)])
    return [draft, { origin: origin || false }] as const
  })
  await orders.writeEach(new Map(named))
}
