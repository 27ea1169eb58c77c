// Short ways to make and read orders and what they need, over the wire of a shop that sells.
import type { Seller, Selling } from './selling.ts'

export type Row = Record<string, unknown>

/** The shop is asked for with every call: it is not open yet when a test file says what it uses. */
export function ordering(shop: () => Selling) {
  const makeAll = (model: string, vals_list: readonly object[], person?: Seller) =>
    shop().ask<number[]>(`${model}/create`, { vals_list }, person)
  const make = async (model: string, vals: object, person?: Seller): Promise<number> =>
    ((await makeAll(model, [vals], person)) as [number])[0]
  return {
    make,
    makeAll,
    read: async (model: string, id: number, fields: readonly string[]): Promise<Row> =>
      (await shop().ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row,
    linesOf: (order: number, fields: readonly string[]) =>
      shop().ask<Row[]>('sale.order.line/search_read', {
        domain: [['order_id', '=', order]],
        fields,
        load: null,
      }),
    statusOf: async (person: Seller, path: string, body: object) =>
      (await shop().call(person, path, body)).status,
    product: (name: string, list_price: number, more: object = {}) =>
      make('product.product', { name, list_price, taxes_id: [[5]], ...more }),
    order: (vals: object, person?: Seller) => make('sale.order', vals, person),
  }
}
