// Brings values of lines and variants of products in line with their attribute lines, for many products in a
// bounded number of statements.
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assignSellers } from '../supplierinfo-products.ts'
import { type PlannedLine, type PresentVariant, planVariants } from './plan.ts'
import { removeOrArchive, sweepValues } from './remove.ts'
import { settleValues } from './values.ts'

/** Set while something larger is under way that settles variants at its end. */
const LATER = 'server:settle_variants_later'

export const settlesLater = (env: Environment): boolean => Boolean(env.context[LATER])
export const postponeSettling = { [LATER]: true } as const

type Vals = Readonly<Record<string, unknown>>

/**
 * Creates, restores, archives and deletes variants. `variantVals`: values for the variant of a product
 * that has just one, by product. Throws UserError if a product would have more than a thousand new
 * variants, or none at all because of its exclusions.
 */
export async function settleVariants(
  env: Environment,
  templates: readonly number[],
  variantVals: ReadonlyMap<number, Vals> = new Map(),
): Promise<void> {
  if (templates.length === 0) return
  const su = env.sudo().withContext({ ...postponeSettling, active_test: false })
  await settleValues(su, templates)
  const { lines, excluded, variants, active } = await situation(su, templates)
  const create: Record<string, unknown>[] = []
  const wake: number[] = []
  const drop: number[] = []
  /** Variants by the values that they take over. */
  const widen = new Map<string, number[]>()
  for (const template of templates) {
    const present = variants.get(template) ?? []
    const plan = planVariants(lines.get(template) ?? [], excluded.get(template) ?? [], present)
    if (plan.tooMany)
      throw new UserError(
        'This product would have more than 1000 variants: use attributes with dynamically created variants.',
      )
    for (const [id, values] of plan.widen) {
      const had = present.find((variant) => variant.id === id)?.values ?? []
      push(widen, values.filter((value) => !had.includes(value)).join(), id)
    }
    const kept = new Set(plan.keep)
    const extraVals = plan.create.length === 1 ? (variantVals.get(template) ?? {}) : {}
    const archived = active.get(template) === false
    env.unit.quota.reserve('records', create.length + plan.create.length)
    for (const values of plan.create) {
      create.push({
        ...extraVals,
        product_tmpl_id: template,
        product_template_attribute_value_ids: [[6, 0, [...values]]],
        ...(archived ? { active: false } : {}),
      })
    }
    if (!archived)
      wake.push(...present.filter((variant) => !variant.active && kept.has(variant.id)).map(({ id }) => id))
    drop.push(...plan.drop)
    const dynamic = (lines.get(template) ?? []).some((line) => line.dynamic)
    if (!dynamic && !plan.keep.length && !plan.create.length)
      throw new UserError('The exclusions would leave the product without any variant.')
  }
  const products = su.model('product.product')
  for (const [added, ids] of widen) {
    const links = added.split(',').map((value) => [4, Number(value), 0] as const)
    await products.browse(ids).write({ product_template_attribute_value_ids: links })
  }
  // Those that go make way first: a combination may come back under another variant.
  if (drop.length) await removeOrArchive(su, drop)
  if (wake.length) await products.browse(wake).write({ active: true })
  if (create.length) await products.create(create as never)
  await sweepValues(su, templates)
  await assignSellers(su, templates)
}

/** Everything that plans are made from, in four statements. */
async function situation(env: Environment, templates: readonly number[]) {
  const lineRows = await env.model('product.template.attribute.line').search([
    ['product_tmpl_id', 'in', templates],
    ['active', '=', true],
    ['attribute_id.create_variant', '!=', 'no_variant'],
  ])
  const lines = new Map<number, PlannedLine[]>()
  for (const line of await lineRows.load([
    'product_tmpl_id',
    'attribute_id.create_variant',
    'product_template_value_ids',
  ])) {
    push(lines, line.product_tmpl_id.id, {
      dynamic: line.attribute_id.create_variant === 'dynamic',
      values: line.product_template_value_ids.map(({ id }) => id),
    })
  }
  const pairs = await env.rows(
    sql`SELECT e.product_tmpl_id, e.product_template_attribute_value_id, r.product_template_attribute_value_id
    FROM product_template_attribute_exclusion e JOIN product_attr_exclusion_value_ids_rel r ON r.product_template_attribute_exclusion_id = e.id
    WHERE e.product_tmpl_id = ANY(${idList(templates)})`,
    { reads: ['product.template.attribute.exclusion'], row: ['int', 'int', 'int'] },
  )
  const excluded = new Map<number, (readonly [number, number])[]>()
  for (const [template, a, b] of pairs) push(excluded, template, [a, b] as const)
  const rows = await env.rows(
    sql`SELECT p.product_tmpl_id, p.id, COALESCE(p.active, false),
      ARRAY(SELECT c.product_template_attribute_value_id FROM product_variant_combination c WHERE c.product_product_id = p.id)
    FROM product_product p WHERE p.product_tmpl_id = ANY(${idList(templates)}) ORDER BY p.id`,
    { reads: ['product.product'], row: ['int', 'int', 'bool', 'ints'] },
  )
  const variants = new Map<number, PresentVariant[]>()
  for (const [template, id, active, values] of rows)
    push(variants, template, {
      id: id,
      active: active,
      values: values,
    })
  const states = await env.rows(
    sql`SELECT id, COALESCE(active, false) FROM product_template WHERE id = ANY(${idList(templates)})`,
    { reads: ['product.template'], row: ['int', 'bool'] },
  )
  return {
    lines,
    excluded,
    variants,
    active: new Map(states.map((row) => [row[0], row[1]])),
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
