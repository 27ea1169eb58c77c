// Defaults that are kept in `ir.default`, for a user in a company (spec/models-api.md section 6).
import { oncePer } from '../../kit/once-per.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Rights, UserProfile } from '../language/rights.ts'

type Defaults = Readonly<Record<string, unknown>>

/** Rights are a snapshot, defaults and all: what was gathered of one stays true. */
const gathered = oncePer((_: Rights) => new Map<string, Defaults>())

/** Values by field name, those of the user before those of the company before those for all. */
export function keptDefaults({ unit, companyId }: Environment, model: ModelDef, user: UserProfile): Defaults {
  const cached = gathered(unit.rights)
  const key = `${model.name} ${user.id} ${companyId}`
  const defaults = cached.get(key) ?? allowed(model, unit.rights.defaults(user, companyId, model))
  cached.set(key, defaults)
  return defaults
}

/** People keep defaults for what they may give alone. */
function allowed(model: ModelDef, defaults: Defaults): Defaults {
  const names = Object.keys(defaults)
  if (names.every((name) => mayBeGiven(model, name))) return defaults
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => mayBeGiven(model, name)))
}

/** Whether people may give a new record a value of a field. */
export function mayBeGiven({ authority, fields }: ModelDef, name: string): boolean {
  const field = authority && fields.get(name)
  return !field || authority.gives(field)
}
