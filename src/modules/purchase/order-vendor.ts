// Values that an order takes from its vendor and its company: currency and rate, payment terms, fiscal
// position.

import { computedFields } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { positionsFor, ratesFor } from '../account/index.ts'
import { byCompany } from '../base/index.ts'
import { order } from './order.contract.ts'

const editable = { editable: true } as const

/** The currency in which the vendor is paid, else the company's; the vendor's terms. */
export const terms = computedFields(
  order,
  ['currency_id', 'payment_term_id'],
  ['partner_id', 'company_id'],
  async (orders, env) => {
    const values = new Map<number, { currency_id: number; payment_term_id: number | null }>()
    for (const [companyEnv, group] of byCompany(orders, env)) {
      const { currency_id: home } = await companyEnv
        .model('res.company')
        .browse([companyEnv.companyId])
        .one(['currency_id'])
      const vendors = await companyEnv
        .model('res.partner')
        .browse([...new Set(group.map((member) => member.partner_id.id))])
        .load([
          'property_purchase_currency_id',
          'property_supplier_payment_term_id',
          'property_account_position_id',
        ])
      const vendorById = new Map(vendors.map((vendor) => [vendor.id, vendor]))
      for (const member of group) {
        const vendor = vendorById.get(member.partner_id.id)
        values.set(member.id, {
          currency_id: vendor?.property_purchase_currency_id?.id ?? home.id,
          payment_term_id: vendor?.property_supplier_payment_term_id?.id ?? null,
        })
      }
    }
    return values
  },
  editable,
)

export const fiscalPosition = computedFields(
  order,
  ['fiscal_position_id'],
  ['partner_id', 'company_id'],
  async (orders, env) => {
    const values = new Map<number, { fiscal_position_id: number | null }>()
    for (const [companyEnv, group] of byCompany(orders, env)) {
      const positions = await positionsFor(
        companyEnv,
        companyEnv.companyId,
        group.map((member) => ({ partner: member.partner_id.id })),
      )
      for (const [i, order] of group.entries())
        values.set(order.id, { fiscal_position_id: positions[i] ?? null })
    }
    return values
  },
  editable,
)

/** Value of one unit of the company's currency in the order's, on the day of the order. */
export const currencyRate = computedFields(
  order,
  ['currency_rate'],
  ['currency_id', 'date_order', 'company_id'],
  async (orders, env) => {
    const companies = await env
      .sudo()
      .model('res.company')
      .browse([...new Set(orders.map((order) => order.company_id.id))])
      .load(['currency_id'])
    const homes = new Map(companies.map((company) => [company.id, company.currency_id.id]))
    const asks = orders.map((order) => ({
      company: order.company_id.id,
      companyCurrency: homes.get(order.company_id.id) ?? 0,
      currency: order.currency_id.id,
      day: (order.date_order ?? nowUtc(env.now())).slice(0, 10),
    }))
    const rateOf = await ratesFor(env, asks)
    return new Map(orders.map((order, i) => [order.id, { currency_rate: rateOf(present(asks[i])) }]))
  },
)
