// Defaults that are kept in `ir.default`, for a user in a company (spec/models-api.md section 6).
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Rights, UserProfile } from '../language/rights.ts'

type Defaults = Readonly<Record<string, unknown>>

/** Rights are a snapshot, defaults and all: what was gathered of one stays true. */
const gathered = new WeakMap<Rights, Map<string, Defaults>>()

/** Values by field name, those of the user before those of the company before those for all. */
export function keptDefaults({ unit, companyId }: Environment, model: ModelDef, user: UserProfile): Defaults {
  const known = gathered.get(unit.rights) ?? new Map<string, Defaults>()
  gathered.set(unit.rights, known)
  const key = `${model.name} ${user.id} ${companyId}`
  const found = known.get(key) ?? unit.rights.defaults(user, companyId, model)
  known.set(key, found)
  return found
}
