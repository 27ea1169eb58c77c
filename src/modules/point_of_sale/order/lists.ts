// Lists of orders that tills and managers ask for.
import type { Records } from '#models'
import { UserError } from '../../../errors.ts'

type Orders = Records<'pos.order'>
type Domain = Parameters<Orders['search']>[0]

const whole = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0

/**
 * A page of the paid orders of a point of sale, the newest first, each with the moment of its last change.
 */
export async function paidOrders(
  orders: Orders,
  {
    config_id,
    domain,
    limit,
    offset,
  }: { config_id: number; domain: unknown[]; limit: unknown; offset: unknown },
): Promise<object> {
  const inConfig: Domain = [
    ['config_id', '=', config_id],
    ['state', 'not in', ['draft', 'cancel']],
    ...(domain as Domain),
  ]
  const totalCount = await orders.searchCount(inConfig)
  const page = await orders.search(inConfig, {
    limit: whole(limit) || 80,
    offset: whole(offset),
    order: 'create_date desc, id desc',
  })
  const rows = await page.load(['date_order', 'write_date', 'lines.refund_orderline_ids.write_date'])
  const changed = rows.map((row) => {
    const moments = row.lines.flatMap((line) =>
      line.refund_orderline_ids.map((refundOrderline) => refundOrderline.write_date ?? ''),
    )
    return [row.id, [row.write_date ?? row.date_order, ...moments].sort().at(-1)]
  })
  return { ordersInfo: changed, totalCount }
}

/**
 * Orders whose totals are not what their lines come to. Throws UserError for those who are no managers of
 * tills.
 */
export async function notedOrders(
  orders: Orders,
  { config_id, limit }: { config_id: number | null; limit: unknown },
): Promise<Record<string, unknown>[]> {
  const { env } = orders
  if (!env.su && !env.hasGroup('point_of_sale.group_pos_manager'))
    throw new UserError('Only managers of points of sale may see orders whose totals differ.')
  const noted = await orders.search(
    [['price_check', '=', 'differs'], ...(config_id ? [['config_id', '=', config_id] as const] : [])],
    {
      limit: whole(limit) || 80,
      order: 'id desc',
    },
  )
  const fields = [
    'name',
    'pos_reference',
    'config_id',
    'session_id',
    'user_id',
    'date_order',
    'amount_total',
    'checked_total',
    'amount_tax',
    'checked_tax',
  ]
  return noted.read(fields, null)
}
