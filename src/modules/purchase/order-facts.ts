// Further fields of purchase orders that clients read and open, apart from their amounts
// (purchase.order): totals as printed, terms, reminders, receipt of the order by the vendor, bills.
import {
  boolean,
  computed,
  computedTogether,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  optional,
  type Records,
  returns,
  selection,
  text,
  writable,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { orderFactFields, orderTaxTotals, warningText } from '../account/index.ts'
import {
  actionMethod,
  assertAllowed,
  portalAddress,
  portalComputed,
  portalFields,
  portalMethods,
  shownWindow,
} from '../base/index.ts'
import { quantityOf } from './order-amounts.ts'

const url = returns<string>('string', 'str')

const order = extend('purchase.order', {
  fields: {
    ...portalFields,
    ...orderFactFields,
    lock_confirmed_po: selection(
      { edit: 'Allow to edit purchase orders', lock: 'Confirmed purchase orders are not editable' },
      { label: 'Purchase Order Modification', related: 'company_id.po_lock' },
    ),
    acknowledged: boolean({ label: 'Acknowledged', copy: false, help: 'The vendor has seen the order.' }),
    incoterm_id: many2one('account.incoterms', {
      label: 'Incoterm',
      ondelete: 'restrict',
      help: 'Trade terms: which party pays freight and bears risks up to which place.',
    }),
    receipt_reminder_email: boolean({
      label: 'Receipt Reminder Email',
      help: 'The vendor is asked to confirm the day of the receipt before it comes.',
    }),
    reminder_date_before_receipt: integer({
      label: 'Days Before Receipt',
      default: 1,
      help: 'Days before the receipt on which the vendor is reminded.',
    }),
    partner_bill_count: integer({
      label: '# Vendor Bills',
      computed: true,
      help: 'Bills of the vendor, of whatever order.',
    }),
    duplicated_order_ids: many2many('purchase.order', {
      label: 'Duplicated Order',
      computed: true,
      help: "Others of the vendor with the same reference of the vendor's.",
    }),
    show_comparison: boolean({
      label: 'Can Be Compared',
      computed: true,
      help: 'Products of this order are on other purchase orders to the vendor too.',
    }),
    purchase_warning_text: text({
      label: 'Purchase Warning',
      computed: true,
      groups: 'base.group_user',
      help: 'Warnings of the vendor and of the products for buyers.',
    }),
  },
  methods: {
    ...portalMethods,
    action_acknowledge: { doc: 'Marks orders as seen by the vendor.', params: {} },
    get_acknowledge_url: {
      doc: 'Returns the URL at which the vendor acknowledges the order.',
      params: {},
      returns: url,
    },
    get_confirm_url: {
      doc: 'Returns the URL at which the vendor confirms or declines the date of the receipt.',
      params: { confirm_type: optional<unknown>('any', null, { annotation: 'str | None' }) },
      returns: url,
    },
    get_update_url: { doc: 'The URL at which the vendor can set another day.', params: {}, returns: url },
    get_order_timezone: {
      doc: 'The time zone of the days on the order.',
      readonly: true,
      params: {},
      returns: url,
    },
    get_localized_date_planned: {
      doc: 'The expected arrival in the time zone of the order.',
      readonly: true,
      params: { date_planned: optional<unknown>('any', false, { annotation: 'str' }) },
      returns: returns<string | false>('string', 'str'),
    },
    action_purchase_comparison: actionMethod(
      'The action that shows what was ordered of the same products, by price.',
    ),
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
}

type Orders = Records<'purchase.order'>

const totals = computedTogether(
  order,
  [
    'company_id.currency_id',
    'currency_id',
    'currency_rate',
    'order_line.display_type',
    'order_line.price_unit',
    'order_line.product_qty',
    'order_line.discount',
    'order_line.tax_ids',
  ],
  (orders, env) =>
    orderTaxTotals(
      env,
      orders.map((order) => ({
        id: order.id,
        company: order.company_id.id,
        companyCurrency: order.company_id.currency_id.id,
        currency: order.currency_id.id,
        rate: order.currency_rate,
        lines: order.order_line,
      })),
      quantityOf,
    ),
)

/** Of the vendor and of everybody below it: one statement for all vendors. */
const billCount = computedTogether(order, ['partner_id', 'company_id'], async (orders, env) => {
  const vendors = [...new Set(orders.map((order) => order.partner_id.id))]
  const rows = await env.rows(
    sql`WITH RECURSIVE below(vendor, contact) AS (SELECT id, id FROM res_partner WHERE id = ANY(${idList(vendors)})
      UNION SELECT b.vendor, p.id FROM below b JOIN res_partner p ON p.parent_id = b.contact)
    SELECT b.vendor, m.company_id, count(*)::int FROM below b JOIN account_move m ON m.partner_id = b.contact
    WHERE m.move_type = 'in_invoice' GROUP BY 1, 2`,
    { reads: ['account.move', 'res.partner'], row: ['int', 'int', 'int'] },
  )
  const counts = new Map(rows.map(([vendor, company, count]) => [`${vendor}/${company}`, count]))
  return new Map(
    orders.map((order) => [order.id, counts.get(`${order.partner_id.id}/${order.company_id.id}`) ?? 0]),
  )
})

const duplicates = computedTogether(
  order,
  ['partner_ref', 'partner_id', 'company_id', 'state'],
  async (orders, env) => {
    const named = orders.filter((order) => order.partner_ref && order.state !== 'cancel')
    if (named.length === 0) return new Map(orders.map(({ id }) => [id, []]))
    const others = await env.model('purchase.order').search([
      ['partner_ref', 'in', named.map((row) => row.partner_ref)],
      ['partner_id', 'in', named.map((row) => row.partner_id.id)],
      ['state', '!=', 'cancel'],
    ])
    const rows = await others.load(['partner_ref', 'partner_id', 'company_id'])
    const key = (row: (typeof rows)[number]) =>
      [row.partner_id.id, row.company_id.id, row.partner_ref].join('/')
    const alike = Map.groupBy(rows, key)
    const twins = new Map(
      named.map((row) => [row.id, (alike.get(key(row)) ?? []).filter(({ id }) => id !== row.id)]),
    )
    return new Map(orders.map(({ id }) => [id, twins.get(id) ?? []]))
  },
)

const compared = computedTogether(order, ['order_line.product_id'], async (orders, env) => {
  const rows = await env.rows(
    sql`SELECT DISTINCT l.order_id FROM purchase_order_line l WHERE l.order_id = ANY(${idList(orders.map(({ id }) => id))})
      AND EXISTS (SELECT FROM purchase_order_line o WHERE o.product_id = l.product_id AND o.order_id <> l.order_id AND o.company_id = l.company_id)`,
    { reads: ['purchase.order.line'], row: ['int'] },
  )
  const ids = new Set(rows.map(([id]) => id))
  return new Map(orders.map(({ id }) => [id, ids.has(id)]))
})

const warnings = computed(
  order,
  [
    'partner_id.name',
    'partner_id.purchase_warn_msg',
    'order_line.product_id.display_name',
    'order_line.product_id.product_tmpl_id.purchase_line_warn_msg',
  ],
  ({ partner_id: partner, order_line: lines }) =>
    warningText([
      { name: partner.name, note: partner.purchase_warn_msg },
      ...lines.map(({ product_id: product }) => ({
        name: product?.display_name ?? null,
        note: product?.product_tmpl_id.purchase_line_warn_msg ?? null,
      })),
    ]),
)

/** The time zone of the buyer: the vendor sees days as the buyer means them. */
async function zoneOf(orders: Orders): Promise<string> {
  orders.ensureOne()
  await assertAllowed(orders, 'read')
  const { user_id: buyer } = await orders.sudo().one(['user_id.partner_id.tz'])
  return buyer?.partner_id.tz ?? 'UTC'
}

async function localDay(orders: Orders, localMoment: unknown): Promise<string | false> {
  const zone = await zoneOf(orders)
  const planned =
    typeof localMoment === 'string' && localMoment
      ? localMoment
      : (await orders.one(['date_planned'])).date_planned
  if (!planned) return false
  const moment = new Date(`${planned.replace(' ', 'T')}Z`)
  return Number.isNaN(moment.getTime())
    ? false
    : moment.toLocaleString('sv-SE', { timeZone: zone, hour12: false })
}

export default implement(order, {
  writable: writable<'purchase.order'>({
    always: ['acknowledged', 'receipt_reminder_email', 'reminder_date_before_receipt'],
    later: { purchase: ['incoterm_id'] },
  }),
  computed: {
    ...portalComputed(order, '/my/purchase'),
    tax_totals: totals,
    partner_bill_count: billCount,
    duplicated_order_ids: duplicates,
    purchase_warning_text: warnings,
    show_comparison: compared,
  },
  methods: {
    get_portal_url: portalAddress,
    action_acknowledge: async (orders) => {
      await orders.write({ acknowledged: true })
      return null
    },
    get_acknowledge_url: (orders) => portalAddress(orders, { query_string: '&acknowledge=True' }),
    get_confirm_url: (orders, { confirm_type: type }) => {
      const asks = type === 'reminder' || type === 'reception' || type === 'decline'
      return portalAddress(orders, { query_string: asks ? `&confirm=${type}` : '' })
    },
    get_update_url: (orders) => portalAddress(orders, { query_string: '&update=True' }),
    get_order_timezone: zoneOf,
    get_localized_date_planned: (orders, { date_planned: datePlanned }) => localDay(orders, datePlanned),
    action_purchase_comparison: async (orders) => {
      const rows = await orders.load(['order_line.product_id'])
      const products = rows.flatMap((row) => row.order_line.flatMap((line) => line.product_id?.id ?? []))
      return shownWindow({
        name: 'Compare Order Lines',
        res_model: 'purchase.order.line',
        view_mode: 'list,form',
        domain: [['product_id', 'in', [...new Set(products)]]],
      })
    },
  },
})
