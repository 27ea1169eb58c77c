// Bills and orders: documents that a bill can be filled from (purchase.bill.union), lines of orders that
// wait for a bill with lines of bills without an order, and how they are matched
// (purchase.bill.line.match).
import {
  char,
  computed,
  date,
  extend,
  float,
  implement,
  many2one,
  model,
  monetary,
  type Of,
  type Records,
} from '#models'
import { UserError } from '../../../errors.ts'
import { entriesOfOrders } from '../../account/index.ts'
import { readonlyActionMethod, shownRecords } from '../../base/index.ts'
import { assertVendors } from './move-line.ts'

const only = { readonly: true } as const

const union = model('purchase.bill.union', {
  label: 'Purchases & Bills Union',
  order: 'date desc, name desc',
  logAccess: false,
  query: `SELECT m.id, m.name, m.ref AS reference, m.partner_id, m.date, m.amount_untaxed::float8 AS amount, m.currency_id, m.company_id,
      m.id AS vendor_bill_id, NULL::int AS purchase_order_id
    FROM account_move m WHERE m.move_type = 'in_invoice' AND m.state = 'posted'
    UNION ALL SELECT -o.id, o.name, o.partner_ref, o.partner_id, o.date_order::date, o.amount_untaxed::float8, o.currency_id, o.company_id, NULL::int, o.id
    FROM purchase_order o WHERE o.state = 'purchase' AND o.invoice_status IN ('to invoice', 'no')`,
  fields: {
    name: char({ label: 'Reference', ...only }),
    reference: char({ label: 'Source', ...only }),
    partner_id: many2one('res.partner', { label: 'Vendor', ...only }),
    date: date({ label: 'Date', ...only }),
    amount: float({ label: 'Amount', ...only }),
    currency_id: many2one('res.currency', { label: 'Currency', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    vendor_bill_id: many2one('account.move', { label: 'Vendor Bill', ...only }),
    purchase_order_id: many2one('purchase.order', { label: 'Purchase Order', ...only }),
  },
})

const match = model('purchase.bill.line.match', {
  label: 'Purchase Line and Vendor Bill line matching view',
  order: 'product_id, aml_id, pol_id, id',
  recName: 'product_id',
  logAccess: false,
  query: `SELECT l.id, l.id AS pol_id, NULL::int AS aml_id, l.company_id, o.partner_id, l.product_id, l.product_qty AS line_qty, l.product_uom_id AS line_uom_id,
      l.qty_invoiced, l.qty_to_invoice, o.id AS purchase_order_id, NULL::int AS account_move_id, l.price_subtotal AS line_amount_untaxed, o.currency_id, o.state
    FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id
    WHERE o.state = 'purchase' AND l.display_type IS NULL AND (l.product_qty > l.qty_invoiced OR l.qty_to_invoice <> 0)
    UNION ALL SELECT -a.id, NULL::int, a.id, a.company_id, m.partner_id, a.product_id, a.quantity, a.product_uom_id, NULL, NULL, NULL::int, m.id, a.price_subtotal, m.currency_id, m.state
    FROM account_move_line a JOIN account_move m ON m.id = a.move_id
    WHERE m.move_type IN ('in_invoice', 'in_refund') AND m.state IN ('draft', 'posted') AND a.display_type = 'product' AND a.purchase_line_id IS NULL`,
  fields: {
    pol_id: many2one('purchase.order.line', { label: 'Order Line', ...only }),
    aml_id: many2one('account.move.line', { label: 'Bill Line', ...only }),
    company_id: many2one('res.company', { label: 'Company', ...only }),
    partner_id: many2one('res.partner', { label: 'Partner', ...only }),
    product_id: many2one('product.product', { label: 'Product', ...only }),
    line_qty: float({ label: 'Line Qty', ...only }),
    line_uom_id: many2one('uom.uom', { label: 'Line Uom', ...only }),
    qty_invoiced: float({ label: 'Qty Invoiced', ...only }),
    qty_to_invoice: float({ label: 'Qty to invoice', ...only }),
    purchase_order_id: many2one('purchase.order', { label: 'Purchase Order', ...only }),
    account_move_id: many2one('account.move', { label: 'Bill', ...only }),
    line_amount_untaxed: monetary({ label: 'Line Amount Untaxed', ...only }),
    currency_id: many2one('res.currency', { label: 'Currency', ...only }),
    state: char({ label: 'State', ...only }),
  },
  methods: {
    action_match_lines: {
      doc: 'Links lines of draft bills to the selected order lines of the same product.',
      params: {},
    },
  },
})

const order = extend('purchase.order', {
  fields: {},
  methods: {
    action_bill_matching: readonlyActionMethod(
      "The action that shows order lines without a bill, and lines of the vendor's bills.",
    ),
  },
})

const bill = extend('account.move', {
  fields: {
    purchase_id: many2one('purchase.order', {
      label: 'Purchase Order',
      computed: true,
      readonly: false,
      help: 'A form notes the order that it fills a bill from; nothing is kept of it.',
    }),
    purchase_vendor_bill_id: many2one('purchase.bill.union', {
      label: 'Auto-complete',
      computed: true,
      readonly: false,
      help: 'A form notes the document that it fills a bill from; nothing is kept of it.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'purchase.bill.union': PurchaseBillUnion
    'purchase.bill.line.match': PurchaseBillLineMatch
  }
  interface PurchaseBillUnion extends Of<typeof union> {}
  interface PurchaseBillLineMatch extends Of<typeof match> {}
  interface PurchaseOrder extends Of<typeof order> {}
  interface AccountMove extends Of<typeof bill> {}
}

async function matchLines(rows: Records<'purchase.bill.line.match'>): Promise<void> {
  const lines = await rows.load([
    'pol_id',
    'aml_id',
    'product_id',
    'company_id',
    'account_move_id.state',
    'partner_id.commercial_partner_id',
  ])
  const key = ({ company_id: company, partner_id: vendor, product_id: product }: (typeof lines)[number]) =>
    `${company?.id} ${(vendor?.commercial_partner_id ?? vendor)?.id} ${product?.id}`
  const ordered = new Map<string, number[]>()
  for (const row of lines)
    if (row.pol_id) ordered.set(key(row), [...(ordered.get(key(row)) ?? []), row.pol_id.id])
  const billed = lines.filter((row) => row.aml_id && row.account_move_id?.state === 'draft')
  const pairs = billed.flatMap((row) => {
    const line = row.product_id ? ordered.get(key(row))?.shift() : undefined
    return line && row.aml_id ? [[row.aml_id.id, { purchase_line_id: line }] as const] : []
  })
  if (pairs.length === 0)
    throw new UserError(
      'No lines match: select order lines and lines of draft bills of the same vendor, product and company.',
    )
  await rows.env
    .model('account.move.line')
    .browse(pairs.map(([item]) => item))
    .writeEach(new Map(pairs))
}

export const billMatching = [
  implement(union),
  implement(match, {
    methods: {
      action_match_lines: async (rows) => {
        await matchLines(rows)
        return null
      },
    },
  }),
  implement(order, {
    methods: {
      action_bill_matching: async (orders) => {
        const rows = await orders.load(['partner_id.commercial_partner_id', 'company_id'])
        const vendors = rows.map((row) => (row.partner_id.commercial_partner_id ?? row.partner_id).id)
        return {
          ...shownRecords('Bill Matching', 'purchase.bill.line.match', []),
          domain: [
            ['partner_id', 'child_of', [...new Set(vendors)]],
            ['company_id', 'in', [...new Set(rows.map((row) => row.company_id.id))]],
          ],
        }
      },
    },
  }),
  implement(bill, {
    ...entriesOfOrders('purchase_line_id', assertVendors),
    computed: {
      purchase_id: computed(bill, [], () => null),
      purchase_vendor_bill_id: computed(bill, [], () => null),
    },
  }),
]
