// Products and their vendors' prices (product.product, product.supplierinfo): what is needed of a product,
// what was ordered of it, and when it was bought last.
import {
  boolean,
  computed,
  computedFields,
  computedTogether,
  date,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
} from '#models'
import { UserError } from '../../errors.ts'
import { roundToScale } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowed } from '../base/index.ts'
import { demandOf } from './demand.ts'

/** Days of a month on average. */
const MONTH = 30.5
/** Days whose demand the monthly one is the average of. */
const SPAN = 90

const product = extend('product.product', {
  fields: {
    purchase_order_line_ids: one2many('purchase.order.line', 'product_id', { label: 'Purchase Lines' }),
    monthly_demand: float({
      label: 'Monthly Demand',
      computed: true,
      help: 'Monthly quantity that left the stock of the company, on average of the last three months.',
    }),
  },
})
const offer = extend('product.supplierinfo', {
  fields: {
    last_purchase_date: date({ label: 'Bought Last', computed: true }),
    show_set_supplier_button: boolean({
      label: 'Can Be Chosen',
      computed: true,
      help: 'The reordering rule of the context takes another vendor.',
    }),
  },
  methods: {
    action_set_supplier: {
      doc: 'Sets the vendor of the reordering rule of the context (orderpoint_id).',
      params: {},
    },
  },
})

const orderpoint = extend('stock.warehouse.orderpoint', {
  fields: {
    supplier_id: many2one('product.supplierinfo', {
      label: "Vendor's Price",
      ondelete: 'set null',
      help: 'Goods are bought from its vendor; empty: from the one who fits best.',
    }),
    vendor_ids: many2many('product.supplierinfo', {
      label: "Vendors' Prices",
      computed: true,
      asLines: true,
    }),
    effective_vendor_id: many2one('res.partner', { label: 'Vendor in Use', computed: true }),
    show_supplier: boolean({ label: 'Bought from Vendors', computed: true }),
    available_vendor: boolean({
      label: 'Another Vendor Has It',
      computed: true,
      help: 'Goods come by a rule that does not buy, although a vendor offers them.',
    }),
    lead_days: float(),
    days_to_order: float(),
  },
})

declare module '#models' {
  interface Orderpoint extends Of<typeof orderpoint> {}
  interface ProductProduct extends Of<typeof product> {}
  interface ProductSupplierinfo extends Of<typeof offer> {}
}

const ruleOf = ({ orderpoint_id: id }: { readonly orderpoint_id?: unknown }) =>
  Number.isInteger(id) ? Number(id) : null

/** Vendors of the product in their order, the one that is bought from, and the days that this takes. */
const vendors = computedFields(
  orderpoint,
  ['vendor_ids', 'effective_vendor_id', 'show_supplier', 'available_vendor', 'lead_days', 'days_to_order'],
  [
    'company_id.days_to_purchase',
    'supplier_id.partner_id',
    'supplier_id.delay',
    'rule_ids.action',
    'rule_ids.delay',
    'product_id.product_tmpl_id.seller_ids.partner_id',
    'product_id.product_tmpl_id.seller_ids.product_id',
    'product_id.product_tmpl_id.seller_ids.delay',
  ],
  (points) =>
    new Map(
      points.map(
        ({
          id,
          supplier_id: chosen,
          company_id: company,
          rule_ids: rules,
          product_id: { id: product, product_tmpl_id: template },
        }) => {
          const offers = template.seller_ids.filter(
            (offer) => !offer.product_id || offer.product_id.id === product,
          )
          const bought = rules.some((rule) => String(rule.action) === 'buy')
          const used = chosen ?? offers[0] ?? null
          const toOrder = bought ? company.days_to_purchase : 0
          const delay = rules.reduce((days, rule) => days + rule.delay, bought ? (used?.delay ?? 0) : 0)
          return [
            id,
            {
              vendor_ids: offers,
              effective_vendor_id: bought ? (used?.partner_id ?? null) : null,
              show_supplier: bought,
              available_vendor: !bought && offers.length > 0,
              lead_days: delay + toOrder,
              days_to_order: toOrder,
            },
          ]
        },
      ),
    ),
)

export const productsBought = [
  implement(orderpoint, {
    computed: vendors,
    checks: {
      'The vendor of a reordering rule must be a vendor of its product: choose a price of the product.':
        computed(
          orderpoint,
          ['supplier_id.product_tmpl_id', 'product_id.product_tmpl_id'],
          ({ supplier_id: offer, product_id: { product_tmpl_id: template } }) =>
            !offer?.product_tmpl_id || offer.product_tmpl_id.id === template.id,
        ),
    },
  }),
  implement(product, {
    computed: {
      monthly_demand: computedTogether(product, [], async (products, env) => {
        const left = await demandOf(
          env,
          products.map(({ id }) => id),
          env.companyIds,
          SPAN,
        )
        return new Map(products.map(({ id }) => [id, roundToScale(((left.get(id) ?? 0) / SPAN) * MONTH, 2)]))
      }),
    },
  }),
  implement(offer, {
    computed: {
      last_purchase_date: computedTogether(
        offer,
        ['partner_id', 'product_tmpl_id', 'product_id'],
        async (offers, env) => {
          const rows = await env.rows(
            sql`SELECT i.id, to_char(max(o.date_order), 'YYYY-MM-DD') FROM product_supplierinfo i
            JOIN purchase_order o ON o.partner_id = i.partner_id AND o.state = 'purchase' AND o.company_id = ANY(${idList([...env.companyIds])})
            JOIN purchase_order_line l ON l.order_id = o.id JOIN product_product p ON p.id = l.product_id
            WHERE i.id = ANY(${idList(offers.map(({ id }) => id))}) AND p.product_tmpl_id = i.product_tmpl_id
              AND (i.product_id IS NULL OR i.product_id = p.id) GROUP BY 1`,
            {
              reads: ['product.supplierinfo', 'purchase.order', 'purchase.order.line', 'product.product'],
              row: ['int', 'text?'],
            },
          )
          const days = new Map(rows.map((row) => [row[0], row[1]]))
          return new Map(offers.map(({ id }) => [id, days.get(id) ?? null]))
        },
      ),
      show_set_supplier_button: computedTogether(offer, [], async (offers, env) => {
        const id = ruleOf(env.context)
        const chosen =
          id === null
            ? null
            : (await env.model('stock.warehouse.orderpoint').browse([id]).one(['supplier_id'])).supplier_id
        return new Map(offers.map((offer) => [offer.id, chosen?.id !== offer.id]))
      }),
    },
    methods: {
      action_set_supplier: async (offers) => {
        const id = ruleOf(offers.env.context)
        if (id === null) throw new UserError('No reordering rule in the context: set orderpoint_id.')
        await assertAllowed(offers, 'read')
        await offers.env
          .model('stock.warehouse.orderpoint')
          .browse([id])
          .write({ supplier_id: offers.ensureOne() })
        return null
      },
    },
  }),
] as const
