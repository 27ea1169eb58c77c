// Values that an order takes from its customer and its company: addresses, salesperson, team, pricelist,
// terms, fiscal position, currency.
import { atOnce, computedFields, type Environment } from '#models'
import { addDays, nowUtc, today } from '../../kit/dates.ts'
import { idList, type Sql, sql } from '../../sql/index.ts'
import { positionsFor } from '../account/index.ts'
import { addressesOf, byCompany, ratesOf } from '../base/index.ts'
import { teamsFor } from '../sales_team/index.ts'
import { order } from './order.contract.ts'

type Link = { readonly id: number }
const editable = { editable: true } as const
const SALESPEOPLE = 'sales_team.group_sale_salesman'

/** Ids of orders for which a condition on their columns holds, whatever waits to be computed. */
async function thoseWhere(env: Environment, orders: readonly Link[], condition: Sql): Promise<Set<unknown>> {
  const rows = await env.rows(
    sql`SELECT id FROM sale_order WHERE id = ANY(${idList(orders.map(({ id }) => id))}) AND ${condition}`,
    { reads: ['sale.order'], row: ['int'] },
  )
  return new Set(rows.map((row) => row[0]))
}

/**
 * Fields of a customer that decide values of the order, apart from addresses; the company is the one
 * that new orders must match.
 */
const lookedAt = [
  'user_id',
  'country_id',
  'state_id',
  'zip',
  'vat',
  'lang',
  'commercial_partner_id',
  'company_id',
] as const

/** Kinds of addresses that an order has, or takes the place of others from. */
export const ADDRESSES: ReadonlySet<string> = new Set(['invoice', 'delivery', 'contact'])

/** Invoice and delivery address: the customer's nearest contacts of these kinds. */
export const addresses = computedFields(
  order,
  ['partner_invoice_id', 'partner_shipping_id'],
  ['partner_id'],
  async (orders, env) => {
    const customers = env
      .sudo()
      .model('res.partner')
      .browse([...new Set(orders.map((order) => order.partner_id.id))])
    const [addresses] = await atOnce(
      env,
      () => addressesOf(customers, ADDRESSES),
      // One look at the customers for all that follows from them below.
      () => customers.load([...lookedAt]),
    )
    return new Map(
      orders.map(({ id, partner_id: { id: customer } }) => {
        const addressIds = addresses.get(customer)
        return [
          id,
          {
            partner_invoice_id: addressIds?.invoice ?? customer,
            partner_shipping_id: addressIds?.delivery ?? customer,
          },
        ]
      }),
    )
  },
  { ...editable, asks: lookedAt.map((path) => `partner_id.${path}`) },
)

/** The salesperson where the customer has none: the caller, if they sell. */
export const sellerFor = (env: Environment): number | null => (env.hasGroup(SALESPEOPLE) ? env.uid : null)

/**
 * The salesperson of the customer, of its company, else the caller if they sell; once there is one it stays.
 */
export const salesperson = computedFields(
  order,
  ['user_id'],
  ['partner_id'],
  async (orders, env, fresh) => {
    const settled = fresh ? new Set() : await thoseWhere(env, orders, sql`user_id IS NOT NULL`)
    const customers = await env
      .sudo()
      .model('res.partner')
      .browse([...new Set(orders.map((order) => order.partner_id.id))])
      .load(['user_id', 'commercial_partner_id.user_id'])
    const sellers = new Map(
      customers.map((customer) => [
        customer.id,
        customer.user_id ?? customer.commercial_partner_id?.user_id ?? null,
      ]),
    )
    const seller = sellerFor(env)
    const caller = seller === null ? null : { id: seller }
    return new Map(
      orders.map((order) => [
        order.id,
        settled.has(order.id) ? {} : { user_id: sellers.get(order.partner_id.id) ?? caller },
      ]),
    )
  },
  { ...editable, asks: ['partner_id.commercial_partner_id.user_id'] },
)

export const team = computedFields(
  order,
  ['team_id'],
  ['user_id', 'company_id'],
  async (orders, env) => {
    const teams = await teamsFor(
      env,
      orders.map((order) => ({ user: order.user_id?.id ?? null, company: order.company_id.id })),
    )
    return new Map(orders.map((order, i) => [order.id, { team_id: teams[i] ?? null }]))
  },
  editable,
)

const termPaths = [
  'property_payment_term_id',
  'property_account_position_id',
  'specific_property_product_pricelist',
  'property_inbound_payment_method_line_id',
] as const

/** Pricelist, of quotations only, payment terms and payment method. */
export const terms = computedFields(
  order,
  ['pricelist_id', 'payment_term_id', 'preferred_payment_method_line_id'],
  ['partner_id', 'company_id'],
  async (orders, env, fresh) => {
    const settled = fresh ? new Set() : await thoseWhere(env, orders, sql`state <> 'draft'`)
    const values = new Map<number, { readonly [name: string]: Link | null | undefined }>()
    for (const [companyEnv, group] of byCompany(orders, env)) {
      const customers = await companyEnv
        .model('res.partner')
        .browse([...new Set(group.map((member) => member.partner_id.id))])
        .load([...termPaths, 'property_product_pricelist'])
      const customerById = new Map(customers.map((customer) => [customer.id, customer]))
      for (const member of group) {
        const customer = customerById.get(member.partner_id.id)
        values.set(member.id, {
          ...(!settled.has(member.id) && { pricelist_id: customer?.property_product_pricelist ?? null }),
          payment_term_id: customer?.property_payment_term_id ?? null,
          preferred_payment_method_line_id: customer?.property_inbound_payment_method_line_id ?? null,
        })
      }
    }
    return values
  },
  { ...editable, asks: termPaths.map((path) => `partner_id.${path}`) },
)

export const fiscalPosition = computedFields(
  order,
  ['fiscal_position_id'],
  ['partner_id', 'partner_shipping_id', 'company_id'],
  async (orders, env) => {
    const values = new Map<number, { fiscal_position_id: number | null }>()
    for (const [companyEnv, group] of byCompany(orders, env)) {
      const deliveries = group.map((member) => ({
        partner: member.partner_id.id,
        delivery: member.partner_shipping_id?.id ?? null,
      }))
      const positions = await positionsFor(companyEnv, companyEnv.companyId, deliveries)
      for (const [i, order] of group.entries())
        values.set(order.id, { fiscal_position_id: positions[i] ?? null })
    }
    return values
  },
  editable,
)

/**
 * The currency of the pricelist, else of the company; a list that changes its currency later leaves its
 * orders as they are.
 */
export const currency = computedFields(
  order,
  ['currency_id'],
  ['pricelist_id', 'company_id'],
  async (orders, env) => {
    const su = env.sudo()
    const lists = await su
      .model('product.pricelist')
      .browse([...new Set(orders.flatMap((order) => order.pricelist_id?.id ?? []))])
      .load(['currency_id'])
    const companies = await su
      .model('res.company')
      .browse([...new Set(orders.map((order) => order.company_id.id))])
      .load(['currency_id'])
    const listed = new Map(lists.map((list) => [list.id, list.currency_id]))
    const currencyOf = new Map(companies.map((company) => [company.id, company.currency_id]))
    return new Map(
      orders.map((order) => [
        order.id,
        {
          currency_id: listed.get(order.pricelist_id?.id ?? 0) ?? currencyOf.get(order.company_id.id) ?? null,
        },
      ]),
    )
  },
)

/** Value of one unit of the company's currency in the order's, on the day of the order. */
export const currencyRate = computedFields(
  order,
  ['currency_rate'],
  ['currency_id', 'date_order', 'company_id'],
  async (orders, env) => {
    const values = new Map<number, { currency_rate: number }>()
    for (const [companyEnv, group] of byCompany(orders, env)) {
      const { currency_id: home } = await companyEnv
        .model('res.company')
        .browse([companyEnv.companyId])
        .one(['currency_id'])
      const days = Map.groupBy(group, (member) =>
        member.currency_id?.id === home.id ? '' : (member.date_order ?? nowUtc(env.now())).slice(0, 10),
      )
      for (const [date, same] of days) {
        const rates = date
          ? await ratesOf(companyEnv.withContext({ date }), [
              ...new Set(same.flatMap((row) => row.currency_id?.id ?? [])),
            ])
          : null
        for (const row of same)
          values.set(row.id, { currency_rate: rates?.get(row.currency_id?.id ?? 0)?.rate ?? 1 })
      }
    }
    return values
  },
  { asks: ['company_id.currency_id'] },
)

/** Fields of companies that orders and their lines read, in one query. */
const companyPaths = [
  'quotation_validity_days',
  'portal_confirmation_sign',
  'portal_confirmation_pay',
  'prepayment_percent',
  'currency_id.rounding',
  'parent_path',
  'tax_calculation_rounding_method',
] as const

/** The day until which a quotation of today holds; null for one that holds for ever. */
export const validUntil = (env: Environment, days: number): string | null =>
  days > 0 ? addDays(today(env.tz, env.now()), days) : null

/**
 * Terms of quotations by order, as their companies say: until when they hold, what confirms them online.
 */
export async function termsOfCompanies(
  env: Environment,
  orders: readonly { readonly id: number; readonly company_id: Link }[],
) {
  const companies = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(orders.map((order) => order.company_id.id))])
    .load([...companyPaths])
  const byId = new Map(companies.map((company) => [company.id, company]))
  return new Map(
    orders.map(({ id, company_id: { id: seller } }) => {
      const company = byId.get(seller)
      return [
        id,
        {
          validity_date: validUntil(env, company?.quotation_validity_days ?? 0),
          require_signature: company?.portal_confirmation_sign ?? false,
          require_payment: company?.portal_confirmation_pay ?? false,
          prepayment_percent: company?.prepayment_percent ?? 0,
        },
      ]
    }),
  )
}

/** Terms that new orders take from their company. */
export const termFields = [
  'validity_date',
  'require_signature',
  'require_payment',
  'prepayment_percent',
] as const

/** Fields of companies that `termsOfCompanies` reads (`asks`). */
export const termAsks = companyPaths.map((path) => `company_id.${path}`)

export const fromCompany = computedFields(
  order,
  termFields,
  ['company_id'],
  (orders, env) => termsOfCompanies(env, orders),
  { ...editable, asks: termAsks },
)
