// A database with purchases and a server over it, for tests: buyer orders, boss manages, biller keeps the
// books, clerk does neither, guest is a vendor's person.
import { type Office, openOffice } from './office.ts'

const people = {
  buyer: ['purchase.group_purchase_user'],
  boss: ['purchase.group_purchase_manager'],
  biller: ['account.group_account_invoice'],
  clerk: [],
  guest: ['base.group_portal'],
} as const

export type Buyer = keyof typeof people | 'admin'
type Row = Record<string, unknown>

export interface Buying extends Office<keyof typeof people> {
  /** As `call`, for calls that must succeed: gives the body. Throws otherwise. */
  ask<T = unknown>(path: string, body: object, person?: Buyer): Promise<T>
  make(model: string, vals: object, person?: Buyer): Promise<number>
  makeAll(model: string, list: readonly object[], person?: Buyer): Promise<number[]>
  read(model: string, id: number, fields: readonly string[]): Promise<Row>
  linesOf(order: number, fields: readonly string[]): Promise<Row[]>
}

export async function openBuying(more: readonly string[] = []): Promise<Buying> {
  const office = await openOffice(['base', 'mail', 'uom', 'product', 'account', 'purchase', ...more], people)
  const ask = async <T>(path: string, body: object, person: Buyer = 'admin') => {
    const answer = await office.call(person, path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const makeAll = (model: string, vals_list: readonly object[], person?: Buyer) =>
    ask<number[]>(`${model}/create`, { vals_list }, person)
  return {
    ...office,
    ask,
    makeAll,
    make: async (model, vals, person) => (await makeAll(model, [vals], person))[0] as number,
    read: async (model, id, fields) =>
      (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row,
    linesOf: (order, fields) =>
      ask<Row[]>('purchase.order.line/search_read', {
        domain: [['order_id', '=', order]],
        fields,
        load: null,
      }),
  }
}
