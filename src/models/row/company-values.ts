// Values by company (`companyDependent`): what a company falls back to, and links to records that go.
import { oncePer } from '../../kit/once-per.ts'
import { id, sql } from '../../sql/index.ts'
import { noteChange } from '../changes/note.ts'
import type { FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isServerComputed, leadsToOne } from '../language/field-options.ts'
import type { Rights, UserProfile } from '../language/rights.ts'
import { SYSTEM } from '../unit/options.ts'

/**
 * The value of records without a value of their own in the current company: the company's default, else
 * the global one (`ir.default`); null without one.
 */
export function companyDefault(env: Environment, field: FieldDef): unknown {
  const value = keptDefaults(env, field.model, SYSTEM)[field.name]
  return value === undefined || value === false || value === null ? null : field.type.toColumn(field, value)
}

/** Whether records without a value have this one: it is not stored, and follows the default. */
export function fallsBackTo(env: Environment, field: FieldDef, value: unknown): boolean {
  const fallback = companyDefault(env, field)
  return fallback !== null && fallback === field.type.toColumn(field, value)
}

/** There are no foreign keys for values by company: those to records that are gone are removed. */
export async function clearCompanyLinks(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  for (const holder of env.unit.registry.models.values()) {
    if (!holder.hasTable) continue
    for (const field of holder.fields.values()) {
      if (!leadsToOne(field) || field.comodel !== model || !field.column || !field.options.companyDependent)
        continue
      const column = id(field.name)
      const gone = sql`SELECT e.key FROM jsonb_each_text(${column}) AS e WHERE e.value = ANY(${ids.map(String)}::text[])`
      const update = sql`UPDATE ${id(holder.table)} SET ${column} = ${column} - ARRAY(${gone}) WHERE ${column} IS NOT NULL AND EXISTS (${gone})`
      if (env.unit.changes) {
        const rows = await env.query<[number]>(sql`${update} RETURNING "id"`)
        const changedIds = rows.map((row) => row[0])
        noteChange(env, holder, 'u', changedIds, [field])
      } else env.unit.send(update)
    }
  }
}

// Defaults that are kept in `ir.default`, for a user in a company (spec/models-api.md section 6).

/** Rights are a snapshot, defaults and all: what was gathered of one stays true. */
const gathered = oncePer((_: Rights) => new Map<string, LooseVals>())

/** Values by field name, those of the user before those of the company before those for all. */
export function keptDefaults(
  { unit, companyId }: Environment,
  model: ModelDef,
  user: UserProfile,
): LooseVals {
  const cached = gathered(unit.rights)
  const key = `${model.name} ${user.id} ${companyId}`
  const defaults = cached.get(key) ?? allowed(model, unit.rights.defaults(user, companyId, model))
  cached.set(key, defaults)
  return defaults
}

/** People keep defaults for what they may give alone. */
function allowed(model: ModelDef, defaults: LooseVals): LooseVals {
  const names = Object.keys(defaults)
  if (names.every((name) => isWritableOnCreate(model, name))) return defaults
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => isWritableOnCreate(model, name)))
}

export function isWritableOnCreate({ authority, fields }: ModelDef, name: string): boolean {
  const field = fields.get(name)
  return !field || (authority ? authority.gives(field) : !isServerComputed(field))
}
