// Implementation of sales orders (sale.order). From the customer: order-customer.ts; sums:
// order-amounts.ts; states: order-states.ts; copies: order-copies.ts.
import { computed, computedTogether, implement, type Records, type WriteChange } from '#models'
import { addDays, nowUtc, today } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import { taxCountry, taxCountryPaths } from '../account/index.ts'
import { givenVals, refuse, shownWindow } from '../base/index.ts'
import { orderInvoices } from './invoicing/order-invoices.ts'
import { order } from './order.contract.ts'
import { invoiceStatus, liveAmounts, orderAmounts } from './order-amounts.ts'
import { copyOrders, withoutDeposits } from './order-copies.ts'
import { creditWarning } from './order-credit.ts'
import {
  addresses,
  currency,
  currencyRate,
  fiscalPosition,
  fromCompany,
  salesperson,
  team,
  terms,
} from './order-customer.ts'
import { makeNumbered } from './order-numbers.ts'
import { assertRemovable, backToDraft, cancel, confirm, loadStates, lock, markSent } from './order-states.ts'
import { updatePrices, updateTaxes } from './order-update.ts'
import { orderWritable } from './writable.ts'

/** Throws UserError for a pricelist written on a confirmed order, the one that it has too. */
async function assertPricelists(
  orders: Records<'sale.order'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const listed = changes.filter(({ vals }) => 'pricelist_id' in vals)
  const ids = listed.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const now = await orders.sudo().browse(ids).load(['state'])
  if (now.some((row) => row.state === 'sale'))
    return refuse(orders, 'write', 'The pricelist of a confirmed order cannot change.')
}

export default implement(order, {
  writable: orderWritable,
  defaults: {
    company_id: (env) => env.companyId,
    date_order: (env) => nowUtc(env.now()),
    invoice_status: () => 'no' as const,
  },
  computed: {
    ...addresses,
    ...salesperson,
    ...team,
    ...terms,
    ...fiscalPosition,
    ...currency,
    ...currencyRate,
    ...fromCompany,
    ...orderAmounts,
    ...liveAmounts,
    invoice_status: invoiceStatus,
    partner_credit_warning: creditWarning,
    ...orderInvoices,
    is_expired: computed(order, ['state', 'validity_date'], (order, env) =>
      Boolean(
        (order.state === 'draft' || order.state === 'sent') &&
          order.validity_date &&
          order.validity_date < today(env.tz, env.now()),
      ),
    ),
    expected_date: computed(
      order,
      ['state', 'date_order', 'order_line.customer_lead', 'order_line.display_type'],
      (order, env) => {
        const leads = order.order_line.filter((line) => !line.display_type).map((line) => line.customer_lead)
        if (leads.length === 0 || order.state === 'cancel') return null
        return addDays(
          order.state === 'sale' && order.date_order ? order.date_order : nowUtc(env.now()),
          Math.ceil(Math.min(...leads)),
        )
      },
    ),
    tax_country_id: computed(order, taxCountryPaths, taxCountry, {
      sql: (
        scope,
      ) => sql`CASE WHEN ${scope.path('fiscal_position_id.foreign_vat')} <> '' THEN ${scope.path('fiscal_position_id.country_id')}
        ELSE ${scope.path('company_id.account_fiscal_country_id')} END`,
    }),
    type_name: computed(order, ['state'], (order) => (order.state === 'sale' ? 'Sales Order' : 'Quotation'), {
      sql: (scope) => sql`CASE ${scope.column('state')} WHEN 'sale' THEN 'Sales Order' ELSE 'Quotation' END`,
    }),
    has_archived_products: computed(
      order,
      ['order_line.product_id.active'],
      (order) => order.order_line.some((line) => line.product_id && !line.product_id.active),
      {
        sql: (
          scope,
        ) => sql`EXISTS (SELECT FROM sale_order_line l JOIN product_product p ON p.id = l.product_id
          WHERE l.order_id = ${scope.id} AND p.active IS NOT TRUE)`,
      },
    ),
    has_active_pricelist: computedTogether(
      order,
      ['company_id'],
      async (orders, env) => {
        const rows = await env.rows(sql`SELECT DISTINCT company_id FROM product_pricelist WHERE active`, {
          reads: ['product.pricelist'],
          row: ['int?'],
        })
        const companies = new Set(rows.map((row) => row[0]))
        return new Map(
          orders.map((order) => [order.id, companies.has(null) || companies.has(order.company_id.id)]),
        )
      },
      {
        sql: (scope) => sql`EXISTS (SELECT FROM product_pricelist p WHERE p.active
          AND (p.company_id IS NULL OR p.company_id = ${scope.column('company_id')}))`,
      },
    ),
    duplicated_order_ids: computedTogether(
      order,
      ['state', 'client_order_ref', 'partner_id', 'company_id'],
      async (orders, env) => {
        const drafts = orders.filter((order) => order.state === 'draft' && order.client_order_ref)
        if (drafts.length === 0) return new Map(orders.map(({ id }) => [id, []]))
        const others = await env.model('sale.order').search([
          ['client_order_ref', 'in', drafts.map((draft) => draft.client_order_ref)],
          ['partner_id', 'in', drafts.map((draft) => draft.partner_id.id)],
          ['state', '!=', 'cancel'],
        ])
        const otherRows = await others.load(['client_order_ref', 'partner_id', 'company_id'])
        const key = (one: (typeof otherRows)[number]) =>
          `${one.partner_id.id}/${one.company_id.id}/${one.client_order_ref}`
        const same = Map.groupBy(otherRows, key)
        return new Map(
          orders.map((order) => [
            order.id,
            drafts.includes(order)
              ? (same.get(key(order)) ?? []).filter((other) => other.id !== order.id)
              : [],
          ]),
        )
      },
    ),
  },
  methods: {
    action_quotation_sent: markSent,
    action_confirm: confirm,
    action_cancel: cancel,
    action_draft: backToDraft,
    action_lock: (orders) => lock(orders, true),
    action_unlock: (orders) => lock(orders, false),
    action_update_prices: updatePrices,
    action_update_taxes: updateTaxes,
    action_open_discount_wizard: async (orders) => {
      const default_sale_order_id = orders.ensureOne()
      await loadStates(orders)
      return shownWindow({
        name: 'Discount',
        res_model: 'sale.order.discount',
        view_mode: 'form',
        target: 'new',
        context: { default_sale_order_id },
      })
    },
  },
  wrapWrite: (next) => async (orders, changes) => {
    await assertPricelists(orders, changes)
    await next(orders, changes)
    // Users cannot hand on an order to where they no longer see it.
    if (changes.some(({ vals }) => 'user_id' in vals || 'company_id' in vals)) await orders.load(['state'])
  },
  wrapGeneric: {
    create: (next) => (orders, params) =>
      makeNumbered(orders.env, givenVals(params.vals_list), (vals_list) =>
        next(orders, { ...params, vals_list }),
      ),
    unlink: (next) => async (orders, params) => {
      await assertRemovable(orders)
      return next(orders, params)
    },
    copy_data: withoutDeposits,
    copy: copyOrders,
  },
})
