// Offers of vendors for purchases: by product, quantity and day, the cheapest that fits; in sets, read
// as superuser.
import type { Environment } from '#models'
import { ratesOn } from '../base/index.ts'
import { convertQuantity, factorsOf, type UnitFactor } from '../uom/index.ts'

/** A purchase to find an offer for. */
export interface OfferAsk {
  readonly product: number
  readonly company: number
  /** Null: any vendor. */
  readonly vendor: number | null
  readonly quantity: number
  /** The unit of the quantity. */
  readonly unit: number
  /** `YYYY-MM-DD`. */
  readonly day: string
}

/** Price of a vendor for a product, with the unit and currency that it is in. */
export interface Offer {
  readonly id: number
  readonly vendor: number
  /** For one of its unit, in its currency, before the discount. */
  readonly price: number
  readonly discount: number
  readonly currency: number
  readonly unit: UnitFactor
  /** Days between order and receipt. */
  readonly delay: number
  /** The vendor's own code and name of the product. */
  readonly code: string | null
  readonly name: string | null
}

/** The offer for each purchase, in their order, in a fixed number of statements. */
export async function offersFor(env: Environment, asks: readonly OfferAsk[]): Promise<(Offer | null)[]> {
  if (asks.length === 0) return []
  const su = env.sudo()
  const candidates = await candidatesFor(su, asks)
  return cheapestFitting(su, asks, candidates)
}

/** A product that is about to be bought, before a quantity is known. */
export type ProposalAsk = Omit<OfferAsk, 'vendor' | 'quantity' | 'unit'> & { readonly vendor: number }

/** Quantity to buy from a vendor, in the vendor's unit. */
export interface Proposal {
  readonly quantity: number
  readonly unit: UnitFactor
  /** The offer that applies to that quantity. */
  readonly offer: Offer | null
}

/**
 * Proposals that a new line begins with, in the order of the asks: the quantity and the unit of the vendor's
 * offer with the lowest minimum, else one of the product's unit; and the offer that applies to that quantity
 * (recorded: price and text of a new line are those of this quantity, whatever quantity and unit the line is
 * given). A fixed number of statements.
 */
export async function proposalsFor(env: Environment, asks: readonly ProposalAsk[]): Promise<Proposal[]> {
  if (asks.length === 0) return []
  const su = env.sudo()
  const candidates = await candidatesFor(su, asks)
  const products = await su
    .model('product.product')
    .browse([...new Set(asks.map((ask) => ask.product))])
    .load(['product_tmpl_id.uom_id.factor'])
  const units = new Map(products.map((product) => [product.id, product.product_tmpl_id.uom_id]))
  const proposed = asks.map((ask, i) => {
    const lowest = (candidates[i] ?? [])
      .filter((offer) => offer.vendor === ask.vendor && isValidOn(offer, ask.day))
      .toSorted((a, b) => a.minimum - b.minimum)[0]
    const unit = lowest?.unit ?? units.get(ask.product)
    if (!unit) throw new Error(`product ${ask.product} does not exist`)
    return { ...ask, quantity: lowest?.minimum || 1, factor: unit, unit: unit.id }
  })
  const offers = await cheapestFitting(su, proposed, candidates)
  return proposed.map(({ quantity, factor: { id, factor } }, i) => ({
    quantity,
    unit: { id, factor },
    offer: offers[i] ?? null,
  }))
}

/**
 * Offers by ask, of its product, company and vendor or the vendor's company, whatever the quantity and day.
 */
async function candidatesFor(
  su: Environment,
  asks: readonly (ProposalAsk | OfferAsk)[],
): Promise<readonly (readonly Candidate[])[]> {
  const products = await su
    .model('product.product')
    .browse([...new Set(asks.map((ask) => ask.product))])
    .load(['product_tmpl_id'])
  const templates = new Map(products.map((product) => [product.id, product.product_tmpl_id.id]))
  const offers = await loadOffers(su, [...new Set(templates.values())])
  if (offers.length === 0) return asks.map(() => [])
  const byTemplate = Map.groupBy(offers, (offer) => offer.template)
  const parents = await parentsOf(su, asks)
  return asks.map((ask) => {
    const sellers = ask.vendor === null ? null : [ask.vendor, parents.get(ask.vendor)]
    return (byTemplate.get(templates.get(ask.product) ?? 0) ?? []).filter(
      (offer) =>
        (offer.company === null || offer.company === ask.company) &&
        (offer.variant === null || offer.variant === ask.product) &&
        (sellers === null || sellers.includes(offer.vendor)),
    )
  })
}

async function cheapestFitting(
  su: Environment,
  asks: readonly OfferAsk[],
  candidates: readonly (readonly Candidate[])[],
): Promise<(Offer | null)[]> {
  if (candidates.every((ownCandidates) => ownCandidates.length === 0)) return asks.map(() => null)
  const units = await factorsOf(
    su,
    asks.map((ask) => ask.unit),
  )
  const fitting = asks.map((ask, i) =>
    (candidates[i] ?? []).filter((offer) => fits(offer, ask, units.get(ask.unit))),
  )
  const worth = await comparable(su, asks, fitting)
  return fitting.map((offers, i) => offers.toSorted((a, b) => worth(i, a) - worth(i, b))[0] ?? null)
}

interface Candidate extends Offer {
  readonly template: number
  readonly variant: number | null
  readonly company: number | null
  readonly minimum: number
  readonly starts: string | null
  readonly ends: string | null
  /** For one of the product's unit, after the discount. */
  readonly discounted: number
}

/** Offers of vendors that are active, in the order in which they count where they cost the same. */
async function loadOffers(su: Environment, templates: readonly number[]): Promise<Candidate[]> {
  const offers = await su.model('product.supplierinfo').search([
    ['product_tmpl_id', 'in', templates],
    ['partner_id.active', '=', true],
  ])
  const rows = await offers.load([
    'partner_id',
    'product_tmpl_id',
    'product_id',
    'company_id',
    'currency_id',
    'product_uom_id.factor',
    'min_qty',
    'price',
    'discount',
    'price_discounted',
    'delay',
    'product_code',
    'product_name',
    'date_start',
    'date_end',
  ])
  return rows.map((row) => ({
    id: row.id,
    vendor: row.partner_id.id,
    template: row.product_tmpl_id.id,
    variant: row.product_id?.id ?? null,
    company: row.company_id?.id ?? null,
    price: row.price,
    discount: row.discount,
    discounted: row.price_discounted,
    currency: row.currency_id.id,
    unit: { id: row.product_uom_id.id, factor: row.product_uom_id.factor },
    minimum: row.min_qty,
    starts: row.date_start,
    ends: row.date_end,
    delay: row.delay,
    code: row.product_code,
    name: row.product_name,
  }))
}

/** A company's offers hold for its contacts too. */
async function parentsOf(
  su: Environment,
  asks: readonly Pick<OfferAsk, 'vendor'>[],
): Promise<Map<number, number | undefined>> {
  const vendors = [...new Set(asks.flatMap((ask) => ask.vendor ?? []))]
  const rows = await su.model('res.partner').browse(vendors).load(['parent_id'])
  return new Map(rows.map((row) => [row.id, row.parent_id?.id]))
}

const isValidOn = (offer: Candidate, day: string): boolean =>
  !(offer.starts && offer.starts > day) && !(offer.ends && offer.ends < day)

function fits(offer: Candidate, ask: OfferAsk, unit: UnitFactor | undefined): boolean {
  if (!isValidOn(offer, ask.day)) return false
  return (unit ? convertQuantity(ask.quantity, unit, offer.unit, 'half-up') : ask.quantity) >= offer.minimum
}

/**
 * Gives what an offer costs for one of the product's unit in the company's currency; rates are asked for only
 * where offers differ in currency.
 */
async function comparable(
  su: Environment,
  asks: readonly OfferAsk[],
  fitting: readonly (readonly Candidate[])[],
): Promise<(ask: number, offer: Candidate) => number> {
  const mixed = fitting.map((ownOffers) => new Set(ownOffers.map((offer) => offer.currency)).size > 1)
  const key = (i: number, currency: number) => `${asks[i]?.company}/${asks[i]?.day}/${currency}`
  const wanted = new Map(
    fitting.flatMap((offers, i) => {
      const ask = asks[i]
      if (!mixed[i] || !ask) return []
      return offers.map(
        ({ currency }) => [key(i, currency), { company: ask.company, day: ask.day, currency }] as const,
      )
    }),
  )
  const rates = await ratesOn(su, [...wanted.values()])
  const rateByKey = new Map([...wanted.keys()].map((name, n) => [name, rates[n] ?? 1]))
  return (i, offer) =>
    mixed[i] ? offer.discounted / (rateByKey.get(key(i, offer.currency)) ?? 1) : offer.discounted
}
