// Names and prices of variants as SQL, so that lists of products are one statement; product-names.ts and
// product.ts say the same in code.
import type { Scope } from '#models'
import { type Sql, sql } from '../../sql/index.ts'

/**
 * Form of the SQL for a value of variants: a lookup from the row of the scope, or a join over all
 * variants.
 */
type Found = (scope: Scope, value: Sql, from: Sql) => Sql

const lookup: Found = (scope, value, from) =>
  sql`(SELECT ${value} ${from} WHERE c.product_product_id = ${scope.id})`

/** For lists of most variants. */
const gathered: Found = (scope, value, from) =>
  sql`${scope.joinQuery(sql`SELECT c.product_product_id AS owner, ${value} AS value ${from} GROUP BY 1`)}.value`

/**
 * `L, Blue`: the values that distinguish the variant from its siblings, in the order of lines and
 * values; NULL without such values.
 */
function valueNames(scope: Scope, select: Found): Sql | null {
  const value = scope.model.fields
    .get('product_template_attribute_value_ids')
    ?.comodel?.fields.get('product_attribute_value_id')?.comodel
  const name = value?.fields.get('name')
  if (!value || !name) return null
  const values = scope.nested(value)
  const valueName = values.value(name)
  if (!valueName) return null
  return select(
    scope,
    sql`string_agg(${valueName}, ', ' ORDER BY l.sequence, a.sequence, a.id, l.id, ${values.column('sequence')}, ${values.id}, v.id)`,
    sql`FROM product_variant_combination c JOIN product_template_attribute_value v ON v.id = c.product_template_attribute_value_id
    JOIN product_template_attribute_line l ON l.id = v.attribute_line_id AND l.value_count > 1 JOIN product_attribute a ON a.id = l.attribute_id
    JOIN ${values.from()} ON ${values.id} = v.product_attribute_value_id`,
  )
}

/** `[code] name (values)`; null where a vendor's words are asked for. */
export const nameSql = (scope: Scope): Sql | null => nameOf(scope, lookup)

/** As `nameSql`, for lists of most variants. */
export const gatheredNameSql = (scope: Scope): Sql | null => nameOf(scope, gathered)

function nameOf(scope: Scope, select: Found): Sql | null {
  const { context } = scope.env
  if (typeof context.partner_id === 'number') return null
  const link = scope.model.fields.get('product_tmpl_id')
  const name = link?.comodel?.fields.get('name')
  const linkedName = link && name ? scope.join(link).value(name) : null
  const values = linkedName && valueNames(scope, select)
  if (!linkedName || !values) return null
  const whole = sql`${linkedName} || COALESCE(' (' || ${values} || ')', '')`
  if ('display_default_code' in context && !context.display_default_code) return sql`(${whole})`
  return sql`(COALESCE('[' || NULLIF(${scope.column('default_code')}, '') || '] ', '') || ${whole})`
}

/** Whether a product has values to choose from, or one to write. */
export const configurableSql = (scope: Scope): Sql => {
  const shown = scope.env.activeTest ? sql` AND v.active` : sql``
  return sql`EXISTS (SELECT FROM product_template_attribute_line l JOIN product_attribute_value_product_template_attribute_line_rel r
    ON r.product_template_attribute_line_id = l.id JOIN product_attribute_value v ON v.id = r.product_attribute_value_id${shown}
    WHERE l.product_tmpl_id = ${scope.id} AND l.active GROUP BY l.id HAVING count(*) > 1 OR bool_or(v.is_custom))`
}

/** Whether variants of a product are made when they are asked for. */
export const dynamicSql = (scope: Scope): Sql =>
  sql`EXISTS (SELECT FROM product_template_attribute_line l JOIN product_attribute a ON a.id = l.attribute_id
    WHERE l.product_tmpl_id = ${scope.id} AND l.active AND a.create_variant = 'dynamic')`

/** The value of a field of the variant that counts, among those of a product; null without such a field. */
function single(scope: Scope, name: string): { readonly variant: Scope; readonly value: Sql } | null {
  const variant = scope.model.fields.get('every_variant_ids')?.comodel
  const field = variant?.fields.get(name)
  if (!variant || !field) return null
  const variantScope = scope.nested(variant)
  const value = variantScope.value(field)
  const active = sql`FILTER (WHERE ${variantScope.column('active')})`
  return (
    value && {
      variant: variantScope,
      value: sql`CASE WHEN count(*) ${active} = 1 THEN max(${value}) ${active} WHEN count(*) = 1 THEN max(${value}) END`,
    }
  )
}

/** A field of the variant that counts: the only active one, else the only one; NULL without such a variant. */
export function singleSql(scope: Scope, name: string): Sql | null {
  const value = single(scope, name)
  return (
    value &&
    sql`(SELECT ${value.value}
    FROM ${value.variant.from()} WHERE ${value.variant.column('product_tmpl_id')} = ${scope.id})`
  )
}

/** As `singleSql`, gathered for all products there are: for lists of most of them. */
export function gatheredSingleSql(scope: Scope, name: string): Sql | null {
  const variantValue = single(scope, name)
  if (!variantValue) return null
  const { variant, value } = variantValue
  const all = sql`SELECT ${variant.column('product_tmpl_id')} AS owner, ${value} AS value FROM ${variant.from()} GROUP BY 1`
  return sql`${scope.joinQuery(all)}.value`
}

/** In decimals: adding up binary fractions would show. */
const extras = (scope: Scope, select: Found): Sql =>
  sql`COALESCE(${select(
    scope,
    sql`sum(v.price_extra::numeric)`,
    sql`FROM product_variant_combination c JOIN product_template_attribute_value v ON v.id = c.product_template_attribute_value_id`,
  )}, 0)`

export const extraSql = (scope: Scope): Sql => sql`(${extras(scope, lookup)})::float8`

/** Price and extras; null where the context asks for another unit. */
export const listPriceSql = (scope: Scope): Sql | null => priceOf(scope, lookup)

/** As `listPriceSql`, for lists of most variants. */
export const gatheredListPriceSql = (scope: Scope): Sql | null => priceOf(scope, gathered)

function priceOf(scope: Scope, select: Found): Sql | null {
  const link = scope.model.fields.get('product_tmpl_id')
  if (!link || typeof scope.env.context.uom === 'number') return null
  return sql`(COALESCE(${scope.join(link).column('list_price')}, 0)::numeric + ${extras(scope, select)})::float8`
}
