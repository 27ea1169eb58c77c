// Fields of orders and their points of sale that the limits of cashiers read.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'
import { roundingPaths } from '../order/amounts.ts'

/** Settings of a point of sale that limit orders. */
export interface LimitSettings {
  readonly manual_discount: boolean
  readonly restrict_price_control: boolean
  readonly restrict_discounts: boolean
  readonly limit_discount: number
  readonly restrict_refunds: boolean
  readonly limit_refund: number
  readonly restrict_negative_orders: boolean
}

/** Paths from a session to these fields. */
export const limitPaths = [
  'config_id.manual_discount',
  'config_id.restrict_price_control',
  'config_id.restrict_discounts',
  'config_id.limit_discount',
  'config_id.restrict_refunds',
  'config_id.limit_refund',
  'config_id.restrict_negative_orders',
] as const

/** Whether a point of sale limits orders. */
export const isLimited = (config: LimitSettings): boolean =>
  !config.manual_discount ||
  config.restrict_price_control ||
  config.restrict_discounts ||
  config.restrict_refunds ||
  config.restrict_negative_orders

/** The same in SQL, for a row `c` of points of sale. */
export const isLimitedInSql = sql`(c.manual_discount IS NOT TRUE OR c.restrict_price_control OR c.restrict_discounts
  OR c.restrict_refunds OR c.restrict_negative_orders) IS TRUE`

const paths = [
  'uuid',
  'date_order',
  'amount_total',
  'pricelist_id',
  'fiscal_position_id',
  'session_id.start_at',
  'session_id.config_id.use_pricelist',
  'session_id.config_id.pricelist_id',
  'session_id.config_id.available_pricelist_ids',
  'session_id.config_id.fiscal_position_ids',
  'session_id.config_id.default_fiscal_position_id',
  'session_id.config_id.tip_product_id',
  ...limitPaths.map((path) => `session_id.${path}` as const),
  ...roundingPaths,
  'lines.qty',
  'lines.price_unit',
  'lines.discount',
  'lines.tax_ids',
  'lines.product_id.product_tmpl_id.combo_ids',
  'lines.product_id.product_template_attribute_value_ids',
  'lines.attribute_value_ids.price_extra',
  'lines.attribute_value_ids.product_tmpl_id',
  'lines.combo_parent_id',
  'lines.combo_item_id.combo_id',
  'lines.combo_item_id.product_id',
  'lines.combo_item_id.extra_price',
  'lines.refunded_orderline_id.product_id',
  'lines.refunded_orderline_id.qty',
  'lines.refunded_orderline_id.refunded_qty',
  'lines.refunded_orderline_id.order_id.state',
  'lines.refunded_orderline_id.price_unit',
  'lines.refunded_orderline_id.discount',
] as const

export const loadLimited = (env: Environment, ids: readonly number[]) =>
  env.sudo().model('pos.order').browse(ids).load(paths)
export type LimitedRow = Awaited<ReturnType<typeof loadLimited>>[number]
export type LimitedRowLine = LimitedRow['lines'][number]
