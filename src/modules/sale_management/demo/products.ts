// Products of the shop to look at: 200 of them on ten shelves, two dozen in sizes and colours.
import { type DataSet, ref } from '#models'
import { chance } from './random.ts'
import { shelves } from './words.ts'

const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z]+/g, '_')

const categories: DataSet = {
  model: 'product.category',
  noupdate: true,
  records: Object.fromEntries(
    shelves.map(({ category }) => [`demo_category_${slug(category)}`, { name: category }]),
  ),
}

const attributes: DataSet = {
  model: 'product.attribute',
  noupdate: true,
  records: {
    demo_attribute_size: { name: 'Size', sequence: 1 },
    demo_attribute_colour: { name: 'Colour', sequence: 2, display_type: 'color' },
  },
}

const sizes = [
  ['Small', 0],
  ['Medium', 0],
  ['Large', 2.5],
] as const
const colours = [
  ['Cream', '#f5ecd7'],
  ['Forest', '#2f5d43'],
  ['Slate', '#54606b'],
] as const

const values: DataSet = {
  model: 'product.attribute.value',
  noupdate: true,
  records: Object.fromEntries([
    ...sizes.map(([name, default_extra_price], sequence) => [
      `demo_size_${slug(name)}`,
      { name, sequence, default_extra_price, attribute_id: ref('demo_attribute_size') },
    ]),
    ...colours.map(([name, html_color], sequence) => [
      `demo_colour_${slug(name)}`,
      { name, sequence, html_color, attribute_id: ref('demo_attribute_colour') },
    ]),
  ]),
}

const line = (attribute: string, names: readonly (readonly [string, unknown])[]) => [
  0,
  0,
  {
    attribute_id: ref(`demo_attribute_${attribute}`),
    value_ids: [[6, 0, names.map(([name]) => ref(`demo_${attribute}_${slug(name)}`))]],
  },
]

/** Which products come in sizes, colours or both. */
function linesOf(category: string, noun: string): unknown[] {
  if (noun === 'Apron') return [line('size', sizes), line('colour', colours)]
  if (category === 'Textiles' && noun === 'Tote Bag') return [line('colour', colours)]
  if (category === 'Tableware' && (noun === 'Mug' || noun === 'Cup')) return [line('colour', colours)]
  if (noun === 'Breakfast Basket' || noun === 'Barista Set') return [line('colour', colours)]
  return []
}

/** A price that shops like: 4.90, 12.50, 38.00. */
function price([low, high]: readonly [number, number], next: () => number): number {
  const raw = low + (high - low) * next() ** 1.6
  return raw < 20 ? Math.floor(raw) + (next() < 0.5 ? 0.9 : 0.5) : Math.round(raw)
}

const products = (): DataSet => {
  const next = chance(2026)
  const records: Record<string, Record<string, unknown>> = {}
  for (const { category, code, nouns, kinds, prices, service } of shelves) {
    for (const [n, noun] of nouns.entries()) {
      for (const [k, kind] of kinds.entries()) {
        const list_price = price(prices, next)
        const lines = linesOf(category, noun)
        records[`demo_product_${Object.keys(records).length + 1}`] = {
          name: `${noun}, ${kind}`,
          categ_id: ref(`demo_category_${slug(category)}`),
          type: service ? 'service' : 'consu',
          list_price,
          standard_price: Math.round(list_price * 55) / 100,
          is_favorite: next() < 0.05,
          ...(service
            ? { invoice_policy: 'delivery', description_sale: 'Materials and a drink are included.' }
            : {}),
          ...(lines.length
            ? { attribute_line_ids: lines }
            : { default_code: `${code}-${n + 1}${String(k + 1).padStart(2, '0')}` }),
        }
      }
    }
  }
  return { model: 'product.template', noupdate: true, records }
}

export const productSets: readonly (DataSet | (() => DataSet))[] = [categories, attributes, values, products]
