// Implementation of purchase orders (purchase.order). From the vendor: order-vendor.ts; sums:
// order-amounts.ts; states: order-states.ts; bills: billing/.
import { computed, idsWhere, implement, type Records, type WriteChange } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import { taxCountry, taxCountryPaths } from '../account/index.ts'
import { givenVals, refuse, withNumbers } from '../base/index.ts'
import { makeBills, shownBills } from './billing/make.ts'
import { orderBills } from './billing/order-bills.ts'
import { order } from './order.contract.ts'
import { companyTotal, expected, invoiceStatus, orderAmounts } from './order-amounts.ts'
import {
  approve,
  assertApproved,
  assertRemovable,
  backToDraft,
  cancel,
  confirm,
  lock,
  markSent,
  withinApproval,
} from './order-states.ts'
import { currencyRate, fiscalPosition, terms } from './order-vendor.ts'
import { orderWritable } from './writable.ts'

type Orders = Records<'purchase.order'>
type Vals = Readonly<Record<string, unknown>>

/** A new order's day of arrival is that of its lines, where they do not have their own. */
function planned(vals: Vals): Vals {
  if (!vals.date_planned || !Array.isArray(vals.order_line)) return vals
  const dated = (line: Vals) =>
    line.display_type || line.date_planned !== undefined ? line : { ...line, date_planned: vals.date_planned }
  const order_line = vals.order_line.map((command) =>
    Array.isArray(command) && command[0] === 0 && typeof command[2] === 'object' && command[2] !== null
      ? [0, command[1], dated(command[2])]
      : command,
  )
  return { ...vals, order_line }
}

/** Throws UserError for another vendor or company of a confirmed order. */
async function assertParties(orders: Orders, changes: readonly WriteChange[]): Promise<void> {
  const ids = idsWhere(
    changes,
    (vals) => 'partner_id' in vals || 'company_id' in vals || 'currency_id' in vals,
  )
  if (ids.length === 0) return
  const now = await orders.sudo().browse(ids).load(['state', 'partner_id', 'company_id', 'currency_id'])
  const orderById = new Map(now.map((row) => [row.id, row]))
  for (const { ids: changedIds, vals } of changes) {
    for (const id of changedIds) {
      const order = orderById.get(id)
      const other = (field: 'partner_id' | 'company_id' | 'currency_id') =>
        field in vals && vals[field] !== order?.[field].id
      if (order?.state === 'purchase' && (other('partner_id') || other('company_id') || other('currency_id')))
        return refuse(orders, 'write', 'Vendor, company and currency of a confirmed order cannot change.')
    }
  }
}

/** A day that is written for an order is that of all its lines. */
async function moveLines(orders: Orders, changes: readonly WriteChange[]): Promise<void> {
  for (const { ids, vals } of changes) {
    if (!vals.date_planned || ids.length === 0) continue
    const lines = await orders.env.model('purchase.order.line').search([
      ['order_id', 'in', ids],
      ['display_type', '=', false],
    ])
    if (lines.length) await lines.write({ date_planned: vals.date_planned as string })
  }
}

export default implement(order, {
  writable: orderWritable,
  displayName: computed(
    order,
    ['name', 'partner_ref'],
    (order) => (order.partner_ref ? `${order.name} (${order.partner_ref})` : order.name),
    {
      sql: (
        scope,
      ) => sql`CASE WHEN ${scope.column('partner_ref')} <> '' THEN ${scope.column('name')} || ' (' || ${scope.column('partner_ref')} || ')'
      ELSE ${scope.column('name')} END`,
    },
  ),
  defaults: {
    company_id: (env) => env.companyId,
    user_id: (env) => env.uid,
    date_order: (env) => nowUtc(env.now()),
    invoice_status: () => 'no' as const,
  },
  computed: {
    ...terms,
    ...fiscalPosition,
    ...currencyRate,
    ...orderAmounts,
    amount_total_cc: companyTotal,
    ...expected,
    invoice_status: invoiceStatus,
    ...orderBills,
    date_calendar_start: computed(order, ['state', 'date_order', 'date_approve'], (order) =>
      order.state === 'purchase' ? order.date_approve : order.date_order,
    ),
    is_late: computed(
      order,
      ['state', 'date_planned', 'order_line.qty_received', 'order_line.product_qty'],
      (order, env) => {
        const open = order.order_line.some((line) => line.qty_received < line.product_qty)
        return (
          order.state === 'purchase' &&
          open &&
          order.date_planned !== null &&
          order.date_planned < nowUtc(env.now())
        )
      },
    ),
    // The first product shows; orders are found by any of theirs.
    product_id: computed(
      order,
      ['order_line.product_id'],
      (order) => order.order_line.find((line) => line.product_id)?.product_id ?? null,
      { search: (operator, value) => [['order_line.product_id', operator, value]] },
    ),
    tax_country_id: computed(order, taxCountryPaths, taxCountry),
    type_name: computed(order, ['state'], (order) =>
      order.state === 'purchase' || order.state === 'cancel' ? 'Purchase Order' : 'Request for Quotation',
    ),
  },
  methods: {
    print_quotation: markSent,
    button_confirm: confirm,
    button_approve: approve,
    button_cancel: cancel,
    button_draft: backToDraft,
    button_lock: (orders) => lock(orders, true),
    button_unlock: (orders) => lock(orders, false),
    button_done: (orders) => lock(orders, true),
    action_create_invoice: async (orders) => shownBills(await makeBills(orders)),
    action_view_invoice: async (orders) =>
      shownBills(
        (await orders.load(['invoice_ids'])).flatMap((order) => order.invoice_ids.map(({ id }) => id)),
      ),
  },
  wrapWrite: (next) => async (orders, changes) => {
    await assertParties(orders, changes)
    const ordered = idsWhere(changes, (vals) => vals.state === 'purchase')
    if (ordered.length) await assertApproved(orders.browse(ordered))
    await withinApproval(
      orders.env,
      async () => orders.ids,
      () => next(orders, changes),
    )
    await moveLines(orders, changes)
  },
  wrapGeneric: {
    create: (next) => async (orders, params) => {
      const vals_list = await withNumbers(
        orders.env,
        givenVals(params.vals_list).map(planned),
        'purchase.order',
      )
      const createdOrders = (await next(orders, { ...params, vals_list })) as Orders
      if (vals_list.some((vals) => vals.state === 'purchase'))
        await assertApproved(await createdOrders.filtered([['state', '=', 'purchase']]), true)
      return createdOrders
    },
    unlink: (next) => async (orders, params) => {
      await assertRemovable(orders)
      return next(orders, params)
    },
  },
})
