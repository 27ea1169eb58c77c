// Products whose variants are removed: a product without any is removed too, one without active ones is
// archived.
import type { Environment, Records } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { keepingTemplate, keepsTemplate } from './variants/remove.ts'
import { postponeSettling } from './variants/settle.ts'

type Products = Records<'product.product'>
type Run = (products: Products, params: Record<string, unknown>) => Promise<unknown>

/**
 * Removes products that have no variant left, archived ones included; where variants are made on demand, none
 * need be there.
 */
export async function removeEmptyTemplates(env: Environment, templates: readonly number[]): Promise<void> {
  if (keepsTemplate(env) || templates.length === 0) return
  const rows = await env.rows(
    sql`SELECT t.id FROM product_template t WHERE t.id = ANY(${idList(templates)})
    AND NOT EXISTS (SELECT FROM product_product p WHERE p.product_tmpl_id = t.id)
    AND NOT EXISTS (SELECT FROM product_template_attribute_line l JOIN product_attribute a ON a.id = l.attribute_id
      WHERE l.product_tmpl_id = t.id AND l.active AND a.create_variant = 'dynamic')`,
    {
      reads: ['product.template', 'product.product', 'product.template.attribute.line', 'product.attribute'],
      row: ['int'],
    },
  )
  const empty = rows.map((row) => row[0])
  if (empty.length) await env.withContext(keepingTemplate).model('product.template').browse(empty).unlink()
}

/** Around archiving and its opposite: a product is active exactly while one of the variants is. */
export const followVariants =
  (next: Run): Run =>
  async (products, params) => {
    const done = await next(products, params)
    const rows = await products.env.rows(
      sql`SELECT t.id, t.active IS TRUE FROM product_template t
      WHERE t.id IN (SELECT product_tmpl_id FROM product_product WHERE id = ANY(${idList(products.ids)}))
        AND (t.active IS TRUE) <> EXISTS (SELECT FROM product_product p WHERE p.product_tmpl_id = t.id AND p.active)`,
      { reads: ['product.template', 'product.product'], row: ['int', 'bool?'] },
    )
    for (const was of [true, false]) {
      const ids = rows.filter((row) => row[1] === was).map((row) => row[0])
      const templates = products.env.withContext(postponeSettling).model('product.template').browse(ids)
      if (ids.length) await templates.write({ active: !was })
    }
    return done
  }
