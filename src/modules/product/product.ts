// Implementation of variants of products (product.product). Names and finding: product-names.ts;
// barcodes: barcodes.ts; prices: pricing/.

import { computed, computedTogether, type Environment, implement, type Records } from '#models'
import { MissingError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { raw, sql } from '../../sql/index.ts'
import { givenVals } from '../base/index.ts'
import { convertPrice, factorsOf } from '../uom/index.ts'
import { ambiguous } from './barcodes.ts'
import { contextualPrice } from './pricing/contextual.ts'
import { product } from './product.contract.ts'
import { code, displayName, findByName, partnerRef } from './product-names.ts'
import { extraSql, listPriceSql } from './product-sql.ts'
import { followVariants, removeEmptyTemplates } from './product-templates.ts'
import { assignSellers } from './supplierinfo-products.ts'
import { keyOf } from './variants/plan.ts'
import { postponeSettling, settlesLater } from './variants/settle.ts'

type Products = Records<'product.product'>

const sumOf = (values: readonly { readonly price_extra: number }[]) =>
  values.reduce((sum, value) => addDecimals(sum, value.price_extra), 0)

/** The unit that prices are asked in, by the context. */
async function askedUnit(env: Environment) {
  const unitId = env.context.uom
  return typeof unitId === 'number' ? (await factorsOf(env, [unitId])).get(unitId) : undefined
}

/** A written price, in the unit of the context, becomes the template's price without the extras. */
async function writeListPrice(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const unit = await askedUnit(env)
  const products = await env
    .model('product.product')
    .browse([...values.keys()])
    .load(['price_extra', 'product_tmpl_id.uom_id.factor'])
  const prices = new Map<number, { readonly list_price: number }>()
  for (const { id, price_extra, product_tmpl_id: template } of products) {
    const price = Number(values.get(id)) || 0
    prices.set(template.id, {
      list_price: addDecimals(unit ? convertPrice(price, unit, template.uom_id) : price, -price_extra),
    })
  }
  await env.model('product.template').writeEach(prices)
}

export default implement(product, {
  displayName,
  computed: {
    code,
    partner_ref: partnerRef,
    is_product_variant: computed(product, [], () => true, { searchable: false, sql: () => raw('true') }),
    price_extra: computed(
      product,
      ['product_template_attribute_value_ids.price_extra'],
      (product) => sumOf(product.product_template_attribute_value_ids),
      { searchable: false, sql: extraSql },
    ),
    lst_price: computedTogether(
      product,
      [
        'product_tmpl_id.list_price',
        'product_tmpl_id.uom_id.factor',
        'product_template_attribute_value_ids.price_extra',
      ],
      async (products, env) => {
        const unit = await askedUnit(env)
        return new Map(
          products.map(({ id, product_tmpl_id: template, product_template_attribute_value_ids: values }) => {
            const price = addDecimals(template.list_price, sumOf(values))
            return [id, unit ? convertPrice(price, template.uom_id, unit) : price]
          }),
        )
      },
      {
        context: ['uom'],
        sql: listPriceSql,
        inverse: writeListPrice,
        search: (operator, value) => [['product_tmpl_id.list_price', operator, value]],
      },
    ),
    product_template_variant_value_ids: computed(
      product,
      ['product_template_attribute_value_ids.attribute_line_id.value_count'],
      (product) =>
        product.product_template_attribute_value_ids.filter(
          (value) => value.attribute_line_id.value_count > 1,
        ),
    ),
    combination_indices: computed(product, ['product_template_attribute_value_ids'], (product) =>
      keyOf(product.product_template_attribute_value_ids.map(({ id }) => id)),
    ),
    all_product_tag_ids: computed(
      product,
      ['product_tmpl_id.product_tag_ids', 'additional_product_tag_ids'],
      (product) => [
        ...new Set(
          [...product.product_tmpl_id.product_tag_ids, ...product.additional_product_tag_ids].map(
            ({ id }) => id,
          ),
        ),
      ],
      {
        search: (operator, value) => [
          '|',
          ['product_tag_ids', operator, value],
          ['additional_product_tag_ids', operator, value],
        ],
      },
    ),
  },
  checks: {
    'Another product or packaging has this barcode already.': computedTogether(
      product,
      ['barcode', 'active'],
      async (products, env) => {
        const taken = await ambiguous(
          env,
          products.filter((product) => product.active).map((product) => product.barcode),
        )
        return new Map(
          products.map((product) => [
            product.id,
            !product.active || !product.barcode || !taken.has(product.barcode),
          ]),
        )
      },
    ),
    'The values of a variant must be values of its product, one of a line.': computed(
      product,
      [
        'product_tmpl_id',
        'product_template_attribute_value_ids.product_tmpl_id',
        'product_template_attribute_value_ids.attribute_line_id',
      ],
      ({ product_tmpl_id: template, product_template_attribute_value_ids: values }) =>
        values.every((value) => value.product_tmpl_id?.id === template.id) &&
        new Set(values.map((value) => value.attribute_line_id.id)).size === values.length,
    ),
  },
  methods: { get_contextual_price: (products) => contextualPrice(products) },
  wrapGeneric: {
    create: (next) => async (products, params) => {
      givenVals(params.vals_list)
      const { env } = products
      const createdProducts = (await next(
        settlesLater(env) ? products : products.withContext(postponeSettling),
        params,
      )) as Products
      if (!settlesLater(env))
        await assignSellers(
          env.sudo(),
          (await createdProducts.sudo().load(['product_tmpl_id'])).map(
            (product) => product.product_tmpl_id.id,
          ),
        )
      return products.browse(createdProducts.ids)
    },
    unlink: (next) => async (products, params) => {
      const templates = await products.sudo().load(['product_tmpl_id'])
      const done = await next(products, params)
      await removeEmptyTemplates(
        products.env,
        templates.map((template) => template.product_tmpl_id.id),
      )
      return done
    },
    action_archive: followVariants,
    action_unarchive: followVariants,
    toggle_active: followVariants,
    /**
     * Copies the whole product, and returns the variants of the copy with the same attribute values.
     */
    copy: () => async (products, params) => {
      const originals = await products.load(['product_tmpl_id'])
      if (originals.length < products.length) throw new MissingError('A product to copy does not exist.')
      const pairs: Pair[] = []
      // Several variants of a product are as many copies of it: the first of each go together, then the
      // second.
      for (const round of oncePerTemplate(
        originals.map((original) => ({ original: original.id, template: original.product_tmpl_id.id })),
      )) {
        const copies = await products.env
          .model('product.template')
          .browse(round.map(({ template }) => template))
          .copy((params.default ?? {}) as never)
        for (const [i, { original }] of round.entries())
          pairs.push({ original, template: present(copies.ids[i]) })
      }
      const counterpartOf = await counterparts(products.env, pairs)
      // In the order of the originals; a product that is named twice has two copies.
      const left = Map.groupBy(pairs, ({ original }) => original)
      return products.browse(
        originals.map(({ id }) => present(counterpartOf.get(present(left.get(id)?.shift())))),
      )
    },
    name_search: (next) => async (products, params) => {
      const { name, operator, domain, limit } = params
      const matches = await findByName(
        products,
        name,
        operator,
        Array.isArray(domain) ? domain : [],
        typeof limit === 'number' && limit > 0 ? limit : null,
      )
      if (matches === null) return next(products, params)
      return (await products.sudo().browse(matches).load(['display_name'])).map((product) => [
        product.id,
        product.display_name,
      ])
    },
  },
})

/** A variant, and its product or a copy of its product. */
interface Pair {
  readonly original: number
  readonly template: number
}

/** Splits the pairs into lists in which each product occurs once. */
function oncePerTemplate(pairs: readonly Pair[]): Pair[][] {
  const rounds: Pair[][] = []
  for (const same of Map.groupBy(pairs, ({ template }) => template).values()) {
    for (const [i, pair] of same.entries()) {
      const round = rounds[i] ?? []
      rounds[i] = round
      round.push(pair)
    }
  }
  return rounds
}

/**
 * By pair the variant of the copied product that has the values that `original` has; made when it is one of
 * those made on demand.
 */
async function counterparts(env: Environment, pairs: readonly Pair[]): Promise<Map<Pair, number>> {
  const pairsJson = JSON.stringify(pairs.map(({ original, template }, n) => ({ n, original, template })))
  const twins = await env.rows(
    sql`SELECT x.n, twin.id FROM jsonb_to_recordset(${pairsJson}::jsonb) AS x(n int, original int, template int)
    JOIN product_variant_combination c ON c.product_product_id = x.original
    JOIN product_template_attribute_value v ON v.id = c.product_template_attribute_value_id
    JOIN product_template_attribute_value twin ON twin.product_attribute_value_id = v.product_attribute_value_id AND twin.product_tmpl_id = x.template`,
    { reads: ['product.template.attribute.value'], row: ['int', 'int'] },
  )
  const values = Map.groupBy(twins, (row) => row[0])
  const wanted = pairs.map((_, n) => (values.get(n) ?? []).map((row) => row[1]))
  const keys = JSON.stringify(
    pairs.map(({ template }, n) => ({ n, template, key: keyOf(present(wanted[n])) })),
  )
  const rows = await env.rows(
    sql`SELECT DISTINCT ON (x.n) x.n, p.id FROM jsonb_to_recordset(${keys}::jsonb) AS x(n int, template int, key text)
    JOIN product_product p ON p.product_tmpl_id = x.template ORDER BY x.n, p.combination_indices = x.key DESC, p.id`,
    { reads: ['product.product'], row: ['int', 'int'] },
  )
  const variantOf = new Map(rows.map((row) => [present(pairs[row[0]]), row[1]]))
  const missing = pairs.filter((pair) => !variantOf.has(pair))
  const createdVariants = await env.model('product.product').create(
    missing.map((pair) => ({
      product_tmpl_id: pair.template,
      product_template_attribute_value_ids: [[6, 0, present(wanted[pairs.indexOf(pair)])]],
    })),
  )
  for (const [i, pair] of missing.entries()) variantOf.set(pair, present(createdVariants.ids[i]))
  return variantOf
}
