// Defaults of new records: the context's `default_<field>`, the user's or global default, the field's own.
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { perModel } from '../per-model.ts'
import { mayField } from '../rights/judge.ts'

const PREFIX = 'default_'

/** Default values by field name, for the fields named; in the wire's forms, as given values would be (spec/models-api.md section 5). */
export async function defaultValues(env: Environment, model: ModelDef, names: Iterable<string>): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const wanted = [...names]
  const kept = wanted.length ? await keptDefaults(env, model) : {}
  for (const name of wanted) {
    const given = env.context[PREFIX + name]
    if (given !== undefined) {
      values[name] = given
      continue
    }
    const field = model.fields.get(name)
    if (!field || !mayField(env, field)) continue
    if (Object.hasOwn(kept, name)) values[name] = kept[name]
    else if (field.defaultOf) {
      const value = await field.defaultOf(env)
      if (value !== undefined) values[name] = value
    }
  }
  return values
}

/** Fields that a record may get a default for. */
export const defaultable = perModel((model): readonly FieldDef[] => [...model.fields.values()].filter((field) => !field.automatic))

/** Values kept in `ir.default` for the user or for all, those of the user first (spec/models-api.md section 6). */
async function keptDefaults(env: Environment, model: ModelDef): Promise<Record<string, unknown>> {
  return env.unit.rights.defaults(env.user, env.companyId, model)
}
