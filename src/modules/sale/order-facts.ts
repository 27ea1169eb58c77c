// Further fields of orders that clients read and open, apart from their amounts (sale.order): totals as
// printed, terms, warnings, the customer's page, invoices.
import {
  boolean,
  computed,
  computedTogether,
  extend,
  implement,
  many2one,
  type Of,
  optional,
  returns,
  selection,
  text,
  writable,
} from '#models'
import { sql } from '../../sql/index.ts'
import { orderFactFields, orderTaxTotals, warningText } from '../account/index.ts'
import {
  actionMethod,
  givenIds,
  portalAddress,
  portalComputed,
  portalFields,
  portalMethods,
  shownAddress,
  shownRecords,
} from '../base/index.ts'
import { quantityOf } from './amounts.ts'

const action = returns<object>('object', 'dict')

const order = extend('sale.order', {
  fields: {
    ...portalFields,
    ...orderFactFields,
    terms_type: selection(
      { plain: 'Add a Note', html: 'Add a link to a Web Page' },
      { label: 'Terms & Conditions format', related: 'company_id.terms_type' },
    ),
    journal_id: many2one('account.journal', {
      label: 'Invoicing Journal',
      checkCompany: true,
      help: "The journal of its invoices; empty: the company's first journal of sales.",
    }),
    preferred_payment_method_line_id: many2one('account.payment.method.line', {
      label: 'Payment Method',
      checkCompany: true,
      computed: true,
      stored: true,
      precompute: true,
      readonly: false,
      copy: true,
    }),
    sale_warning_text: text({
      label: 'Sale Warning',
      computed: true,
      groups: 'base.group_user',
      help: 'Warnings of the customer and of the products for salespeople.',
    }),
    show_update_fpos: boolean({
      label: 'Has Fiscal Position Changed',
      computed: true,
      readonly: false,
      help: 'Of records that are kept it is false: taxes follow the fiscal position at once.',
    }),
    show_update_pricelist: boolean({
      label: 'Has Pricelist Changed',
      computed: true,
      readonly: false,
      help: 'A form with another pricelist than its prices are from; saved orders have none.',
    }),
  },
  methods: {
    ...portalMethods,
    action_preview_sale_order: actionMethod("The action that opens the customer's page of the order."),
    action_view_invoice: {
      doc: 'The action that shows the invoices of orders, or those that are named.',
      params: { invoices: optional<unknown>('any', false, { annotation: 'list[int]' }) },
      returns: action,
    },
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

const totals = computedTogether(
  order,
  [
    'company_id.currency_id',
    'currency_id',
    'currency_rate',
    'order_line.display_type',
    'order_line.price_unit',
    'order_line.product_uom_qty',
    'order_line.discount',
    'order_line.tax_ids',
    'order_line.extra_tax_data',
  ],
  (orders, env) =>
    orderTaxTotals(
      env,
      orders.map((order) => ({
        id: order.id,
        company: order.company_id.id,
        companyCurrency: order.company_id.currency_id.id,
        currency: order.currency_id?.id ?? null,
        rate: order.currency_rate,
        lines: order.order_line,
      })),
      quantityOf,
    ),
)

const warnings = computed(
  order,
  [
    'partner_id.name',
    'partner_id.sale_warn_msg',
    'order_line.product_id.display_name',
    'order_line.sale_line_warn_msg',
  ],
  ({ partner_id: partner, order_line: lines }) =>
    warningText([
      { name: partner.name, note: partner.sale_warn_msg },
      ...lines.map((line) => ({
        name: line.product_id?.display_name ?? null,
        note: line.sale_line_warn_msg,
      })),
    ]),
)

export default implement(order, {
  writable: writable<'sale.order'>({
    later: {
      sale: ['journal_id', 'preferred_payment_method_line_id'],
      locked: ['preferred_payment_method_line_id'],
    },
  }),
  computed: {
    ...portalComputed(order, '/my/orders'),
    tax_totals: totals,
    sale_warning_text: warnings,
    show_update_fpos: computed(order, [], () => false, { sql: () => sql`false` }),
    show_update_pricelist: computed(order, [], () => false, { sql: () => sql`false` }),
  },
  methods: {
    get_portal_url: portalAddress,
    action_preview_sale_order: async (orders) => shownAddress(await portalAddress(orders)),
    action_view_invoice: async (orders, { invoices }) => {
      const named = givenIds(invoices)
      const rows = named.length ? [] : await orders.load(['invoice_ids'])
      const ids = rows.flatMap((row) => row.invoice_ids.map(({ id }) => id))
      return shownRecords('Invoices', 'account.move', [...new Set([...named, ...ids])])
    },
  },
})
