// Values that an order line takes from its product: the text, the unit, the taxes.

import { atOnce, computedFields, computedTogether, type Environment } from '#models'
import { present } from '../../kit/present.ts'
import { loadTaxes, mapTaxes } from '../account/index.ts'
import { line } from './line.contract.ts'
import { productTaxes } from './product-taxes.ts'

type Link = { readonly id: number }

interface Named {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
  readonly product_no_variant_attribute_value_ids: readonly Link[]
  readonly product_custom_attribute_value_ids: readonly Link[]
}

const namePaths = ['display_name', 'product_tmpl_id.description_sale'] as const

/**
 * Texts of lines with a product, in the language of their customer: name, what is said on quotations, values
 * that make no variant.
 */
export async function textsOf(env: Environment, lines: readonly Named[]): Promise<Map<number, string>> {
  const sold = lines.filter((line) => line.product_id)
  const texts = new Map<number, string>()
  if (sold.length === 0) return texts
  const su = env.sudo()
  const orders = await su
    .model('sale.order')
    .browse([...new Set(sold.map((line) => line.order_id.id))])
    .load(['partner_id.lang'])
  const languages = new Map(orders.map((order) => [order.id, order.partner_id.lang]))
  for (const [lang, group] of Map.groupBy(sold, (line) => languages.get(line.order_id.id) ?? null)) {
    const spoken = lang && env.unit.rights.languages.has(lang) ? lang : undefined
    const coded = 'display_default_code' in env.context ? { display_default_code: true } : {}
    const languageEnv = su.withContext({ lang: spoken, partner_id: undefined, ...coded })
    const products = await languageEnv
      .model('product.product')
      .browse([...new Set(group.map((member) => present(member.product_id).id))])
      .load(namePaths)
    const textOf = new Map(
      products.map((product) => [
        product.id,
        [product.display_name, product.product_tmpl_id.description_sale].filter(Boolean).join('\n'),
      ]),
    )
    const extras = await extraWords(languageEnv, group)
    for (const member of group)
      texts.set(
        member.id,
        [textOf.get(present(member.product_id).id), ...(extras.get(member.id) ?? [])].join('\n'),
      )
  }
  return texts
}

/** Words for values that make no variant, and for what customers wrote themselves. */
async function extraWords(env: Environment, lines: readonly Named[]): Promise<Map<number, string[]>> {
  const values = [
    ...new Set(lines.flatMap((line) => line.product_no_variant_attribute_value_ids.map(({ id }) => id))),
  ]
  const customs = lines.flatMap((line) => line.product_custom_attribute_value_ids.map(({ id }) => id))
  if (values.length + customs.length === 0) return new Map()
  const names = new Map(
    (await env.model('product.template.attribute.value').browse(values).load(['display_name'])).map((v) => [
      v.id,
      v.display_name,
    ]),
  )
  const written = await env
    .model('product.attribute.custom.value')
    .browse(customs)
    .load(['name', 'custom_product_template_attribute_value_id'])
  const custom = new Map(written.map((value) => [value.id, value]))
  return new Map(
    lines.map((line) => {
      const customValues = line.product_custom_attribute_value_ids.flatMap(({ id }) => custom.get(id) ?? [])
      const customIds = new Set(customValues.map((c) => c.custom_product_template_attribute_value_id.id))
      const plain = line.product_no_variant_attribute_value_ids
        .filter(({ id }) => !customIds.has(id))
        .map(({ id }) => names.get(id) ?? '')
      return [line.id, [...plain, ...customValues.map((c) => c.name ?? '')]]
    }),
  )
}

/** The text of a line follows its product; what was typed stays until the product changes. */
export const lineName = computedFields(
  line,
  ['name'],
  ['order_id', 'product_id', 'product_no_variant_attribute_value_ids', 'product_custom_attribute_value_ids'],
  async (lines, env) => {
    const texts = await textsOf(env, lines)
    return new Map(lines.map((line) => [line.id, texts.has(line.id) ? { name: texts.get(line.id) } : {}]))
  },
  { editable: true, asks: namePaths.map((path) => `product_id.${path}`) },
)

/**
 * One look for the kind and the text, which are asked for later, and for the company that new lines have to
 * fit: what is known is not checked by a statement.
 */
const unitPaths = [
  'product_tmpl_id.uom_id',
  'product_tmpl_id.type',
  'product_tmpl_id.description_sale',
  'product_tmpl_id.company_id',
] as const

export const lineUnit = computedFields(
  line,
  ['product_uom_id'],
  ['product_id'],
  async (lines, env) => {
    const ids = [...new Set(lines.flatMap((line) => line.product_id?.id ?? []))]
    const units = new Map(
      (await env.sudo().model('product.product').browse(ids).load(unitPaths)).map((product) => [
        product.id,
        product.product_tmpl_id.uom_id.id,
      ]),
    )
    return new Map(
      lines.map((line) => [
        line.id,
        { product_uom_id: line.product_id ? (units.get(line.product_id.id) ?? null) : null },
      ]),
    )
  },
  { editable: true, asks: unitPaths.map((path) => `product_id.${path}`) },
)

/**
 * Taxes of a product in the order's company, as the order's fiscal position has them; combos have none, their
 * parts do.
 */
export async function taxesOf(env: Environment, lines: readonly Taxable[]): Promise<Map<number, number[]>> {
  const su = env.sudo()
  const sold = lines.filter((line) => line.product_id)
  const orders = await su
    .model('sale.order')
    .browse([...new Set(sold.map((line) => line.order_id.id))])
    .load(['company_id', 'fiscal_position_id'])
  const terms = new Map(
    orders.map((order) => [
      order.id,
      { company: order.company_id.id, position: order.fiscal_position_id?.id ?? null },
    ]),
  )
  const ids = [...new Set(sold.map((line) => present(line.product_id).id))]
  const termsOf = (line: (typeof sold)[number]) => terms.get(line.order_id.id)
  const groups = Map.groupBy(sold, (line) => `${termsOf(line)?.company}/${termsOf(line)?.position}`)
  const [kinds, ...taxesByLine] = await atOnce(
    env,
    () => su.model('product.product').browse(ids).load(['product_tmpl_id.type']),
    ...[...groups.values()].map((group) => () => taxesUnder(su, group, termsOf(present(group[0])))),
  )
  const combos = new Set(kinds.flatMap((kind) => (kind.product_tmpl_id.type === 'combo' ? [kind.id] : [])))
  const taxes = new Map<number, number[]>()
  for (const line of sold) if (combos.has(present(line.product_id).id)) taxes.set(line.id, [])
  for (const group of taxesByLine) for (const [id, taxIds] of group) if (!taxes.has(id)) taxes.set(id, taxIds)
  return taxes
}

interface Taxable {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
}

/** Taxes of lines that are sold under the same terms. */
async function taxesUnder(
  env: Environment,
  lines: readonly Taxable[],
  terms: { readonly company: number; readonly position: number | null } | undefined,
): Promise<Map<number, number[]>> {
  if (!terms) return new Map()
  const products = [...new Set(lines.map((line) => present(line.product_id).id))]
  const [taxIdsOf, mapped] = await atOnce(
    env,
    () => productTaxes(env, products, terms.company),
    () => mapTaxes(env, terms.position),
  )
  return new Map(lines.map((line) => [line.id, mapped(taxIdsOf.get(present(line.product_id).id)?.ids ?? [])]))
}

export const lineTaxes = computedFields(
  line,
  ['tax_ids'],
  // The company alone may change: a quotation goes over to another one.
  ['order_id', 'product_id', 'company_id'],
  async (lines, env) => {
    const taxes = await taxesOf(env, lines)
    // Amounts follow, and take a look at the taxes: it is taken while prices are asked for.
    await loadTaxes(env, [...taxes.values()].flat())
    // Lines without a product have the taxes that were chosen for them.
    return new Map(lines.map((line) => [line.id, taxes.has(line.id) ? { tax_ids: taxes.get(line.id) } : {}]))
  },
  { editable: true },
)

export const translatedName = computedTogether(
  line,
  ['product_id', 'order_partner_id.lang'],
  async (lines, env) => {
    const names = new Map<number, string | null>(lines.map((line) => [line.id, null]))
    for (const [lang, group] of Map.groupBy(lines, (line) => line.order_partner_id?.lang ?? null)) {
      const spoken = lang && env.unit.rights.languages.has(lang) ? lang : undefined
      const ids = [...new Set(group.flatMap((member) => member.product_id?.id ?? []))]
      const products = await env
        .sudo()
        .withContext({ lang: spoken })
        .model('product.product')
        .browse(ids)
        .load(['display_name'])
      const nameOf = new Map(products.map((product) => [product.id, product.display_name]))
      for (const member of group) names.set(member.id, nameOf.get(member.product_id?.id ?? 0) ?? null)
    }
    return names
  },
)
