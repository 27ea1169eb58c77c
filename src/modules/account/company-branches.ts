// Branches (res.company with a parent): a new one begins with what accounting knows of the company it belongs
// to.
import type { Records } from '#models'

/**
 * Gives new branches the values of their parents for `fields`, and the defaults that contacts fall back to.
 * Values given at creation stay.
 */
export async function takeFromParents(
  companies: Records<'res.company'>,
  valsList: readonly unknown[],
  fields: readonly string[],
): Promise<void> {
  const su = companies.sudo()
  const branches = (await su.load(['parent_id'])).flatMap(({ id, parent_id }, place) =>
    parent_id ? { id, parent: parent_id.id, place } : [],
  )
  if (branches.length === 0) return
  const parents = [...new Set(branches.map(({ parent }) => parent))]
  const rows = (await su.browse(parents).read(fields, null)) as Record<string, unknown>[]
  const defaults = await su.env
    .model('ir.default')
    .search([
      ['company_id', 'in', parents],
      ['user_id', '=', false],
      ['field_id.model', '=', 'res.partner'],
    ])
    .then((defaults) => defaults.load(['field_id', 'company_id', 'json_value', 'condition']))
  for (const { id, parent, place } of branches) {
    const vals = (valsList[place] ?? {}) as Record<string, unknown>
    const values = rows.find((row) => row.id === parent) ?? {}
    await su
      .browse([id])
      .write(
        Object.fromEntries(fields.filter((field) => !(field in vals)).map((field) => [field, values[field]])),
      )
    const shared = defaults.filter((row) => row.company_id?.id === parent)
    await su.env.model('ir.default').create(
      shared.map(({ field_id, json_value, condition }) => ({
        field_id: field_id.id,
        json_value,
        condition,
        company_id: id,
      })),
    )
  }
}
