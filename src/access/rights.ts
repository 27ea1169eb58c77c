// Rights of one database as of one version, in memory: model access, record rules, field groups, defaults.
import { AccessError } from '../errors.ts'
import type { FieldDef, ModelDef, Registry } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Operation, Rights, UserProfile } from '../models/language/rights.ts'
import type { Tree } from '../models/language/tree.ts'
import type { Unit } from '../models/language/unit.ts'
import { type UserColumn, userColumns } from '../models/rules/rule-user.ts'
import { Memo } from './memo.ts'
import { loadProfile } from './profile.ts'
import { RecordRules } from './record-rules.ts'
import { type AccessLine, bitOf, type DefaultRow, type RightsRows } from './rights-rows.ts'

export class DatabaseRights implements Rights {
  readonly version: string
  readonly timed: boolean
  readonly languages: ReadonlySet<string>
  readonly registry: Registry
  /** Columns that profiles must bring because a rule reads them. */
  readonly userColumns: readonly UserColumn[]
  readonly #lines: ReadonlyMap<string, readonly AccessLine[]>
  readonly #rules: RecordRules
  readonly #defaults: ReadonlyMap<string, readonly Default[]>
  readonly #mayDo = new Memo<number>()

  constructor(rows: RightsRows, registry: Registry) {
    this.version = rows.version
    this.languages = new Set(rows.languages)
    this.registry = registry
    this.#lines = Map.groupBy(rows.access, (line) => line.model)
    this.#rules = new RecordRules(rows.rules, registry)
    this.timed = this.#rules.timed
    this.#defaults = Map.groupBy(rows.defaults.flatMap(parsed), (row) => row.model)
    this.userColumns = userColumns(registry, this.#rules.userPaths)
  }

  mayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean {
    return (this.#mayDo.get(user, model.name, () => this.#granted(user, model.name)) & bitOf[operation]) !== 0
  }

  ownerMayModel(user: UserProfile, model: ModelDef, operation: Operation): boolean {
    return this.mayModel(user, model, operation)
  }

  /** Grants add up (spec/wire.md section 9, "Model access"). */
  #granted(user: UserProfile, model: string): number {
    const lines = (this.#lines.get(model) ?? []).filter(
      ({ group }) => group === null || user.groupIds.includes(group),
    )
    return lines.reduce((bits, line) => bits | line.bits, 0)
  }

  refusal(_user: UserProfile, model: ModelDef, operation: Operation): AccessError {
    const word = { read: 'access', write: 'modify', create: 'create', unlink: 'delete' }[operation]
    return new AccessError(`You are not allowed to ${word} '${model.label}' (${model.name}) records.`, {
      about: { kind: 'model', model: model.name },
    })
  }

  rules(env: Environment, model: ModelDef, operation: Operation): Tree | null {
    return env.su ? null : this.#rules.domain(env, model, operation)
  }

  ownRules(env: Environment, model: ModelDef): Tree | null {
    return env.su ? null : this.#rules.domain(env, model, 'read', true)
  }

  ruled(model: ModelDef): readonly FieldDef[] | null {
    return this.#rules.columns(model)
  }

  mayField(user: UserProfile, field: FieldDef): boolean {
    return field.groups.length === 0 || field.groups.some((group) => isMember(user, group))
  }

  /** See `Rights`. The more a default is made for, the more it counts: user before company before all. */
  defaults(user: UserProfile, company: number, model: ModelDef): Readonly<Record<string, unknown>> {
    const rows = (this.#defaults.get(model.name) ?? [])
      .filter(
        (row) =>
          (row.user === null || row.user === user.id) && (row.company === null || row.company === company),
      )
      .sort((a, b) => weight(a) - weight(b))
    return Object.fromEntries(rows.map((row) => [row.field, row.value]))
  }

  profile(unit: Unit, uid: number): Promise<UserProfile | null> {
    return loadProfile((statement) => unit.run(statement), uid, this.userColumns)
  }
}

/** Groups are named by their external id, or by `#<id>` without one (models/manual). */
function isMember(user: UserProfile, group: string): boolean {
  return group.startsWith('#') ? user.groupIds.includes(Number(group.slice(1))) : user.groups.has(group)
}

interface Default extends Omit<DefaultRow, 'value'> {
  readonly value: unknown
}

/** Ignores a default that is not valid JSON. */
function parsed(row: DefaultRow): Default[] {
  try {
    return [{ ...row, value: JSON.parse(row.value) as unknown }]
  } catch {
    return []
  }
}

function weight(row: Default): number {
  return (row.user === null ? 0 : 2) + (row.company === null ? 0 : 1)
}
