// A shop with a till, for tests: a cashier and a manager besides the administrator, a user who keeps
// the books, and a clerk with neither right.
import { type Answer, type Office, openOffice, type To } from './office.ts'

const people = {
  cashier: ['point_of_sale.group_pos_user'],
  boss: ['point_of_sale.group_pos_manager'],
  biller: ['account.group_account_invoice'],
  clerk: [],
} as const

export type Person = keyof typeof people | 'admin'
export type Row = Record<string, unknown>

/** The parts of an order that a test sets; the rest is as tills send it. */
export interface Wanted {
  readonly n: number
  readonly lines?: readonly {
    readonly product: number
    readonly qty?: number
    readonly price: number
    readonly more?: object
  }[]
  readonly method?: number
  readonly more?: Row
}

export interface Till extends Office<keyof typeof people> {
  readonly config: number
  readonly cash: number
  readonly card: number
  /** Customers pay later. */
  readonly account: number
  readonly session: number
  ask<T = unknown>(path: string, body: object, person?: Person): Promise<T>
  make(model: string, vals: object, person?: Person): Promise<number>
  read(model: string, id: number, fields: readonly string[]): Promise<Row>
  /** Orders without taxes, paid as much as they come to. */
  order(wanted: Wanted): Row
  sync(orders: readonly Row[], person?: Person, to?: To): Promise<Answer>
}

const uuid = (kind: string, n: number, i = 0) => `${kind}-${n}-${i}`

/** Opens the shop that comes with the module, on as many servers as are wanted, and counts nothing into its drawer. */
export async function openTill(more: readonly string[] = [], nodes = 1): Promise<Till> {
  const names = ['base', 'mail', 'uom', 'product', 'account', 'stock', 'point_of_sale', ...more]
  return tillOver(await openOffice(names, people, { nodes }))
}

/** Opens the shop over a database that is there, and counts nothing into its drawer. */
export async function tillOver(office: Office<keyof typeof people>): Promise<Till> {
  const ask = async <T>(path: string, body: object, person: Person = 'admin') => {
    const answer = await office.call(person, path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const config = await office.run((env) => env.ref('point_of_sale.pos_config_main'))
  await ask('pos.config/open_ui', { ids: [config] }, 'cashier')
  const [{ current_session_id: session }] = await ask<[{ current_session_id: number }]>('pos.config/read', {
    ids: [config],
    fields: ['current_session_id'],
    load: null,
  })
  await ask('pos.session/set_opening_control', { ids: [session], cashbox_value: 0, notes: '' }, 'cashier')
  const methods = await ask<{ id: number; type: string }[]>('pos.payment.method/search_read', {
    domain: [['config_ids', '=', config]],
    fields: ['type'],
  })
  const methodOf = (type: string) => methods.find((method) => method.type === type)?.id as number
  const [cash, card, account] = [methodOf('cash'), methodOf('bank'), methodOf('pay_later')]
  const order = ({ n, lines = [], method = cash, more: extra = {} }: Wanted): Row => {
    const total = lines.reduce((sum, { qty = 1, price }) => sum + qty * price, 0)
    return {
      uuid: uuid('order', n),
      pos_reference: `26-1-${String(n).padStart(6, '0')}`,
      sequence_number: n,
      session_id: session,
      state: 'paid',
      date_order: '2026-05-05 10:00:00',
      partner_id: false,
      to_invoice: false,
      amount_tax: 0,
      amount_return: 0,
      amount_total: total,
      amount_paid: total,
      lines: lines.map(({ product, qty = 1, price, more: lineValues = {} }, i) => [
        0,
        0,
        {
          uuid: uuid('line', n, i),
          product_id: product,
          qty,
          price_unit: price,
          discount: 0,
          tax_ids: [[6, 0, []]],
          price_subtotal: qty * price,
          price_subtotal_incl: qty * price,
          ...lineValues,
        },
      ]),
      payment_ids:
        total === 0 ? [] : [[0, 0, { uuid: uuid('payment', n), payment_method_id: method, amount: total }]],
      ...extra,
    }
  }
  return {
    ...office,
    config,
    cash,
    card,
    account,
    session,
    ask,
    make: async (model, vals, person) =>
      ((await ask<number[]>(`${model}/create`, { vals_list: [vals] }, person)) as [number])[0],
    read: async (model, id, fields) =>
      (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row,
    order,
    sync: (orders, person = 'cashier', to = {}) =>
      office.call(person, 'pos.order/sync_from_ui', { orders }, to),
  }
}
