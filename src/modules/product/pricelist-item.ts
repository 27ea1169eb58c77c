// Rules of pricelists (product.pricelist.item): the level and targets of a rule, and the checks of its
// values.

import { computed, computedTogether, type Environment, implement } from '#models'
import { present } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'
import { givenVals } from '../base/index.ts'
import { item } from './pricelist-item.contract.ts'
import { offered } from './supplierinfo-products.ts'

type Vals = Record<string, unknown>
const targets = ['product_id', 'product_tmpl_id', 'categ_id'] as const

/** Target fields of each level; the others are cleared. A rule for a variant names its product too. */
const levels: Readonly<Record<string, readonly string[]>> = {
  '0_product_variant': ['product_id', 'product_tmpl_id'],
  '1_product': ['product_tmpl_id'],
  '2_product_category': ['categ_id'],
  '3_global': [],
}

/** The level of the given targets, the narrowest first. */
function levelOf(vals: Vals): string {
  if (vals.product_id) return '0_product_variant'
  if (vals.product_tmpl_id) return '1_product'
  return vals.categ_id ? '2_product_category' : '3_global'
}

/** Values in which level and targets agree. */
function fitted(vals: Vals, level: unknown): Vals {
  const wanted = levels[String(level)]
  if (!wanted) return vals
  const cleared = targets.filter((target) => !wanted.includes(target)).map((target) => [target, false])
  return { ...vals, applied_on: level, ...Object.fromEntries(cleared) }
}

/** Adds the product if only its variant is given. */
async function withTemplates(env: Environment, list: readonly Vals[]): Promise<Vals[]> {
  const wanted = list.flatMap((vals) => (vals.product_id && !vals.product_tmpl_id ? [vals.product_id] : []))
  const variants = new Map((await offered(env, wanted)).map((variant) => [variant.id, variant.template]))
  return list.map((vals) => {
    const template = vals.product_tmpl_id ? undefined : variants.get(vals.product_id as number)
    return template ? { ...vals, product_tmpl_id: template } : vals
  })
}

/**
 * Pricelists on which the rules of each list are based, directly or through others; a list itself if
 * they form a cycle.
 */
async function basesOf(env: Environment, lists: readonly number[]): Promise<Map<number, Set<number>>> {
  const rows = await env.rows(
    sql`WITH RECURSIVE base(list, below) AS (
      SELECT i.pricelist_id, i.base_pricelist_id FROM product_pricelist_item i
        WHERE i.base = 'pricelist' AND i.base_pricelist_id IS NOT NULL AND i.pricelist_id = ANY(${idList(lists)})
      UNION SELECT base.list, i.base_pricelist_id FROM base JOIN product_pricelist_item i ON i.pricelist_id = base.below
        WHERE i.base = 'pricelist' AND i.base_pricelist_id IS NOT NULL)
    SELECT list, below FROM base`,
    { reads: ['product.pricelist.item'], row: ['int', 'int'] },
  )
  const variantIds = new Map<number, Set<number>>(lists.map((list) => [list, new Set()]))
  for (const [list, below] of rows) variantIds.get(list)?.add(below)
  return variantIds
}

export default implement(item, {
  computed: {
    name: computed(
      item,
      ['applied_on', 'categ_id.display_name', 'product_tmpl_id.display_name', 'product_id.display_name'],
      (rule) => {
        if (rule.applied_on === '2_product_category') return `Category: ${rule.categ_id?.display_name ?? ''}`
        if (rule.applied_on === '1_product') return `Product: ${rule.product_tmpl_id?.display_name ?? ''}`
        return rule.applied_on === '0_product_variant'
          ? `Variant: ${rule.product_id?.display_name ?? ''}`
          : 'All Products'
      },
      {
        sql: (scope) => {
          const [category, product, variant] = [
            scope.path('categ_id.display_name'),
            scope.path('product_tmpl_id.display_name'),
            scope.path('product_id.display_name'),
          ]
          if (!category || !product || !variant) return null
          return sql`CASE ${scope.column('applied_on')} WHEN '2_product_category' THEN 'Category: ' || COALESCE(${category}, '')
            WHEN '1_product' THEN 'Product: ' || COALESCE(${product}, '')
            WHEN '0_product_variant' THEN 'Variant: ' || COALESCE(${variant}, '') ELSE 'All Products' END`
        },
      },
    ),
    display_applied_on: computed(item, ['applied_on'], (rule) =>
      rule.applied_on === '2_product_category' ? '2_product_category' : '1_product',
    ),
    price: computed(
      item,
      [
        'compute_price',
        'fixed_price',
        'percent_price',
        'price_discount',
        'price_surcharge',
        'currency_id.name',
      ],
      (rule) => {
        const currency = rule.currency_id?.name ?? ''
        if (rule.compute_price === 'fixed') return `${rule.fixed_price} ${currency}`
        if (rule.compute_price === 'percentage') return `${rule.percent_price} % discount`
        const fee = rule.price_surcharge === 0 ? '' : ` and ${rule.price_surcharge} ${currency}`
        return `${rule.price_discount} % discount${fee}`
      },
    ),
    price_markup: computed(item, ['price_discount'], (rule) => 0 - rule.price_discount, {
      sql: (scope) => sql`(0 - ${scope.column('price_discount')})`,
      inverse: async (env, values) => {
        await env
          .model('product.pricelist.item')
          .writeEach(
            new Map([...values].map(([id, markup]) => [id, { price_discount: 0 - (Number(markup) || 0) }])),
          )
      },
    }),
  },
  checks: {
    'A rule must name what its level is about: a category, a product or a variant.': computed(
      item,
      ['applied_on', 'categ_id', 'product_tmpl_id', 'product_id'],
      (rule) => {
        if (rule.applied_on === '2_product_category') return rule.categ_id !== null
        if (rule.applied_on === '1_product') return rule.product_tmpl_id !== null
        return rule.applied_on !== '0_product_variant' || rule.product_id !== null
      },
    ),
    'A rule must end after it begins.': computed(
      item,
      ['date_start', 'date_end'],
      (rule) => !rule.date_start || !rule.date_end || rule.date_start < rule.date_end,
    ),
    'The minimum margin must not be more than the maximum margin.': computed(
      item,
      ['price_min_margin', 'price_max_margin'],
      (rule) => rule.price_min_margin <= rule.price_max_margin,
    ),
    'A rule based on another pricelist must name it.': computed(
      item,
      ['base', 'base_pricelist_id'],
      (rule) => rule.base !== 'pricelist' || rule.base_pricelist_id !== null,
    ),
    'Pricelists cannot build on each other in a circle.': computedTogether(
      item,
      ['pricelist_id', 'base', 'base_pricelist_id'],
      async (rules, env) => {
        const lists = [
          ...new Set(rules.filter((rule) => rule.base === 'pricelist').map((rule) => rule.pricelist_id.id)),
        ]
        const bases = lists.length ? await basesOf(env, lists) : new Map<number, Set<number>>()
        return new Map(
          rules.map((rule) => [rule.id, !bases.get(rule.pricelist_id.id)?.has(rule.pricelist_id.id)]),
        )
      },
    ),
  },
  wrapWrite: (next) => async (rules, changes) => {
    const list = await withTemplates(
      rules.env,
      changes.map(({ vals }) => vals),
    )
    return next(
      rules,
      changes.map(({ ids }, i) => {
        const vals = present(list[i])
        return { ids, vals: vals.applied_on ? fitted(vals, vals.applied_on) : vals }
      }),
    )
  },
  wrapGeneric: {
    create: (next) => async (rules, params) => {
      const { env } = rules
      const ofContext = Object.fromEntries(
        [...targets, 'applied_on'].flatMap((name) =>
          `default_${name}` in env.context ? [[name, env.context[`default_${name}`]]] : [],
        ),
      )
      const list = await withTemplates(
        env,
        givenVals(params.vals_list).map((vals) => ({ ...ofContext, ...vals })),
      )
      return next(rules, {
        ...params,
        vals_list: list.map((vals) => fitted(vals, vals.applied_on ?? levelOf(vals))),
      })
    },
  },
})
