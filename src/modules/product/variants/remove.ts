// Taking variants and values away: what nothing else needs is removed, the rest archived.
import { attempted, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

/** Context key, set while variants are removed that leave their product in place. */
const KEEP = 'server:keep_product_template'

export const keepsTemplate = (env: Environment): boolean => Boolean(env.context[KEEP])
export const keepingTemplate = { [KEEP]: true } as const

/**
 * Removes variants; where something needs one of them, halves the lot until those are found, and archives
 * them.
 */
export async function removeOrArchive(env: Environment, ids: readonly number[]): Promise<void> {
  const products = env.withContext(keepingTemplate).model('product.product').browse(ids)
  if (await attempted(env, () => products.unlink())) return
  const half = ids.length >> 1
  if (half === 0) return products.write({ active: false })
  await removeOrArchive(env, ids.slice(0, half))
  await removeOrArchive(env, ids.slice(half))
}

/**
 * Values that are switched off and that no variant has any more go, and archived lines without values after
 * them.
 */
export async function sweepValues(env: Environment, templates: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT v.id FROM product_template_attribute_value v JOIN product_template_attribute_line l ON l.id = v.attribute_line_id
    WHERE l.product_tmpl_id = ANY(${idList(templates)}) AND NOT COALESCE(v.ptav_active, false)
      AND NOT EXISTS (SELECT FROM product_variant_combination c WHERE c.product_template_attribute_value_id = v.id)`,
    { reads: ['product.template.attribute.value', 'product.template.attribute.line'], row: ['int'] },
  )
  if (rows.length)
    await removeValues(
      env,
      rows.map((row) => row[0]),
    )
  const lines = await env.rows(
    sql`SELECT l.id FROM product_template_attribute_line l WHERE l.product_tmpl_id = ANY(${idList(templates)})
    AND NOT COALESCE(l.active, false) AND NOT EXISTS (SELECT FROM product_template_attribute_value v WHERE v.attribute_line_id = l.id)`,
    { reads: ['product.template.attribute.line', 'product.template.attribute.value'], row: ['int'] },
  )
  // Their own unlink archives; here they really go.
  if (lines.length)
    await env.execute(
      sql`DELETE FROM product_template_attribute_line WHERE id = ANY(${idList(lines.map((row) => row[0]))})`,
      { reads: ['product.template.attribute.line'] },
    )
  if (lines.length) env.unit.cache.clear()
}

/** Removes values that nothing needs; those that something does need stay. */
async function removeValues(env: Environment, ids: readonly number[]): Promise<void> {
  const values = env.model('product.template.attribute.value').browse(ids)
  if ((await attempted(env, () => values.unlink())) || ids.length === 1) return
  for (const id of ids) await removeValues(env, [id])
}
