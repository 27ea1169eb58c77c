// Loads what prices are made from: products, rules of a list and of those that it builds on, units and rates;
// a few statements for any number of products.
import { atOnce, type Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, type RowOf, sql } from '../../../sql/index.ts'
import { ratesOf } from '../../base/index.ts'
import { companyCurrency, ownCurrency } from '../currencies.ts'
import type { PriceBook, PricedProduct, PriceList } from './price.ts'
import { type Rule, RuleIndex } from './rules.ts'

/** Products to be priced: variants, or templates as a whole. */
export interface Wanted {
  readonly variants?: readonly number[]
  readonly templates?: readonly number[]
}

export interface LoadedProducts {
  readonly variants: ReadonlyMap<number, PricedProduct>
  readonly templates: ReadonlyMap<number, PricedProduct>
}

/** Fields of a variant that prices read. */
export const pricedPaths = [
  'price_extra',
  'standard_price',
  'product_tmpl_id.list_price',
  'product_tmpl_id.uom_id.factor',
  'product_tmpl_id.categ_id.parent_path',
  'product_tmpl_id.company_id.currency_id',
] as const

/** Products as prices see them. Costs and currencies are those of the current company. */
export async function loadProducts(
  env: Environment,
  { variants = [], templates = [] }: Wanted,
): Promise<LoadedProducts> {
  return { variants: await loadVariants(env, variants), templates: await loadTemplates(env, templates) }
}

async function loadVariants(env: Environment, ids: readonly number[]): Promise<Map<number, PricedProduct>> {
  if (ids.length === 0) return new Map()
  const su = env.sudo()
  const [products, { currency_id: listCurrency }] = await atOnce(
    env,
    () => su.model('product.product').browse(ids).load(pricedPaths),
    () => su.model('res.company').browse([env.companyId]).one(['currency_id']),
  )
  return new Map(
    products.map(({ id, price_extra, standard_price, product_tmpl_id: template }) => [
      id,
      {
        variant: id,
        template: template.id,
        categories: (template.categ_id?.parent_path ?? '').split('/').filter(Boolean).map(Number),
        unit: { id: template.uom_id.id, factor: template.uom_id.factor },
        listPrice: addDecimals(template.list_price, price_extra),
        listCurrency: template.company_id?.currency_id.id ?? listCurrency.id,
        cost: standard_price,
        costCurrency: listCurrency.id,
      },
    ]),
  )
}

/** Templates as a whole: their cost is that of their only variant. */
async function loadTemplates(env: Environment, ids: readonly number[]): Promise<Map<number, PricedProduct>> {
  if (ids.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT t.id, p.id, COALESCE((p.standard_price->>${String(env.companyId)}::text)::float8, 0), t.uom_id, u.factor, COALESCE(t.list_price, 0),
      ${ownCurrency(env, sql`t.company_id`)}, ${companyCurrency(env)}, string_to_array(rtrim(g.parent_path, '/'), '/')::int[]
    FROM product_template t JOIN uom_uom u ON u.id = t.uom_id LEFT JOIN product_category g ON g.id = t.categ_id
      LEFT JOIN product_product p ON p.id = (SELECT CASE WHEN count(*) = 1 THEN min(one.id) END FROM product_product one WHERE one.product_tmpl_id = t.id AND one.active)
    WHERE t.id = ANY(${idList([...ids])})`,
    {
      reads: ['product.product', 'product.template', 'product.category', 'uom.uom', 'res.company'],
      row: ['int', 'int?', 'float', 'int', 'float', 'float', 'int', 'int', 'ints?'],
    },
  )
  return new Map(
    rows.map(([id, variant, cost, unit, factor, listPrice, listCurrency, costCurrency, categories]) => [
      id,
      {
        variant,
        template: id,
        categories: categories ?? [],
        unit: { id: unit, factor },
        listPrice,
        listCurrency,
        cost,
        costCurrency,
      },
    ]),
  )
}

/**
 * Lists with the rules that hold at a moment and concern one of the products, and rates of that day. `date`
 * is `YYYY-MM-DD HH:MM:SS`, UTC.
 */
export async function loadBook(
  env: Environment,
  list: number | null,
  products: readonly PricedProduct[],
  date: string,
  currencies: readonly number[] = [],
): Promise<PriceBook> {
  const lists = list === null ? new Map<number, PriceList>() : await loadLists(env, list, products, date)
  const wanted = new Set([
    ...currencies,
    ...products.flatMap((p) => [p.listCurrency, p.costCurrency]),
    ...[...lists.values()].map((list) => list.currency),
  ])
  const rates =
    wanted.size > 1 ? await ratesOf(env.withContext({ date: date.slice(0, 10) }), [...wanted]) : new Map()
  const rateOf = (currency: number): number => rates.get(currency)?.rate ?? 1
  // As many decimals as the precision of quantities has in this database.
  const quantity = env.def('product.pricelist.item').fields.get('min_quantity')
  const { digits: scale } = quantity?.kind === 'float' ? quantity.options : {}
  const digits = scale ? scale[1] : 2
  return { lists, rate: (from, to) => rateOf(to) / rateOf(from), digits }
}

async function loadLists(
  env: Environment,
  list: number,
  products: readonly PricedProduct[],
  date: string,
): Promise<Map<number, PriceList>> {
  const variants = [...new Set(products.flatMap((product) => product.variant ?? []))]
  const templates = [...new Set(products.map((product) => product.template))]
  const categories = [...new Set(products.flatMap((product) => product.categories))]
  const rows = await env.rows(
    sql`WITH RECURSIVE lists(id) AS (
      SELECT ${list}::int UNION SELECT i.base_pricelist_id FROM lists JOIN product_pricelist_item i ON i.pricelist_id = lists.id
        WHERE i.base = 'pricelist' AND i.base_pricelist_id IS NOT NULL)
    SELECT l.id, l.currency_id, i.id, i.applied_on, i.product_id, i.product_tmpl_id, i.categ_id, COALESCE(g.complete_name, ''), COALESCE(i.min_quantity, 0)::float8,
      i.compute_price, i.base, i.base_pricelist_id, COALESCE(i.fixed_price, 0), COALESCE(i.percent_price, 0), COALESCE(i.price_discount, 0)::float8,
      COALESCE(i.price_round, 0), COALESCE(i.price_surcharge, 0), COALESCE(i.price_min_margin, 0), COALESCE(i.price_max_margin, 0)
    FROM lists JOIN product_pricelist l ON l.id = lists.id
    LEFT JOIN product_pricelist_item i ON i.pricelist_id = l.id
      AND (i.date_start IS NULL OR i.date_start <= ${date}::timestamp) AND (i.date_end IS NULL OR i.date_end >= ${date}::timestamp)
      AND (i.applied_on = '3_global' OR (i.applied_on = '0_product_variant' AND i.product_id = ANY(${idList(variants)}))
        OR (i.applied_on = '1_product' AND i.product_tmpl_id = ANY(${idList(templates)}))
        OR (i.applied_on = '2_product_category' AND i.categ_id = ANY(${idList(categories)})))
    LEFT JOIN product_category g ON g.id = i.categ_id`,
    {
      reads: ['product.pricelist.item', 'product.pricelist', 'product.category'],
      row: ruleColumns,
    },
  )
  const rules = new Map<number, { currency: number; rules: Rule[] }>()
  for (const row of rows) {
    const [id, currency, rule] = row
    const existing = rules.get(id) ?? { currency, rules: [] }
    rules.set(id, existing)
    if (rule !== null) existing.rules.push(asRule(row))
  }
  return new Map(
    [...rules].map(([id, { currency, rules: listRules }]) => [
      id,
      { currency, rules: new RuleIndex(listRules) },
    ]),
  )
}

/** A list and its currency, and one of its rules, or none. */
const ruleColumns = [
  ...(['int', 'int', 'int?'] as const),
  ['0_product_variant', '1_product', '2_product_category', '3_global', null],
  ...(['int?', 'int?', 'int?', 'text', 'float'] as const),
  ['fixed', 'percentage', 'formula', null],
  ['list_price', 'standard_price', 'pricelist', null],
  ...(['int?', 'float', 'float', 'float', 'float', 'float', 'float', 'float'] as const),
] as const

function asRule(row: RowOf<typeof ruleColumns>): Rule {
  const [
    ,
    ,
    id,
    level,
    variant,
    template,
    category,
    categoryName,
    minQuantity,
    kind,
    base,
    baseList,
    fixed,
    percent,
    discount,
    round,
    surcharge,
    minMargin,
    maxMargin,
  ] = row
  return {
    id: present(id),
    level: present(level),
    variant,
    template,
    category,
    categoryName,
    minQuantity,
    kind: present(kind),
    base: present(base),
    baseList,
    fixed,
    percent,
    discount,
    round,
    surcharge,
    minMargin,
    maxMargin,
  }
}
