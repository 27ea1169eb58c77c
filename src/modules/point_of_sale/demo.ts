// A shop to look at: a second point of sale with a drawer of its own, and a few things that tills sell by
// category.
import { type DataSet, type Environment, ref } from '#models'

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

/** What sells needs a company that keeps books. */
const whereBooked = (set: DataSet) => async (env: Environment) => {
  const { chart_template } = await env.model('res.company').browse([env.companyId]).one(['chart_template'])
  return chart_template ? set : null
}

export const demo = [categories, products, ...[drawer, cash, kiosk].map(whereBooked)]
