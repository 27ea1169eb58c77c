// Changes of ordered products that are refused (product.template): another unit once they were ordered
// in several, a single company once others ordered them.
import {
  type Environment,
  idsWhere,
  type ModelName,
  type Records,
  type WriteChange,
  type WriteRun,
} from '#models'
import { UserError, ValidationError } from '../../errors.ts'
import { id, idList, type Sql, sql } from '../../sql/index.ts'

type Templates = Records<'product.template'>

/** Products by id that get another value of a link to a record; empty ones are left out. */
async function changing(
  templates: Templates,
  changes: readonly WriteChange[],
  field: 'uom_id' | 'company_id',
): Promise<Map<number, number>> {
  const wanted = new Map(
    changes.flatMap(({ ids, vals }) =>
      Number.isInteger(vals[field]) ? ids.map((id) => [id, vals[field] as number] as const) : [],
    ),
  )
  if (wanted.size === 0) return wanted
  const now = await templates
    .sudo()
    .browse([...wanted.keys()])
    .load([field])
  for (const row of now) if (row[field]?.id === wanted.get(row.id)) wanted.delete(row.id)
  return wanted
}

/**
 * Lines of orders by their model, and what is said where they are in the way: of a product and a unit, of a
 * product and a company.
 */
export interface Ordered {
  readonly lines: ModelName
  readonly otherUnit: (product: unknown, unit: unknown) => string
  readonly otherCompany: (product: unknown, company: unknown) => string
}

const tableOf = ({ lines }: Ordered): Sql => id(lines.replaceAll('.', '_'))

/** Throws UserError for products that orders hold in another unit than their own. */
async function assertOneUnit(env: Environment, ordered: Ordered, ids: readonly number[]): Promise<void> {
  const [row] = await env.rows(
    sql`SELECT t.name->>'en_US', u.name->>'en_US' FROM ${tableOf(ordered)} l JOIN product_product p ON p.id = l.product_id
    JOIN product_template t ON t.id = p.product_tmpl_id JOIN uom_uom u ON u.id = l.product_uom_id
    WHERE t.id = ANY(${idList(ids)}) AND l.product_uom_id <> t.uom_id LIMIT 1`,
    { reads: [ordered.lines, 'product.product', 'product.template', 'uom.uom'], row: ['text', 'text'] },
  )
  if (row) throw new UserError(ordered.otherUnit(row[0], row[1]))
}

/** Lines that count in the product's own unit go on doing so; their quantities and prices stay. */
async function followUnits(
  env: Environment,
  ordered: Ordered,
  units: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...units].map(([id, unit]) => ({ id, unit }))
  const changed = await env.rows(
    sql`UPDATE ${tableOf(ordered)} l SET product_uom_id = x.unit
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, unit int) JOIN product_product p ON p.product_tmpl_id = x.id
    WHERE l.product_id = p.id RETURNING l.id`,
    { reads: [ordered.lines, 'product.product'], row: ['int'] },
  )
  const field = env.def(ordered.lines).fields.get('product_uom_id')
  if (field)
    env.unit.cache.forget(
      field,
      changed.map((row) => row[0]),
    )
}

/**
 * Throws ValidationError for products that are to be one company's alone while another one, not below it, has
 * them on orders.
 */
async function assertOneCompany(
  env: Environment,
  ordered: Ordered,
  companies: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...companies].map(([id, company]) => ({ id, company }))
  const [row] = await env.rows(
    sql`SELECT t.name->>'en_US', other.name FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, company int)
    JOIN product_template t ON t.id = x.id JOIN product_product p ON p.product_tmpl_id = t.id JOIN ${tableOf(ordered)} l ON l.product_id = p.id
    JOIN res_company own ON own.id = x.company JOIN res_company other ON other.id = l.company_id
    WHERE NOT starts_with(other.parent_path, own.parent_path) LIMIT 1`,
    { reads: [ordered.lines, 'product.template', 'product.product', 'res.company'], row: ['text', 'text'] },
  )
  if (row) throw new ValidationError(ordered.otherCompany(row[0], row[1]))
}

/** A wrap around writes of products. */
export const guardOrdered =
  (ordered: Ordered) =>
  (next: WriteRun<Templates>): WriteRun<Templates> =>
  async (templates, changes) => {
    const { env } = templates
    const concerned = idsWhere(changes, (vals) => vals.uom_id || vals.company_id).length > 0
    if (!concerned) return next(templates, changes)
    const units = await changing(templates, changes, 'uom_id')
    if (units.size) await assertOneUnit(env, ordered, [...units.keys()])
    const companies = await changing(templates, changes, 'company_id')
    if (companies.size) await assertOneCompany(env, ordered, companies)
    await next(templates, changes)
    if (units.size) await followUnits(env, ordered, units)
  }
