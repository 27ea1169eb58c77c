// Copies of orders: without deposits, with relinked combos, and with addresses, pricelist and terms of the
// customer if they are for another one.
import type { Records } from '#models'

type Orders = Records<'sale.order'>
type Run = (orders: Orders, params: Record<string, unknown>) => Promise<unknown>

/** Fields that depend on the customer: a copy for another customer computes them again. */
const ofCustomer = [
  'partner_invoice_id',
  'partner_shipping_id',
  'pricelist_id',
  'payment_term_id',
  'fiscal_position_id',
] as const

/** A wrap of `copy_data`. */
export const withoutDeposits =
  (next: Run): Run =>
  async (orders, params) => {
    const copies = (await next(orders, params)) as Record<string, unknown>[]
    const defaults = (params.default ?? {}) as Readonly<Record<string, unknown>>
    const originals = await orders.sudo().load(['partner_id', 'order_line.is_downpayment'])
    return copies.map((vals, i) => {
      const original = originals.find((original) => original.id === orders.ids[i])
      const copy = { ...vals }
      if ('partner_id' in defaults && defaults.partner_id !== original?.partner_id.id)
        for (const field of ofCustomer) if (!(field in defaults)) delete copy[field]
      if (!('order_line' in defaults) && Array.isArray(copy.order_line))
        copy.order_line = copy.order_line.filter((_, n) => !original?.order_line[n]?.is_downpayment)
      return copy
    })
  }

/** A wrap of `copy`: links lines of combos to the copies of their main lines. */
export const copyOrders =
  (next: Run): Run =>
  async (orders, params) => {
    const createdOrders = (await next(orders, params)) as Orders
    if (typeof params.default === 'object' && params.default !== null && 'order_line' in params.default)
      return createdOrders
    const paths = [
      'order_line.linked_line_id',
      'order_line.combo_item_id',
      'order_line.is_downpayment',
    ] as const
    const originals = await orders.sudo().load(paths)
    if (!originals.some((original) => original.order_line.some((line) => line.linked_line_id)))
      return createdOrders
    const copies = new Map(
      (await createdOrders.sudo().load(['order_line'])).map((order) => [order.id, order.order_line]),
    )
    const links = new Map<number, { linked_line_id: number; combo_item_id: number | false }>()
    for (const [i, id] of createdOrders.ids.entries()) {
      const kept =
        originals
          .find((original) => original.id === orders.ids[i])
          ?.order_line.filter((line) => !line.is_downpayment) ?? []
      const twin = new Map(kept.map((line, n) => [line.id, copies.get(id)?.[n]?.id]))
      for (const line of kept) {
        const [twinLine, above] = [twin.get(line.id), twin.get(line.linked_line_id?.id ?? 0)]
        if (twinLine && above)
          links.set(twinLine, { linked_line_id: above, combo_item_id: line.combo_item_id?.id ?? false })
      }
    }
    if (links.size)
      await createdOrders.env
        .sudo()
        .model('sale.order.line')
        .browse([...links.keys()])
        .writeEach(links)
    return createdOrders
  }
