// Record rules of one database: which are in force for a user, and what they come to as one domain.
import { AccessError, PayloadTooLarge, ServiceError } from '../errors.ts'
import type { FieldDef, ModelDef, Registry } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Operation, UserProfile } from '../models/language/rights.ts'
import { all, anyOf, type Tree, throughPath } from '../models/language/tree.ts'
import { conditionsOf, isTimed, type RuleDomain, readRule } from '../models/rules/rule-domain.ts'
import { withAncestors } from '../models/rules/rule-user.ts'
import { Memo } from './memo.ts'
import { allBits, bitOf, type RuleRow } from './rights-rows.ts'

interface Rule extends RuleRow {
  /** Null when the text cannot be parsed: users under such a rule see no record. */
  readonly read: RuleDomain | null
}

/** The rules that count for a user, and what they follow from besides. */
interface Force {
  readonly rules: readonly RuleInForce[]
  readonly isTimed: boolean
  /** Whether they look at all selected companies, or at the first one. */
  readonly companies: 'all' | 'first' | null
}

/** A rule that applies to a user; `path` leads from the requested model to the rule's model. */
interface RuleInForce {
  readonly rule: Rule
  readonly path: readonly string[]
}

export class RecordRules {
  /** Paths that rules read from users: `['partner_id', 'id']`. */
  readonly userPaths: readonly (readonly string[])[]
  /** Whether one of the rules depends on the time of day. */
  readonly timed: boolean
  readonly #registry: Registry
  readonly #byModel: ReadonlyMap<string, readonly Rule[]>
  readonly #columns = new Map<ModelDef, readonly FieldDef[] | null>()
  readonly #forces = new Memo<Force>()
  readonly #composed = new Memo<Tree>()

  constructor(rows: readonly RuleRow[], registry: Registry) {
    const rules = rows.map(readable)
    this.#registry = registry
    this.#byModel = Map.groupBy(rules, (rule) => rule.model)
    this.timed = rules.some(({ read }) => read !== null && isTimed(read.names))
    this.userPaths = rules.flatMap((rule) => rule.read?.userPaths ?? [])
  }

  /**
   * See `Rights.rules`. Throws AccessError for companies that are not the user's, and for a rule in force
   * that is invalid.
   */
  domain(env: Environment, model: ModelDef, operation: Operation, isOwnOnly = false): Tree | null {
    const about = `${model.name} ${isOwnOnly ? 'own' : operation}`
    const force = this.#forces.get(env.user, about, () => this.#force(env.user, model, operation, isOwnOnly))
    if (force.rules.length === 0) return null
    if (force.isTimed) return compose(env, force.rules)
    const { companies } = force
    const chosen = companies === 'all' ? env.companyIds.join() : companies === 'first' ? env.companyId : ''
    return this.#composed.get(env.user, `${about} ${chosen}`, () => compose(env, force.rules))
  }

  #force(user: UserProfile, model: ModelDef, operation: Operation, isOwnOnly: boolean): Force {
    const rules = this.#inForce(user, model, operation).filter(({ path }) => !isOwnOnly || path.length === 0)
    const names = new Set(rules.flatMap(({ rule }) => [...(rule.read?.names ?? [])]))
    const companies = names.has('company_ids') ? 'all' : names.has('company_id') ? 'first' : null
    return { rules, isTimed: isTimed(names), companies }
  }

  /** See `Rights.ruled`. Any word of a rule's text that names a column counts: one too many does no harm. */
  columns(model: ModelDef): readonly FieldDef[] | null {
    const cached = this.#columns.get(model)
    if (cached !== undefined) return cached
    const rules = this.#rulesOf(model)
    const words = new Set(rules.flatMap(({ domain }) => domain?.match(/[a-z_]\w*/gi) ?? []))
    const columns = rules.length
      ? [...model.fields.values()].filter(
          (field) => field.column && !field.inherited && words.has(field.name),
        )
      : null
    this.#columns.set(model, columns)
    return columns
  }

  #rulesOf(model: ModelDef): readonly Rule[] {
    const rules = this.#byModel.get(model.name) ?? []
    return model.kind === 'transient' && model.fields.has('create_uid')
      ? [...rules, { ...ofForms, model: model.name }]
      : rules
  }

  /** The model's own rules, and those of the models it delegates to unless it opens them to its readers. */
  #inForce(
    user: UserProfile,
    model: ModelDef,
    operation: Operation,
    path: readonly string[] = [],
  ): RuleInForce[] {
    const rules = this.#rulesOf(model).filter((rule) => rule.bits & bitOf[operation] && isFor(user, rule))
    if (operation === 'read' && model.options.readsDelegates) return rules.map((rule) => ({ rule, path }))
    const delegated = [...model.inherits].flatMap(([name, field]) => {
      const delegate = this.#registry.get(name)
      return delegate ? this.#inForce(user, delegate, operation, [...path, field]) : []
    })
    return [...rules.map((rule) => ({ rule, path })), ...delegated]
  }
}

/** Wizards belong to their creator: no other user reads one, or changes what it will do. */
const ofForms = readable({
  name: 'Forms of others',
  model: '',
  domain: "[('create_uid', '=', user.id)]",
  groups: [],
  bits: allBits,
})

function isGlobal(rule: RuleRow): boolean {
  return rule.groups.length === 0
}

function isFor(user: UserProfile, rule: RuleRow): boolean {
  return isGlobal(rule) || rule.groups.some((group) => user.groupIds.includes(group))
}

/**
 * For each model on the way: every global rule, and any of the rules of groups (spec/wire.md section 9,
 * "combination").
 */
function compose(env: Environment, inForce: readonly RuleInForce[]): Tree {
  const parts: Tree[] = []
  for (const [, rules] of Map.groupBy(inForce, ({ path }) => path.join('.'))) {
    const ofGroups: Tree[] = []
    for (const { rule, path } of rules)
      (isGlobal(rule) ? parts : ofGroups).push(throughPath(path, domainOf(rule, env)))
    if (ofGroups.length) parts.push(anyOf(ofGroups))
  }
  return all(parts)
}

function readable(row: RuleRow): Rule {
  try {
    return { ...row, read: readRule(row.domain) }
  } catch (error) {
    if (error instanceof ServiceError) return { ...row, read: null }
    throw error
  }
}

/** An invalid rule closes its model instead of opening it, and the refusal names the rule. */
function domainOf(rule: Rule, env: Environment): Tree {
  try {
    if (rule.read)
      return withAncestors(conditionsOf(rule.read, env), env.unit.registry.get(rule.model), env.user)
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof AccessError || error instanceof PayloadTooLarge)
      throw error
  }
  throw new AccessError(
    `The record rule "${rule.name}" of ${rule.model} is invalid: access to its records is refused until an administrator corrects it.`,
  )
}
