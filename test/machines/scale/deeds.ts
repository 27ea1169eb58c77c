// Actions of users and tills, each as the calls that their clients send: the measured units, of which
// workloads consist.

/** Sends one call over JSON-2, `model/method`; gives its answer. Throws where that is not 200. */
export type Ask = (path: string, body: object) => Promise<unknown>

/** The content of every measured database. */
export interface Stock {
  readonly contacts: readonly number[]
  readonly products: readonly number[]
  /** Open sessions of tills, one for each lane. */
  readonly sessions: readonly number[]
  /** The payment method of its customers. */
  readonly method: number
}

interface Turn {
  readonly ask: Ask
  readonly stock: Stock
  /** Counts through all deeds of a run. */
  readonly n: number
  readonly lane: number
}

const LINES = 3
/** Spreads turns over what there is, without a pattern that a cache would like. */
const pick = (from: readonly number[], n: number): number => from[(n * 7919) % from.length] as number

async function till({ ask, stock, n, lane }: Turn): Promise<void> {
  const lines = Array.from({ length: LINES }, (_, i) => [
    0,
    0,
    {
      uuid: `line-${n}-${i}`,
      product_id: pick(stock.products, n * LINES + i),
      qty: 1,
      price_unit: 2,
      discount: 0,
      tax_ids: [[6, 0, []]],
      price_subtotal: 2,
      price_subtotal_incl: 2,
    },
  ])
  const total = 2 * LINES
  const payment = { uuid: `payment-${n}`, payment_method_id: stock.method, amount: total }
  const order = {
    uuid: `order-${n}`,
    pos_reference: `26-${lane}-${String(n).padStart(6, '0')}`,
    sequence_number: n,
    session_id: stock.sessions[lane % stock.sessions.length],
    state: 'paid',
    date_order: '2026-05-05 10:00:00',
    partner_id: false,
    to_invoice: false,
    amount_tax: 0,
    amount_return: 0,
    amount_total: total,
    amount_paid: total,
    lines,
    payment_ids: [[0, 0, payment]],
  }
  await ask('pos.order/sync_from_ui', { orders: [order] })
}

async function sale({ ask, stock, n }: Turn): Promise<void> {
  const order_line = Array.from({ length: LINES }, (_, i) => [
    0,
    0,
    { product_id: pick(stock.products, n * LINES + i), product_uom_qty: 1 },
  ])
  const partner_id = pick(stock.contacts, n)
  const ids = await ask('sale.order/create', { vals_list: [{ partner_id, order_line }] })
  await ask('sale.order/action_confirm', { ids })
}

/** Deeds by name; each is one call, but a sale, which is two. */
export const deeds = {
  'order of a till': till,
  'sales order, confirmed': sale,
  'contact created': ({ ask, n }) =>
    ask('res.partner/create', { vals_list: [{ name: `Client ${n}`, email: `c${n}@example.com` }] }),
  'contact changed': ({ ask, stock, n }) =>
    ask('res.partner/write', { ids: [pick(stock.contacts, n)], vals: { city: `City ${n % 1000}` } }),
  'record read': ({ ask, stock, n }) =>
    ask('res.partner/read', {
      ids: [pick(stock.contacts, n)],
      fields: ['name', 'email', 'city', 'country_id'],
    }),
  'list of 80': ({ ask, n }) =>
    ask('res.partner/search_read', {
      domain: [['is_company', '=', false]],
      fields: ['name', 'email', 'country_id', 'category_id'],
      limit: 80,
      offset: (n % 5) * 80,
    }),
  'till loads 1,000 goods': ({ ask, stock, n }) =>
    ask('pos.session/load_data', {
      ids: [stock.sessions[n % stock.sessions.length]],
      models_to_load: ['product.product', 'pos.payment.method'],
    }),
} satisfies Readonly<Record<string, (turn: Turn) => Promise<unknown>>>

export type Deed = keyof typeof deeds
export const deedNames = Object.keys(deeds) as Deed[]

/** Does one; `n` must differ from all others of its database. */
export const doOne = (deed: Deed, turn: Turn): Promise<unknown> => deeds[deed](turn)

/** The initial content of each database: contacts, products, and as many open tills as lanes. */
export async function prepare(ask: Ask, size: { contacts: number; goods: number; lanes: number }) {
  const createAll = async (model: string, count: number, vals: (n: number) => object): Promise<number[]> => {
    const ids: number[] = []
    for (let at = 0; at < count; at += 1000) {
      const vals_list = Array.from({ length: Math.min(1000, count - at) }, (_, i) => vals(at + i))
      ids.push(...((await ask(`${model}/create`, { vals_list })) as number[]))
    }
    return ids
  }
  const contacts = await createAll('res.partner', size.contacts, (n) => ({
    name: `Contact ${n}`,
    email: `contact${n}@example.com`,
    city: `City ${n % 50}`,
    is_company: n % 10 === 0,
  }))
  const products = await createAll('product.product', size.goods, (n) => ({
    name: `Product ${n}`,
    default_code: `P${n}`,
    barcode: `B${n}`,
    list_price: 1 + (n % 90),
    is_storable: true,
    available_in_pos: true,
  }))
  const [journal] = await createAll('account.journal', 1, () => ({
    name: 'Card',
    type: 'bank',
    code: 'CARD',
  }))
  const [method] = await createAll('pos.payment.method', 1, () => ({ name: 'Card', journal_id: journal }))
  const configs = await createAll('pos.config', size.lanes, (n) => ({
    name: `Till ${n}`,
    payment_method_ids: [[6, 0, [method]]],
  }))
  const sessions: number[] = []
  for (const config of configs) {
    await ask('pos.config/open_ui', { ids: [config] })
    const [row] = (await ask('pos.config/read', {
      ids: [config],
      fields: ['current_session_id'],
      load: null,
    })) as [{ current_session_id: number }]
    sessions.push(row.current_session_id)
    await ask('pos.session/set_opening_control', {
      ids: [row.current_session_id],
      cashbox_value: 0,
      notes: '',
    })
  }
  return { contacts, products, sessions, method: method as number } satisfies Stock
}
