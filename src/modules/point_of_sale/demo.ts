// A shop to look at: a second point of sale with a drawer of its own, a few things that tills sell by
// category, and a register that is open and sold some of them.
import { createHash } from 'node:crypto'
import { type DataSet, type Environment, ref } from '#models'
import { present } from '../../kit/present.ts'
import { roundToScale } from '../../kit/rounding.ts'

const categories: DataSet = {
  model: 'pos.category',
  noupdate: true,
  records: {
    demo_till_drinks: { name: 'Drinks', sequence: 1 },
    demo_till_food: { name: 'Food', sequence: 2 },
  },
}

const goods = (
  [
    ['coffee', 'Coffee', 2.4, 0.5, 'drinks'],
    ['tea', 'Tea', 2.2, 0.3, 'drinks'],
    ['juice', 'Orange juice', 3.5, 1.4, 'drinks'],
    ['sandwich', 'Sandwich', 4.9, 1.9, 'food'],
    ['soup', 'Soup of the day', 5.5, 1.6, 'food'],
    ['cake', 'Slice of cake', 3.2, 0.9, 'food'],
  ] as const
).map(([name, title, list_price, standard_price, category], n) => [
  `demo_till_${name}`,
  {
    name: title,
    list_price,
    standard_price,
    is_storable: true,
    available_in_pos: true,
    barcode: `26000000000${n}0`,
    pos_categ_ids: [[6, 0, [ref(`demo_till_${category}`)]]],
  },
])

const products: DataSet = {
  model: 'product.product',
  noupdate: true,
  records: Object.fromEntries(goods),
}

const drawer: DataSet = {
  model: 'account.journal',
  noupdate: true,
  records: { demo_till_drawer: { name: 'Cash (Kiosk)', type: 'cash' } },
}

const cash: DataSet = {
  model: 'pos.payment.method',
  noupdate: true,
  records: { demo_till_cash: { name: 'Cash', journal_id: ref('demo_till_drawer'), sequence: 3 } },
}

/** Takes cards and accounts as the shop does, and the drawer that is free. */
const kiosk: DataSet = {
  model: 'pos.config',
  noupdate: true,
  records: { demo_till_kiosk: { name: 'Kiosk' } },
}

/** Demo sales need a company with a chart of accounts. */
const whereBooked = (set: DataSet) => async (env: Environment) => {
  const { chart_template } = await env.model('res.company').browse([env.companyId]).one(['chart_template'])
  return chart_template ? set : null
}

/** The sales of the kiosk: goods with their quantities, an order each. */
const sales = [
  { coffee: 2 },
  { sandwich: 1, juice: 1 },
  { soup: 2, tea: 1, cake: 2 },
] as const satisfies readonly Readonly<Record<string, number>>[]

const cents = (amount: number) => roundToScale(amount, 2)

/** The same on every machine. */
function uuidOf(text: string): string {
  const digits = createHash('sha256').update(`demo till ${text}`).digest('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** Lines of an order as a till sends them. */
async function linesOf(env: Environment, order: string, sold: Readonly<Record<string, number>>) {
  const ids = await Promise.all(Object.keys(sold).map((name) => env.ref(`point_of_sale.demo_till_${name}`)))
  const rows = await env
    .model('product.product')
    .browse(ids)
    .load(['lst_price', 'product_tmpl_id.taxes_id.amount'])
  return Object.values(sold).map((qty, n) => {
    const { id, lst_price, product_tmpl_id } = present(rows[n])
    const taxes = product_tmpl_id.taxes_id
    const price_subtotal = cents(qty * lst_price)
    const percent = taxes.reduce((sum, { amount }) => sum + amount, 0)
    return {
      uuid: uuidOf(`${order}, line ${n}`),
      product_id: id,
      qty,
      price_unit: lst_price,
      discount: 0,
      tax_ids: [[6, 0, taxes.map((tax) => tax.id)]],
      price_subtotal,
      price_subtotal_incl: cents(price_subtotal * (1 + percent / 100)),
    }
  })
}

/** The kiosk is open: its drawer was counted, and orders were paid in cash. */
async function openRegister(env: Environment): Promise<null> {
  const config_id = await env.find('point_of_sale.demo_till_kiosk')
  const payment_method_id = await env.find('point_of_sale.demo_till_cash')
  if (!config_id || !payment_method_id) return null
  const user_id = await env.ref('base.user_admin')
  const session = await env.model('pos.session').create([{ config_id, user_id }])
  await session.set_opening_control({ cashbox_value: 100, notes: '' })
  const session_id = session.ensureOne()
  const orders: Record<string, unknown>[] = []
  for (const [n, sold] of sales.entries()) {
    const lines = await linesOf(env, `order ${n}`, sold)
    const untaxed = cents(lines.reduce((sum, line) => sum + line.price_subtotal, 0))
    const amount = cents(lines.reduce((sum, line) => sum + line.price_subtotal_incl, 0))
    orders.push({
      uuid: uuidOf(`order ${n}`),
      session_id,
      user_id,
      pos_reference: `${session_id}-1-${String(n + 1).padStart(6, '0')}`,
      state: 'paid',
      amount_total: amount,
      amount_tax: cents(amount - untaxed),
      amount_paid: amount,
      amount_return: 0,
      lines: lines.map((line) => [0, 0, line]),
      payment_ids: [[0, 0, { uuid: uuidOf(`payment ${n}`), payment_method_id, amount }]],
    })
  }
  await env.model('pos.order').sync_from_ui({ orders })
  return null
}

export const demo = [categories, products, ...[drawer, cash, kiosk].map(whereBooked), openRegister]
