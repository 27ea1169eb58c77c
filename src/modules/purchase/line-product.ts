// Values that an order line takes from its product: the vendor's text, the unit, the taxes.

import { computedFields, computedTogether, type Environment } from '#models'
import { present } from '../../kit/present.ts'
import { mapTaxes, taxesOf } from '../account/index.ts'
import { digitsOf } from '../base/index.ts'
import { namesInOffers } from '../product/index.ts'
import { convertQuantity, factorsOf } from '../uom/index.ts'
import { line } from './line.contract.ts'
import { proposalsOf, termsOf } from './line-offers.ts'

type Link = { readonly id: number }
const editable = { editable: true } as const

interface Bought {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
}

/** Lines with a product, in groups by the language of their vendor, each with its vendor. */
async function groupedByLanguage<L extends Bought>(env: Environment, lines: readonly L[]) {
  const bought = lines.filter((line) => line.product_id)
  const orders = await env
    .sudo()
    .model('purchase.order')
    .browse([...new Set(bought.map((line) => line.order_id.id))])
    .load(['partner_id.lang'])
  const vendors = new Map(orders.map((order) => [order.id, order.partner_id]))
  const asks = bought.map((line) => {
    const vendor = vendors.get(line.order_id.id)
    const lang = vendor?.lang && env.unit.rights.languages.has(vendor.lang) ? vendor.lang : undefined
    return { line, lang, product: present(line.product_id).id, vendor: vendor?.id ?? 0 }
  })
  return [...Map.groupBy(asks, ({ lang }) => lang)].map(([lang, group]) => ({
    languageEnv: env.sudo().withContext({ lang }),
    group,
  }))
}

/**
 * Text and unit of a line follow its product: how the offer that applies to a new line calls it, what is said
 * on purchases, values that make no variant; the unit in which the vendor sells.
 */
export const lineProduct = computedFields(
  line,
  ['name', 'product_uom_id'],
  ['order_id', 'product_id', 'product_no_variant_attribute_value_ids'],
  async (lines, env, fresh) => {
    // One look for all that follows.
    await env
      .sudo()
      .model('product.product')
      .browse([...new Set(lines.flatMap((line) => line.product_id?.id ?? []))])
      .load([
        'product_tmpl_id.uom_id.factor',
        'product_tmpl_id.type',
        'product_tmpl_id.purchase_method',
        'product_tmpl_id.description_purchase',
      ])
    const proposals = await proposalsOf(env, lines, await termsOf(env, lines))
    const values = new Map<number, { name?: string; product_uom_id: number | null }>(
      lines.map(({ id }) => [
        id,
        { product_uom_id: proposals.get(id)?.unit.id ?? null, ...(fresh ? { name: '' } : {}) },
      ]),
    )
    for (const { languageEnv, group } of await groupedByLanguage(env, lines)) {
      const names = await namesInOffers(
        languageEnv,
        group.map(({ line: { id }, product }) => ({ product, offer: proposals.get(id)?.offer ?? null })),
      )
      const products = await languageEnv
        .model('product.product')
        .browse([...new Set(group.map(({ product }) => product))])
        .load(['product_tmpl_id.description_purchase'])
      const descriptionOf = new Map(
        products.map((product) => [product.id, product.product_tmpl_id.description_purchase]),
      )
      const extra = group.flatMap(({ line: bought }) =>
        bought.product_no_variant_attribute_value_ids.map(({ id }) => id),
      )
      const extras = await languageEnv
        .model('product.template.attribute.value')
        .browse([...new Set(extra)])
        .load(['display_name'])
      const words = new Map(extras.map((extra) => [extra.id, extra.display_name]))
      for (const [i, { line: bought, product }] of group.entries()) {
        const more = bought.product_no_variant_attribute_value_ids.map(({ id }) => words.get(id))
        const name = [names[i], descriptionOf.get(product), ...more].filter(Boolean).join('\n')
        values.set(bought.id, { product_uom_id: proposals.get(bought.id)?.unit.id ?? null, name })
      }
    }
    return values
  },
  editable,
)

export const translatedName = computedTogether(line, ['order_id', 'product_id'], async (lines, env) => {
  const names = new Map<number, string | null>(lines.map((line) => [line.id, null]))
  for (const { languageEnv, group } of await groupedByLanguage(env, lines)) {
    const products = await languageEnv
      .model('product.product')
      .browse([...new Set(group.map(({ product }) => product))])
      .load(['display_name'])
    const nameOf = new Map(products.map((product) => [product.id, product.display_name]))
    for (const { line: bought, product } of group) names.set(bought.id, nameOf.get(product) ?? null)
  }
  return names
})

/** The quantity in the product's own unit. */
export const ownQuantity = computedFields(
  line,
  ['product_uom_qty'],
  ['product_id', 'product_uom_id', 'product_qty'],
  async (lines, env) => {
    const ids = [...new Set(lines.flatMap((line) => line.product_id?.id ?? []))]
    const products = await env.sudo().model('product.product').browse(ids).load(['product_tmpl_id.uom_id'])
    const unitOf = new Map(products.map((product) => [product.id, product.product_tmpl_id.uom_id.id]))
    const other = lines.some(
      (line) => line.product_uom_id && unitOf.get(line.product_id?.id ?? 0) !== line.product_uom_id.id,
    )
    const all = [...unitOf.values(), ...lines.flatMap((line) => line.product_uom_id?.id ?? [])]
    const units = other ? await factorsOf(env, [...new Set(all)]) : new Map()
    const digits = other ? await digitsOf(env, 'Product Unit') : 2
    return new Map(
      lines.map((line) => {
        const [from, to] = [
          units.get(line.product_uom_id?.id ?? 0),
          units.get(unitOf.get(line.product_id?.id ?? 0) ?? 0),
        ]
        const quantity =
          from && to ? convertQuantity(line.product_qty, from, to, 'half-up', digits) : line.product_qty
        return [line.id, { product_uom_qty: quantity }]
      }),
    )
  },
)

/**
 * Taxes by line, of those with a product: the product's in the order's company, as the order's fiscal
 * position has them.
 */
async function taxesOfLines(env: Environment, lines: readonly Bought[]): Promise<Map<number, number[]>> {
  const su = env.sudo()
  const bought = lines.filter((line) => line.product_id)
  const orders = await su
    .model('purchase.order')
    .browse([...new Set(bought.map((line) => line.order_id.id))])
    .load(['company_id', 'fiscal_position_id'])
  const terms = new Map(
    orders.map((order) => [
      order.id,
      { company: order.company_id.id, position: order.fiscal_position_id?.id ?? null },
    ]),
  )
  const taxes = new Map<number, number[]>()
  const key = (line: Bought) =>
    `${terms.get(line.order_id.id)?.company}/${terms.get(line.order_id.id)?.position}`
  for (const group of Map.groupBy(bought, key).values()) {
    const orderTerms = terms.get(group[0]?.order_id.id ?? 0)
    if (!orderTerms) continue
    const productTaxIds = await taxesOf(
      su.withCompany(orderTerms.company),
      [...new Set(group.map((member) => present(member.product_id).id))],
      true,
    )
    const mapped = await mapTaxes(su, orderTerms.position)
    for (const member of group)
      taxes.set(member.id, mapped(productTaxIds.get(present(member.product_id).id) ?? []))
  }
  return taxes
}

export const lineTaxes = computedFields(
  line,
  ['tax_ids'],
  ['order_id.fiscal_position_id', 'product_id', 'company_id'],
  async (lines, env) => {
    const taxes = await taxesOfLines(env, lines)
    return new Map(lines.map((line) => [line.id, taxes.has(line.id) ? { tax_ids: taxes.get(line.id) } : {}]))
  },
  editable,
)
