// Rights that an API key's scope leaves of its owner's: a mask over the check of model access, and fewer
// companies.
import { AccessError } from '../errors.ts'
import type { FieldDef, ModelDef, Registry } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Operation, Rights, UserProfile } from '../models/language/rights.ts'
import { all, leaf, type Tree } from '../models/language/tree.ts'
import type { Unit } from '../models/language/unit.ts'
import { type KeyScope, opensModel } from '../models/rights/key-scope.ts'
import type { KnownUser } from './profile.ts'
import type { DatabaseRights } from './rights.ts'

/**
 * The refusal of a call that a key's scope does not allow; `token` names the missing part. For `rpc`, which
 * every scope begins with, `without` names the part that limits it.
 */
export function scopeMissing(token: string, without = 'read'): AccessError {
  const missing = token === 'rpc' ? `rpc without ${without}` : token
  return new AccessError(`The scope of this API key does not allow this: it lacks ${missing}.`, {
    code: 'scope_missing',
    context: { scope: token },
  })
}

/** Rights of a scoped key: the mask also holds for methods that act as another user. */
export class ScopedRights implements Rights {
  readonly narrow = true
  readonly version: string
  readonly timed: boolean
  readonly languages: ReadonlySet<string>
  readonly registry: Registry
  readonly #rights: DatabaseRights
  readonly #scope: KeyScope
  readonly #owner: UserProfile

  constructor(rights: DatabaseRights, scope: KeyScope, owner: UserProfile) {
    this.#rights = rights
    this.#scope = scope
    this.#owner = owner
    this.version = `${rights.version} ${scope.text}`
    this.timed = rights.timed
    this.languages = rights.languages
    this.registry = rights.registry
  }

  mayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean {
    return opensModel(this.#scope, model.name, operation) && this.#rights.mayModel(user, model, operation)
  }

  ownerMayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean {
    return this.#rights.mayModel(user, model, operation)
  }

  refusal(user: UserProfile, model: ModelDef, operation: Operation): AccessError {
    if (opensModel(this.#scope, model.name, operation)) return this.#rights.refusal(user, model, operation)
    const letter = { read: 'r', write: 'w', create: 'c', unlink: 'd' }[operation]
    return scopeMissing(this.#scope.read && operation !== 'read' ? 'rpc' : `model:${model.name}:${letter}`)
  }

  rules(env: Environment, model: ModelDef, operation: Operation): Tree | null {
    return this.#within(env, model, this.#rights.rules(env, model, operation))
  }

  ownRules(env: Environment, model: ModelDef): Tree | null {
    return this.#within(env, model, this.#rights.ownRules(env, model))
  }

  /** Rules with the companies of the scope: administrators of users may see and change all companies. */
  #within(env: Environment, model: ModelDef, rules: Tree | null): Tree | null {
    const { companies } = this.#scope
    if (env.su || companies.length === 0 || model.name !== 'res.company') return rules
    const within = leaf(['id'], 'in', companies)
    return rules ? all([rules, within]) : within
  }

  ruled(model: ModelDef): readonly FieldDef[] | null {
    return this.#rights.ruled(model)
  }

  mayField(user: UserProfile, field: FieldDef): boolean {
    return this.#rights.mayField(user, field)
  }

  defaults(user: UserProfile, company: number, model: ModelDef): Readonly<Record<string, unknown>> {
    return this.#rights.defaults(user, company, model)
  }

  async profile(unit: Unit, uid: number): Promise<UserProfile | null> {
    return uid === this.#owner.id ? this.#owner : this.#rights.profile(unit, uid)
  }
}

/**
 * The owner of a key with the restrictions of its scope; null if the owner belongs to none of its companies:
 * such a key opens nothing.
 */
export function restrictedProfile(profile: KnownUser, { companies }: KeyScope): KnownUser | null {
  if (companies.length === 0) return profile
  const companyIds = profile.companyIds.filter((company) => companies.includes(company))
  const [companyId] = companyIds
  return companyId === undefined
    ? null
    : Object.freeze({ ...profile, companyId, companyIds: Object.freeze(companyIds) })
}
