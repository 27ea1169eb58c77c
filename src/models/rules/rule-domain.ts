// Evaluates domains of record rules: from `domain_force`, a text in Python's syntax over `user`,
// `company_id`, `company_ids` and `time`, to conditions.
import { InvalidValue } from '../../errors.ts'
import {
  Attributes,
  assertReadable,
  attributePathsOf,
  evaluate,
  isTrue,
  type Names,
  type Node,
  namesOf,
  parseExpression,
  timeNames,
} from '../../kit/expression/index.ts'
import { parseDomain } from '../domain/index.ts'
import type { Environment } from '../language/environment.ts'
import { always, type Tree } from '../language/tree.ts'
import { loadedColumns, possibleColumns, type ReadColumn, userAttributes } from './rule-user.ts'

export interface RuleDomain {
  /** Null: an empty text, which allows all records. */
  readonly tree: Node | null
  readonly names: ReadonlySet<string>
  /** Attribute paths of the user that it reads: `['partner_id', 'id']`. */
  readonly userPaths: readonly (readonly string[])[]
}

const NAMES = new Set(['user', 'company_id', 'company_ids', 'time', 'context_today'])

/** Throws InvalidValue for a text that is not an expression, and for names that rules do not have. */
export function readRule(text: string | null): RuleDomain {
  if (text) assertReadable(text)
  if (!text?.trim()) return { tree: null, names: new Set(), userPaths: [] }
  const tree = parseExpression(text.trim())
  const names = namesOf(tree)
  for (const name of names) if (!NAMES.has(name)) throw new InvalidValue(`Unknown name "${name}" in a rule.`)
  return { tree, names, userPaths: attributePathsOf(tree, 'user') }
}

/**
 * The rule's conditions for the user and the companies of `env`. Throws InvalidValue if they are not a
 * domain, AccessError for companies that are not the user's.
 */
export function conditionsOf(rule: RuleDomain, env: Environment): Tree {
  return conditions(rule, env, loadedColumns(env.unit.registry, env.user))
}

function conditions(rule: RuleDomain, env: Environment, columns: ReadColumn): Tree {
  if (!rule.tree) return always(true)
  const value = evaluate(rule.tree, namesFor(rule.names, env, columns))
  if (!Array.isArray(value)) {
    if (!isTrue(value)) return always(true)
    throw new InvalidValue('A rule must be a list of conditions.')
  }
  assertPlain(value)
  return parseDomain(value)
}

/** Only names that the rule uses: reading the companies checks them, which must not fail for other rules. */
function namesFor(names: ReadonlySet<string>, env: Environment, columns: ReadColumn): Names {
  return {
    ...(names.has('user') && { user: userAttributes(env.user, columns) }),
    ...(names.has('company_id') && { company_id: env.companyId }),
    ...(names.has('company_ids') && { company_ids: [...env.companyIds] }),
    ...(isTimed(names) && timeNames(env.tz, env.now())),
  }
}

export function isTimed(names: ReadonlySet<string>): boolean {
  return names.has('time') || names.has('context_today')
}

function assertPlain(value: unknown): void {
  if (value instanceof Attributes)
    throw new InvalidValue('A rule compares with a record; write its "id" or "ids".')
  if (typeof value === 'function') throw new InvalidValue('A rule names a function without calling it.')
  if (Array.isArray(value)) value.forEach(assertPlain)
}

/**
 * The conditions of a rule that is about to be stored, for a user with a sample value in every column:
 * the check of `ir.rule` compiles them (spec/wire.md section 9, "nonsense"). Throws InvalidValue for
 * names and attributes that rules do not have, also in branches that are not evaluated.
 */
export function trialConditions(env: Environment, text: string | null): Tree {
  const rule = readRule(text)
  const columns = possibleColumns(env.unit.registry)
  for (const path of rule.userPaths) assertPath(userAttributes(env.user, columns), path)
  return conditions(rule, env, columns)
}

function assertPath(user: Attributes, path: readonly string[]): void {
  let value: unknown = user
  for (const name of path) {
    value = value instanceof Attributes ? value.read(name) : undefined
    if (value === undefined) throw new InvalidValue(`Rules cannot read user.${path.join('.')}.`)
  }
}
