// Goods that tills load: products with their variants, attributes and combos, prices, units.
import { linesOf, linkedIdsByRow, type Scope } from '#models'
import { literal, type Sql, sql } from '../../../sql/index.ts'
import { gatheredListPriceSql, gatheredNameSql, gatheredSingleSql } from '../../product/index.ts'
import {
  all,
  type Domain,
  gatheredPictureAddress,
  type Loaded,
  type Loading,
  ofCompany,
  pictureAddress,
} from './load-types.ts'

/** Products that a till may sell. */
const sold = (of: Loading): Domain => [
  ['available_in_pos', '=', true],
  ['sale_ok', '=', true],
  ...ofCompany(of),
  ...(of.categories ? [['pos_categ_ids', 'in', [...of.categories]]] : []),
]

/** Relations of all that is sold, each by one query. */
const gathered = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (scope: Scope) => linkedIdsByRow(scope, name)]))

const or = (value: Sql | null, none: '0' | 'false'): Sql | null =>
  value && sql`COALESCE(to_json(${value}), ${literal(none)}::json)`

/** SQL condition: an attribute value distinguishes a variant from its siblings. */
const isTelling = (value: Sql): Sql =>
  sql`(SELECT l.value_count > 1 FROM product_template_attribute_value v
      JOIN product_template_attribute_line l ON l.id = v.attribute_line_id WHERE v.id = ${value})`

/** Attribute values that distinguish a variant from its siblings. */
function tellingValues(scope: Scope): Sql | null {
  const values = linesOf(scope, 'product_template_attribute_value_ids')
  return (
    values && sql`array_to_json(ARRAY(SELECT x.id FROM (${values}) AS x(id) WHERE ${isTelling(sql`x.id`)}))`
  )
}

export const goods = {
  'product.template': {
    fields: [
      'display_name',
      'name',
      'type',
      'list_price',
      'standard_price',
      'default_code',
      'barcode',
      'categ_id',
      'pos_categ_ids',
      'taxes_id',
      'uom_id',
      'active',
      'available_in_pos',
      'to_weight',
      'pos_sequence',
      'is_favorite',
      'color',
      'description_sale',
      'public_description',
      'product_variant_ids',
      'attribute_line_ids',
      'combo_ids',
      'product_tag_ids',
      'pos_optional_product_ids',
      'tracking',
      'company_id',
      'write_date',
      'image_128',
    ],
    domain: sold,
    written: { image_128: pictureAddress('image_128', 'image_1920') },
    gathered: {
      ...gathered(
        'pos_categ_ids',
        'taxes_id',
        'product_variant_ids',
        'attribute_line_ids',
        'combo_ids',
        'product_tag_ids',
        'pos_optional_product_ids',
      ),
      standard_price: (scope) => or(gatheredSingleSql(scope, 'standard_price'), '0'),
      barcode: (scope) => or(gatheredSingleSql(scope, 'barcode'), 'false'),
      image_128: gatheredPictureAddress('image_128', 'image_1920'),
    },
  },
  'product.product': {
    fields: [
      'display_name',
      'lst_price',
      'standard_price',
      'product_tmpl_id',
      'barcode',
      'default_code',
      'product_template_variant_value_ids',
      'product_template_attribute_value_ids',
      'active',
      'write_date',
    ],
    domain: sold,
    written: { product_template_variant_value_ids: tellingValues },
    gathered: {
      ...gathered('product_template_attribute_value_ids'),
      display_name: (scope) => or(gatheredNameSql(scope), 'false'),
      lst_price: (scope) => or(gatheredListPriceSql(scope), '0'),
      product_template_variant_value_ids: (scope) =>
        linkedIdsByRow(scope, 'product_template_attribute_value_ids', (lines) => isTelling(lines.id)),
    },
  },
  'product.attribute': { fields: ['name', 'display_type', 'create_variant', 'sequence'], domain: all },
  'product.attribute.value': {
    fields: ['name', 'attribute_id', 'is_custom', 'html_color', 'sequence'],
    domain: all,
  },
  'product.template.attribute.line': {
    fields: ['product_tmpl_id', 'attribute_id', 'product_template_value_ids', 'sequence'],
    domain: () => [['product_tmpl_id.available_in_pos', '=', true]],
  },
  'product.template.attribute.value': {
    fields: [
      'name',
      'attribute_id',
      'attribute_line_id',
      'product_attribute_value_id',
      'price_extra',
      'is_custom',
      'html_color',
      'product_tmpl_id',
    ],
    domain: () => [['product_tmpl_id.available_in_pos', '=', true]],
  },
  'product.combo': { fields: ['name', 'combo_item_ids', 'base_price', 'sequence'], domain: ofCompany },
  'product.combo.item': { fields: ['combo_id', 'product_id', 'extra_price'], domain: all },
  'product.uom': { fields: ['barcode', 'product_id', 'uom_id'], domain: all },
  'product.category': { fields: ['name', 'display_name', 'parent_id'], domain: all },
  'product.tag': { fields: ['name', 'color', 'sequence'], domain: all },
  'product.pricelist': {
    fields: ['name', 'display_name', 'currency_id', 'item_ids'],
    domain: ({ pricelists }: Loading) => [['id', 'in', [...pricelists]]],
  },
  'product.pricelist.item': {
    fields: [
      'pricelist_id',
      'product_tmpl_id',
      'product_id',
      'categ_id',
      'applied_on',
      'compute_price',
      'fixed_price',
      'percent_price',
      'price_discount',
      'price_surcharge',
      'price_round',
      'price_min_margin',
      'price_max_margin',
      'base',
      'base_pricelist_id',
      'min_quantity',
      'date_start',
      'date_end',
      'currency_id',
      'company_id',
    ],
    domain: ({ pricelists }: Loading) => [['pricelist_id', 'in', [...pricelists]]],
  },
  'uom.uom': {
    fields: ['name', 'factor', 'relative_factor', 'relative_uom_id', 'rounding', 'active'],
    domain: all,
    archived: true,
  },
  'decimal.precision': { fields: ['name', 'digits'], domain: all },
} as const satisfies Readonly<Record<string, Loaded>>
