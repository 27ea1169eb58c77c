// Places, kinds of operations and lots: whether goods there are the company's, on which account, and what
// lots are worth (stock.location, stock.picking.type, stock.lot).
import {
  boolean,
  char,
  computed,
  computedTogether,
  extend,
  float,
  implement,
  many2one,
  monetary,
  type Of,
  writable,
} from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'

const location = extend('stock.location', {
  fields: {
    valuation_account_id: many2one('account.account', {
      label: 'Stock Valuation Account',
      ondelete: 'set null',
      help: 'Stored for clients and not used: stock is posted to the accounts of the product category.',
    }),
    is_valued_internal: boolean({ label: "Holds the Company's Goods", computed: true }),
    is_valued_external: boolean({ label: 'Lies Outside of the Company', computed: true }),
  },
})
const pickingType = extend('stock.picking.type', {
  fields: {
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
  },
})
const lot = extend('stock.lot', {
  fields: {
    company_currency_id: many2one('res.currency', { label: 'Valuation Currency', computed: true }),
    lot_valuated: boolean({ label: 'Valued by Lot', related: 'product_id.product_tmpl_id.lot_valuated' }),
    standard_price: float({
      label: 'Cost',
      digits: false,
      companyDependent: true,
      copy: false,
      groups: 'base.group_user',
      help: 'Of one, where lots of the product are valued by themselves.',
    }),
    avg_cost: monetary({
      label: 'Average Cost',
      currency: 'company_currency_id',
      computed: true,
      asStored: true,
      groups: 'base.group_user',
    }),
    total_value: monetary({
      label: 'Total Value',
      currency: 'company_currency_id',
      computed: true,
      groups: 'base.group_user',
    }),
  },
})

declare module '#models' {
  interface StockLocation extends Of<typeof location> {}
  interface PickingType extends Of<typeof pickingType> {}
  interface StockLot extends Of<typeof lot> {}
}

const isOwn = (usage: string) => usage === 'internal' || usage === 'transit'

export const valuedPlaces = [
  implement(location, {
    computed: {
      is_valued_internal: computed(
        location,
        ['usage', 'company_id'],
        (location) => isOwn(location.usage) && location.company_id !== null,
      ),
      is_valued_external: computed(
        location,
        ['usage', 'company_id'],
        (location) => !(isOwn(location.usage) && location.company_id !== null),
      ),
    },
  }),
  implement(pickingType),
  implement(lot, {
    // As the cost of a product. Stock users write all else of lots.
    writable: writable<'stock.lot'>({ only: { 'product.group_product_manager': ['standard_price'] } }),
    computed: {
      company_currency_id: computedTogether(lot, [], async (lots, env) => {
        const { currency_id } = await env
          .sudo()
          .model('res.company')
          .browse([env.companyId])
          .one(['currency_id'])
        return new Map(lots.map(({ id }) => [id, currency_id]))
      }),
      avg_cost: computed(lot, ['lot_valuated', 'standard_price', 'product_qty'], (lot) =>
        lot.lot_valuated && lot.product_qty > 0 ? lot.standard_price : 0,
      ),
      total_value: computed(
        lot,
        ['lot_valuated', 'standard_price', 'product_qty', 'company_currency_id.rounding'],
        (lot) =>
          lot.lot_valuated
            ? roundHalfUp(lot.standard_price * lot.product_qty, lot.company_currency_id?.rounding ?? 0.01)
            : 0,
      ),
    },
  }),
] as const
