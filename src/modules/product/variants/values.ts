// Values of a product's lines follow the lines: one for each value that a line offers, switched off where it
// no longer does.
import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Makes, switches on and off what the lines of the products ask for. Runs as the superuser. */
export async function settleValues(env: Environment, templates: readonly number[]): Promise<void> {
  const values = env.model('product.template.attribute.value')
  const rows = await env.rows(
    sql`WITH lines AS (SELECT id, COALESCE(active, false) AS active FROM product_template_attribute_line WHERE product_tmpl_id = ANY(${idList(templates)})),
      wanted AS (SELECT l.id AS line, r.product_attribute_value_id AS value FROM lines l
        JOIN product_attribute_value_product_template_attribute_line_rel r ON r.product_template_attribute_line_id = l.id WHERE l.active),
      present AS (SELECT v.id, v.attribute_line_id AS line, v.product_attribute_value_id AS value, COALESCE(v.ptav_active, false) AS active
        FROM product_template_attribute_value v JOIN lines l ON l.id = v.attribute_line_id)
    SELECT p.id, w.line, w.value, p.active, a.default_extra_price FROM wanted w FULL JOIN present p ON p.line = w.line AND p.value = w.value
      LEFT JOIN product_attribute_value a ON a.id = w.value
      LEFT JOIN product_template_attribute_line l ON l.id = w.line LEFT JOIN product_attribute pa ON pa.id = a.attribute_id
    WHERE p.id IS NULL OR p.active IS DISTINCT FROM (w.value IS NOT NULL)
    ORDER BY l.product_tmpl_id, l.sequence, pa.sequence, pa.id, l.id, a.sequence, a.id`,
    {
      reads: [
        'product.template.attribute.line',
        'product.template.attribute.value',
        'product.attribute.value',
        'product.attribute',
      ],
      row: ['int?', 'int?', 'int?', 'bool?', 'float?'],
    },
  )
  const missing = rows.flatMap(([id, line, value, , extra]) =>
    id === null
      ? {
          attribute_line_id: present(line),
          product_attribute_value_id: present(value),
          price_extra: extra ?? 0,
        }
      : [],
  )
  if (missing.length) await values.create(missing)
  for (const on of [true, false]) {
    const ids = rows.flatMap(([id, , value]) => (id !== null && (value !== null) === on ? id : []))
    if (ids.length) await values.browse(ids).write({ ptav_active: on })
  }
}
