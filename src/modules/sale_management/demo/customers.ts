// Customers of the shop to look at: fifty companies, some with a delivery address, and fifty people; and the
// pricelists that they buy by.
import { type DataSet, ref } from '#models'
import { between, chance, pick } from './random.ts'
import { familyNames, firstWords, givenNames, secondWords, streets, towns } from './words.ts'

const place = (next: () => number) => {
  const { city, zip, country } = pick(towns, next)
  return { street: `${between(1, 120, next)} ${pick(streets, next)}`, city, zip, country_id: ref(country) }
}

const address = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z]+/g, '')

const terms = [
  'account.account_payment_term_15days',
  'account.account_payment_term_30days',
  'account.account_payment_term_immediate',
]

const pricelists: DataSet = {
  model: 'product.pricelist',
  noupdate: true,
  records: {
    demo_pricelist_retail: { name: 'Retail', sequence: 1 },
    demo_pricelist_wholesale: {
      name: 'Wholesale',
      sequence: 20,
      item_ids: [
        [0, 0, { compute_price: 'percentage', percent_price: 12 }],
        [0, 0, { compute_price: 'percentage', percent_price: 20, min_quantity: 24 }],
        [
          0,
          0,
          {
            applied_on: '2_product_category',
            categ_id: ref('demo_category_workshops'),
            compute_price: 'percentage',
            percent_price: 5,
          },
        ],
      ],
    },
    demo_pricelist_neighbours: {
      name: 'Neighbours',
      sequence: 30,
      item_ids: [
        [0, 0, { compute_price: 'formula', base: 'list_price', price_discount: 10, price_round: 0.1 }],
        [
          0,
          0,
          {
            applied_on: '2_product_category',
            categ_id: ref('demo_category_coffee'),
            compute_price: 'fixed',
            fixed_price: 6.5,
          },
        ],
      ],
    },
  },
}

const customers = (): DataSet => {
  const next = chance(77)
  const records: Record<string, Record<string, unknown>> = {}
  for (const first of firstWords) {
    for (const second of secondWords) {
      const name = `${first} ${second}`
      const wholesale = second === 'Café' || second === 'Hotel'
      records[`demo_customer_${Object.keys(records).length + 1}`] = {
        name,
        is_company: true,
        ...place(next),
        email: `orders@${address(name)}.example`,
        phone: `+00 555 0${between(100, 999, next)}`,
        property_payment_term_id: ref(pick(terms, next)),
        ...(wholesale ? { property_product_pricelist: ref('demo_pricelist_wholesale') } : {}),
        ...(next() < 0.2
          ? { child_ids: [[0, 0, { name: 'Goods Entrance', type: 'delivery', ...place(next) }]] }
          : {}),
      }
    }
  }
  for (const givenName of givenNames) {
    for (const family of familyNames) {
      const name = `${givenName} ${family}`
      records[`demo_customer_${Object.keys(records).length + 1}`] = {
        name,
        ...place(next),
        email: `${address(givenName)}.${address(family)}@mail.example`,
        ...(next() < 0.15 ? { property_product_pricelist: ref('demo_pricelist_neighbours') } : {}),
      }
    }
  }
  return { model: 'res.partner', noupdate: true, records }
}

export const customerSets: readonly (DataSet | (() => DataSet))[] = [pricelists, customers]
