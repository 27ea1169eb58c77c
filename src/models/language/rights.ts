// What the engine asks about rights. The room `access` answers; the engine knows no users, groups or rules.

import type { FieldDef, ModelDef } from './definitions.ts'
import type { Environment } from './environment.ts'
import type { Tree } from './tree.ts'
import type { Unit } from './unit.ts'

export type Operation = 'read' | 'write' | 'create' | 'unlink'
export const operations: readonly Operation[] = ['read', 'write', 'create', 'unlink']

/** A user as the engine needs to know them; a snapshot, replaced when something about the user changes. */
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
  readonly companyIds: readonly number[]
  /** Groups with all they imply. */
  readonly groupIds: readonly number[]
  /** Their external ids. */
  readonly groups: ReadonlySet<string>
}

/** Rights of one database as of one version. Every path to data asks here. */
export interface Rights {
  /** Changes whenever anything below may answer differently: a key for cached plans. */
  readonly version: string
  /** Whether less is open than to the user themselves: a narrow API key calls. */
  readonly narrow?: boolean
  /** Whether some rule changes with the time of day: then no plan that holds rules can be kept. */
  readonly timed: boolean
  /** Codes of the active languages. */
  readonly languages: ReadonlySet<string>
  mayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean
  /** The AccessError that tells `user` why `operation` on `model` is refused. */
  refusal(user: UserProfile, model: ModelDef, operation: Operation): Error
  /**
   * Record rules in force as one parsed domain over `model`, those of delegates included as the model says;
   * null when there are none.
   */
  rules(env: Environment, model: ModelDef, operation: Operation): Tree | null
  /** As `rules` for reading, without those of delegates. */
  ownRules(env: Environment, model: ModelDef): Tree | null
  /** Columns of a model that some record rule reads, whoever it is for; null where it has no rules. */
  ruled(model: ModelDef): readonly FieldDef[] | null
  mayField(user: UserProfile, field: FieldDef): boolean
  /** Values of `ir.default` for a user in a company, by field name: the user's own before those for all. */
  defaults(user: UserProfile, company: number, model: ModelDef): Readonly<Record<string, unknown>>
  /** Who a user is, archived ones too, as of the unit's transaction; null for an unknown id. */
  profile(unit: Unit, uid: number): Promise<UserProfile | null>
}
