// Authorization as the engine needs it. The layer `access` implements it: the engine knows no users,
// groups or rules.

import type { FieldDef, Ids, LooseVals, ModelDef } from './definitions.ts'
import type { Environment } from './environment.ts'
import type { Tree } from './tree.ts'
import type { Unit } from './unit.ts'

export type Operation = 'read' | 'write' | 'create' | 'unlink'
export const operations: readonly Operation[] = ['read', 'write', 'create', 'unlink']

/** A snapshot of a user, replaced when something about the user changes. */
export interface UserProfile {
  readonly id: number
  readonly login: string
  readonly name: string
  readonly partnerId: number
  readonly active: boolean
  readonly lang: string | null
  readonly tz: string | null
  /** The default company. */
  readonly companyId: number
  /** All companies the user may act for, the default one first. */
  readonly companyIds: Ids
  /** Ids of the user's groups, including implied ones. */
  readonly groupIds: Ids
  /** Their external ids. */
  readonly groups: ReadonlySet<string>
}

/** Rights of a database at one version. All access to data is authorized here. */
export interface Rights {
  /** Changes whenever any result below may change: a cache key for plans. */
  readonly version: string
  /** Whether the caller's rights are narrower than the user's: a scoped API key. */
  readonly narrow?: boolean
  /** Whether a rule depends on the time of day. Plans that contain rules cannot be cached then. */
  readonly timed: boolean
  /** Codes of the active languages. */
  readonly languages: ReadonlySet<string>
  mayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean
  /** As `mayModel`, without the limits of a scoped API key. */
  ownerMayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean
  /** The AccessError that names for `user` the reason why `operation` on `model` is refused. */
  refusal(user: UserProfile, model: ModelDef, operation: Operation): Error
  /**
   * Record rules in force as one parsed domain over `model`, including those of delegates as the model
   * declares; null if there are none.
   */
  rules(env: Environment, model: ModelDef, operation: Operation): Tree | null
  /** As `rules` for reading, without those of delegates. */
  ownRules(env: Environment, model: ModelDef): Tree | null
  /** Columns of a model that any record rule reads, for any user; null if the model has no rules. */
  ruled(model: ModelDef): readonly FieldDef[] | null
  mayField(user: UserProfile, field: FieldDef): boolean
  /** Values of `ir.default` for a user in a company, by field name. The user's own take precedence. */
  defaults(user: UserProfile, company: number, model: ModelDef): LooseVals
  /** The snapshot of a user, archived or not, in the unit's transaction; null for an unknown id. */
  profile(unit: Unit, uid: number): Promise<UserProfile | null>
}
