// The same calls over few and over very many records: contacts, and lines of orders. What a page, a search or
// a count takes must not grow with the table; groups of everything do.
import { fillContacts } from '../explain/fill.ts'
import { fillOrders } from '../explain/fill-orders.ts'
import { type Lean, openLean } from './leanest/sides.ts'
import { middle, timed } from './timed.ts'

const ROUNDS = 5
const MODULES = ['base', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_management']
const LINES = 3

interface Asked {
  readonly name: string
  readonly model: string
  readonly method: string
  readonly named: Record<string, unknown>
  /** Every record is looked at: it takes as long as there are many. */
  readonly all?: true
}

const list = (name: string, model: string, fields: readonly string[], more: object = {}): Asked => ({
  ...{ name, model, method: 'search_read' },
  named: { domain: [], fields, limit: 80, ...more },
})
const page = (
  name: string,
  model: string,
  specification: object,
  count_limit: number | null,
  all?: true,
): Asked => ({
  ...{ name, model, method: 'web_search_read' },
  named: { domain: [], specification, limit: 80, count_limit },
  ...(all ? { all } : {}),
})
const count = (name: string, model: string, domain: readonly unknown[], all?: true): Asked => ({
  ...{ name, model, method: 'search_count', named: { domain } },
  ...(all ? { all } : {}),
})
const groups = (name: string, model: string, groupby: string, aggregates: readonly string[]): Asked => ({
  ...{ name, model, method: 'formatted_read_group', all: true },
  named: { domain: [], groupby: [groupby], aggregates: ['__count', ...aggregates] },
})

const [contact, order, line] = ['res.partner', 'sale.order', 'sale.order.line']
const ofContacts = ['name', 'email', 'country_id', 'category_id']
const ofLines = ['name', 'product_id', 'product_uom_qty', 'price_subtotal']
const month = [
  ['date_order', '>=', '2020-02-01'],
  ['date_order', '<', '2020-02-03'],
]

const asked: readonly Asked[] = [
  list('contacts in their order', contact, ofContacts),
  list('contacts by part of the name', contact, ofContacts, { domain: [['name', 'ilike', 'abc12']] }),
  list('contacts by e-mail', contact, ofContacts, { domain: [['email', '=', 'contact777@example.com']] }),
  list('contacts by their plain name', contact, ofContacts, { order: 'name, id' }),
  list('contacts, the newest first', contact, ofContacts, { order: 'create_date desc' }),
  list('contacts of two days, the newest first', contact, ofContacts, {
    domain: [
      ['create_date', '>=', '2020-01-05'],
      ['create_date', '<', '2020-01-07'],
    ],
    order: 'create_date desc',
  }),
  {
    ...{ name: 'contacts by what is typed', model: contact, method: 'name_search' },
    named: { name: 'abc12', limit: 8 },
  },
  page('contacts', contact, { name: {}, email: {}, country_id: { fields: { display_name: {} } } }, 10_000),
  page('contacts, all of them counted', contact, { name: {}, email: {} }, null, true),
  count('contacts of a country', contact, [['country_id.code', '=', 'ZW']]),
  count('all contacts', contact, [], true),
  groups('contacts by month', contact, 'create_date:month', []),
  list('orders in their order', order, ['name', 'partner_id', 'amount_total']),
  list('orders of two days', order, ['name', 'partner_id', 'amount_total'], { domain: month }),
  count('orders of two days', order, month),
  groups('orders by month', order, 'date_order:month', ['amount_total:sum']),
  list('orders by amount', order, ['name', 'partner_id', 'amount_total'], { order: 'amount_total desc' }),
  list('orders by their number', order, ['name', 'partner_id', 'amount_total'], { order: 'name desc' }),
  list('lines in their order', line, ofLines),
  count('lines of two days', line, [['order_id', 'any', month]]),
  count('all lines', line, [], true),
  groups('lines by product', line, 'product_id', ['price_subtotal:sum']),
]

/** Milliseconds of each call over so many contacts and lines. */
async function measure(rows: number): Promise<number[]> {
  const lean = await openLean(MODULES)
  try {
    const filled = await timed(async () => {
      await lean.run((env) => fillContacts(env, rows))
      // The fill numbers its contacts itself.
      await lean.connection.simple(`SELECT setval('res_partner_id_seq', (SELECT max(id) FROM res_partner))`)
      await fillOrders(lean.run, Math.ceil(rows / LINES))
      await lean.connection.simple('VACUUM ANALYZE')
    })
    console.error(`${rows} contacts and lines in ${(filled / 1000).toFixed(0)} s`)
    const times: number[] = []
    for (const one of asked) times.push(await ask(lean, one))
    return times
  } finally {
    await lean.close()
  }
}

async function ask({ ask: call }: Lean, { model, method, named }: Asked): Promise<number> {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) times.push(await timed(() => call(model, method, named)))
  // The first round warms up.
  return middle(times.slice(1))
}

/** Measures both; gives lines for people. */
export async function scale(rows: number): Promise<string[]> {
  const few = Math.max(1000, Math.round(rows / 100))
  const [small, large] = [await measure(few), await measure(rows)]
  return asked.map(({ name, method, all }, n) => {
    const [then, now] = [small[n] as number, large[n] as number]
    return `${method} of ${name}: ${then.toFixed(1)} ms of ${few}, ${now.toFixed(1)} ms of ${rows}, ${(now / then).toFixed(1)} times${all ? ', looks at all' : ''}`
  })
}
