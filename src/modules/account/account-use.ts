// Where accounts are in use beyond what the database's own references keep: values by company, and what
// companies fall back to.
import type { Environment, ModelName } from '#models'
import { UserError } from '../../errors.ts'
import { id, sql } from '../../sql/index.ts'

/**
 * Throws UserError when one of the accounts is set on a contact, a product or a category, in whatever
 * company, or is the default of one of these.
 */
export async function assertUnset(env: Environment, accounts: readonly number[]): Promise<void> {
  const texts = accounts.map(String)
  for (const holder of env.unit.registry.models.values()) {
    if (!holder.hasTable) continue
    for (const field of holder.fields.values()) {
      if (field.comodel?.name !== 'account.account' || !field.column || !field.options.companyDependent)
        continue
      const rows = await env.rows(
        sql`SELECT 1 FROM ${id(holder.table)} WHERE ${id(field.name)} IS NOT NULL
        AND EXISTS (SELECT FROM jsonb_each_text(${id(field.name)}) AS e WHERE e.value = ANY(${texts}::text[])) LIMIT 1`,
        { reads: [holder.name as ModelName], row: ['int'] },
      )
      const defaults = await env.rows(
        sql`SELECT 1 FROM ir_default d JOIN ir_model_fields f ON f.id = d.field_id
        WHERE f.model = ${holder.name} AND f.name = ${field.name} AND d.json_value = ANY(${texts}::text[]) LIMIT 1`,
        { reads: ['ir.default', 'ir.model.fields'], row: ['int'] },
      )
      if (rows.length || defaults.length)
        throw new UserError(
          `An account cannot be deleted while it is the ${field.label} of a ${holder.label}.`,
        )
    }
  }
}
