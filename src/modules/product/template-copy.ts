// Attribute settings that a copied product takes over: extra prices and exclusions, value by value.
import type { Records } from '#models'
import { sql } from '../../sql/index.ts'

type Templates = Records<'product.template'>

/** The copies' values take the extras of the originals' values, and the same pairs are excluded. */
export async function copyExtras(originals: Templates, copies: Templates): Promise<void> {
  const env = originals.env.sudo()
  const pairs = JSON.stringify(originals.ids.map((from, i) => ({ a: from, b: copies.ids[i] })))
  const rows = await env.rows(
    sql`SELECT old.id, new.id, old.price_extra, new.price_extra FROM jsonb_to_recordset(${pairs}::jsonb) AS x(a int, b int)
    JOIN product_template_attribute_value old ON old.product_tmpl_id = x.a AND old.ptav_active
    JOIN product_template_attribute_value new ON new.product_tmpl_id = x.b AND new.product_attribute_value_id = old.product_attribute_value_id`,
    { reads: ['product.template.attribute.value'], row: ['int', 'int', 'float?', 'float?'] },
  )
  if (rows.length === 0) return
  const values = env.model('product.template.attribute.value')
  const byExtra = Map.groupBy(
    rows.filter((row) => row[2] !== row[3]),
    (row) => row[2] ?? 0,
  )
  for (const [price_extra, group] of byExtra)
    await values.browse(group.map((row) => row[1])).write({ price_extra })
  await copyExclusions(env, new Map(rows.map((row) => [row[0], row[1]])))
}

async function copyExclusions(env: Templates['env'], twin: ReadonlyMap<number, number>): Promise<void> {
  const exclusions = await env
    .model('product.template.attribute.exclusion')
    .search([['product_template_attribute_value_id', 'in', [...twin.keys()]]])
  const exclusionRows = await exclusions.load([
    'product_template_attribute_value_id.product_tmpl_id',
    'product_tmpl_id',
    'value_ids',
  ])
  const ownExclusions = exclusionRows.filter(
    (row) => row.product_template_attribute_value_id.product_tmpl_id?.id === row.product_tmpl_id.id,
  )
  if (ownExclusions.length === 0) return
  const templates = new Map(
    (
      await env
        .model('product.template.attribute.value')
        .browse([...twin.values()])
        .load(['product_tmpl_id'])
    ).map((value) => [value.id, value.product_tmpl_id?.id]),
  )
  await env.model('product.template.attribute.exclusion').create(
    ownExclusions.flatMap((exclusion) => {
      const value = twin.get(exclusion.product_template_attribute_value_id.id)
      const product_tmpl_id = value && templates.get(value)
      if (!value || !product_tmpl_id) return []
      const value_ids = [[6, 0, exclusion.value_ids.flatMap(({ id }) => twin.get(id) ?? [])]] as const
      return [{ product_template_attribute_value_id: value, product_tmpl_id, value_ids }]
    }),
  )
}
