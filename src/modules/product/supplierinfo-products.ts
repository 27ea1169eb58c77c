// Offers and what they are offers of: the template of a variant, the only variant of a template, its unit.
import type { Environment } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { givenIds } from '../base/index.ts'

/** Variants with their templates, of those of `ids` that are there. */
export async function offered(
  env: Environment,
  ids: readonly unknown[],
): Promise<{ id: number; template: number }[]> {
  const wanted = givenIds(ids)
  if (wanted.length === 0) return []
  const rows = await env.rows(
    sql`SELECT id, product_tmpl_id FROM product_product WHERE id = ANY(${idList(wanted)})`,
    { reads: ['product.product'], row: ['int', 'int'] },
  )
  return rows.map((row) => ({ id: row[0], template: row[1] }))
}

/** Templates with their unit, and their variant where there is just one that is active. */
export async function singleVariants(
  env: Environment,
  templates: readonly number[],
): Promise<Map<number, { unit: number; variant: number | null }>> {
  if (templates.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT t.id, t.uom_id, CASE WHEN count(p.id) = 1 THEN min(p.id) END FROM product_template t
    LEFT JOIN product_product p ON p.product_tmpl_id = t.id AND p.active WHERE t.id = ANY(${idList(givenIds(templates))}) GROUP BY t.id`,
    { reads: ['product.template', 'product.product'], row: ['int', 'int', 'int?'] },
  )
  return new Map(rows.map((row) => [row[0], { unit: row[1], variant: row[2] }]))
}

/**
 * Offers that were made before their product had its only variant are offers of that variant. Runs as the
 * superuser.
 */
export async function assignSellers(env: Environment, templates: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT s.id, min(p.id) FROM product_supplierinfo s JOIN product_product p ON p.product_tmpl_id = s.product_tmpl_id AND p.active
    WHERE s.product_id IS NULL AND s.product_tmpl_id = ANY(${idList(templates)}) GROUP BY s.id HAVING count(*) = 1`,
    { reads: ['product.supplierinfo', 'product.product'], row: ['int', 'int'] },
  )
  if (rows.length === 0) return
  const variant = sql`SELECT min(p.id) FROM product_product p WHERE p.product_tmpl_id = s.product_tmpl_id AND p.active`
  const ids = rows.map((row) => row[0])
  await env.execute(
    sql`UPDATE product_supplierinfo s SET product_id = (${variant}) WHERE s.id = ANY(${idList(ids)})`,
    { reads: ['product.supplierinfo', 'product.product'] },
  )
  const field = env.def('product.supplierinfo').fields.get('product_id')
  if (field) env.unit.cache.forget(field, ids)
}
