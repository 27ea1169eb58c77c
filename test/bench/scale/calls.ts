// The calls that are measured over few and over very many contacts, orders and order lines.

export interface Asked {
  readonly name: string
  readonly model: string
  readonly method: string
  readonly named: Record<string, unknown>
  /** Why it takes longer where there are more records, whatever indexes there are. */
  readonly grows?: string
  /** A page by cursor that begins after half of all records. */
  readonly byCursor?: true
}

const ALL = 'every record is counted'
const GROUPED = 'every record is in a group'
const FOUND = 'every record that fits is counted, and there are more of them'
const SKIPPED = 'an offset reads what it leaves out'
const SORTED = 'all that fits is put in order, and there is more of it'

type More = Pick<Asked, 'grows' | 'byCursor'>

const list = (
  name: string,
  model: string,
  fields: readonly string[],
  options: object = {},
  more: More = {},
): Asked => ({
  name,
  model,
  method: 'search_read',
  named: { domain: [], fields, limit: 80, ...options },
  ...more,
})
const page = (name: string, model: string, options: object, more: More = {}): Asked => ({
  ...{ name, model, method: 'web_search_read', ...more },
  named: {
    domain: [],
    specification: { name: {}, display_name: {} },
    limit: 80,
    count_limit: 10_000,
    ...options,
  },
})
const count = (name: string, model: string, domain: readonly unknown[], grows?: string): Asked => ({
  ...{ name, model, method: 'search_count', named: { domain } },
  ...(grows ? { grows } : {}),
})
const groups = (name: string, model: string, groupby: string, options: object = {}): Asked => ({
  ...{ name, model, method: 'formatted_read_group', grows: GROUPED },
  named: { domain: [], groupby: [groupby], aggregates: ['__count'], ...options },
})
/** Groups of as many records, however many there are. */
const few = (name: string, model: string, groupby: string, domain: readonly unknown[]): Asked => ({
  ...{ name, model, method: 'formatted_read_group' },
  named: { domain, groupby: [groupby], aggregates: ['__count'] },
})
const typed = (name: string, model: string, text: string, grows?: string): Asked => ({
  ...{ name, model, method: 'name_search', named: { name: text, limit: 8 } },
  ...(grows ? { grows } : {}),
})

const [contact, order, line] = ['res.partner', 'sale.order', 'sale.order.line']
const ofContacts = ['name', 'email', 'country_id', 'category_id']
const ofOrders = ['name', 'partner_id', 'amount_total']
const ofLines = ['name', 'product_id', 'product_uom_qty', 'price_subtotal']
const of = (...domain: unknown[]) => ({ domain })
const days = (field: string, from: string, to: string) => [
  [field, '>=', from],
  [field, '<', to],
]

/** Ids that the fill gave, and how many contacts and lines there are. */
export interface Known {
  readonly rows: number
  readonly company: number
  readonly person: number
  readonly tag: number
  readonly topTag: number
  /** One that few contacts have. */
  readonly country: number
  readonly customer: number
  readonly buyer: number
  readonly product: number
  readonly order: number
  /** Some ten lines, all over the table. */
  readonly day: readonly [string, string]
}

export function contactsAsked({ rows, company, person, tag, topTag, country }: Known): readonly Asked[] {
  const half = { offset: rows / 2 }
  return [
    list('contacts in their order', contact, ofContacts),
    list('contacts, the last first', contact, ofContacts, { order: 'complete_name desc, id' }),
    list('contacts by their plain name', contact, ofContacts, { order: 'name, id' }),
    list('contacts, the newest first', contact, ofContacts, { order: 'create_date desc' }),
    list('contacts, what changed last first', contact, ofContacts, { order: 'write_date desc, id desc' }),
    list('contacts far behind', contact, ofContacts, half, { grows: SKIPPED }),
    list('contacts far behind, by cursor', contact, ofContacts, {}, { byCursor: true }),
    list(
      'contacts far behind, the newest first, by cursor',
      contact,
      ofContacts,
      { order: 'create_date desc' },
      { byCursor: true },
    ),
    list('contacts by part of the name', contact, ofContacts, of(['name', 'ilike', 'abc12'])),
    list('contacts by what most names have', contact, ofContacts, of(['name', 'ilike', 'a'])),
    list('contacts by two letters', contact, ofContacts, of(['name', 'ilike', 'zq']), {
      grows: 'an index of three letters knows nothing of two',
    }),
    list('contacts by e-mail', contact, ofContacts, of(['email', '=', `contact${person}@example.com`])),
    list('contacts by part of the e-mail', contact, ofContacts, of(['email', 'ilike', `contact${person}@`]), {
      grows: 'all addresses share most of the letters',
    }),
    list('contacts by tag', contact, ofContacts, of(['category_id', 'in', [tag]]), { grows: SORTED }),
    list('contacts by a tree of tags', contact, ofContacts, of(['category_id', 'child_of', topTag]), {
      grows: SORTED,
    }),
    list('contacts by country', contact, ofContacts, of(['country_id.code', '=', 'ZW']), { grows: SORTED }),
    list('contacts by a country that few have', contact, ofContacts, of(['country_id', '=', country]), {
      grows: SORTED,
    }),
    list('contacts by a country that many have', contact, ofContacts, of(['country_id', '=', 5]), {
      grows: SORTED,
    }),
    list(
      'contacts by country and tag',
      contact,
      ofContacts,
      of(['country_id', '=', 5], ['category_id', 'ilike', 'Common 7']),
      { grows: SORTED },
    ),
    list('contacts below a company', contact, ofContacts, of(['id', 'child_of', company])),
    list('companies', contact, ofContacts, of(['is_company', '=', true])),
    list(
      'people of companies with such a name',
      contact,
      ofContacts,
      of(['parent_id.name', 'ilike', 'abc12']),
    ),
    list('contacts of two days, the newest first', contact, ofContacts, {
      ...{ domain: days('create_date', '2020-01-05', '2020-01-07'), order: 'create_date desc' },
    }),
    typed('contacts by what is typed', contact, 'abc12'),
    typed('contacts by a letter that is typed', contact, 'a'),
    typed('contacts by nothing typed yet', contact, ''),
    page('contacts', contact, {}),
    page('contacts, all of them counted', contact, { count_limit: null }, { grows: ALL }),
    page(
      'contacts of a country that many have',
      contact,
      { ...of(['country_id', '=', 5]), count_limit: null },
      { grows: FOUND },
    ),
    count('contacts of a country', contact, [['country_id.code', '=', 'ZW']], FOUND),
    count('contacts of a company', contact, [['parent_id', '=', company]]),
    count('contacts by part of the name', contact, [['name', 'ilike', 'abc12']], FOUND),
    count('contacts by two digits', contact, [['name', 'ilike', '%99%']], FOUND),
    count('all contacts', contact, [], ALL),
    groups('contacts by month', contact, 'create_date:month'),
    groups('contacts by country', contact, 'country_id'),
    groups('contacts by tag', contact, 'category_id'),
    groups('contacts by their first company', contact, 'parent_id', { limit: 80 }),
    few(
      'contacts of two days by country',
      contact,
      'country_id',
      days('create_date', '2020-01-05', '2020-01-07'),
    ),
  ]
}

export function ordersAsked({
  rows,
  customer,
  buyer,
  product,
  order: sampleOrder,
  day,
}: Known): readonly Asked[] {
  const day_ = days('date_order', ...day)
  return [
    list('orders in their order', order, ofOrders),
    list('orders far behind', order, ofOrders, { offset: Math.floor(rows / 6) }, { grows: SKIPPED }),
    list('orders far behind, by cursor', order, ofOrders, {}, { byCursor: true }),
    list('orders of two days', order, ofOrders, { domain: day_ }),
    list('orders of a customer', order, ofOrders, of(['partner_id', 'child_of', buyer]), { grows: SORTED }),
    list('quotations', order, ofOrders, of(['state', 'in', ['draft', 'sent']])),
    list(
      'orders by amount',
      order,
      ofOrders,
      { order: 'amount_total desc' },
      { grows: 'no index has amounts' },
    ),
    list('orders by their number', order, ofOrders, { order: 'name desc' }),
    list('orders, the newest first', order, ofOrders, { order: 'create_date desc' }),
    list('orders with a product', order, ofOrders, of(['order_line.product_id', '=', product]), {
      grows: SORTED,
    }),
    typed(
      'orders by what is typed',
      order,
      `S${String(sampleOrder).padStart(6, '0')}`,
      'it is looked for in numbers and in customers’ names, which no one index has',
    ),
    count('orders of two days', order, day_),
    count('quotations', order, [['state', 'in', ['draft', 'sent']]], FOUND),
    groups('orders by month', order, 'date_order:month', { aggregates: ['__count', 'amount_total:sum'] }),
    few('orders of two days by customer', order, 'partner_id', day_),
    list('lines in their order', line, ofLines),
    list('lines of an order', line, ofLines, of(['order_id', '=', sampleOrder])),
    list('lines of a product', line, ofLines, of(['product_id', '=', product]), { grows: SORTED }),
    list('lines of a customer', line, ofLines, of(['order_partner_id', '=', customer]), { grows: SORTED }),
    list('lines far behind, by cursor', line, ofLines, {}, { byCursor: true }),
    count('lines of two days', line, [['order_id', 'any', day_]]),
    count('all lines', line, [], ALL),
    groups('lines by product', line, 'product_id', { aggregates: ['__count', 'price_subtotal:sum'] }),
    groups('lines by month', line, 'create_date:month'),
  ]
}
