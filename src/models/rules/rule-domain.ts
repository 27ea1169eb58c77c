// Domains of record rules: from `domain_force`, a text in Python's syntax over `user`, `company_id`,
// `company_ids` and `time`, to conditions.
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

/** A rule's text, read once. */
export interface RuleDomain {
  /** Null: an empty text, which lets everything through. */
  readonly tree: Node | null
  readonly names: ReadonlySet<string>
  /** What it reads of the user: `['partner_id', 'id']`. */
  readonly userPaths: readonly (readonly string[])[]
}

const known = new Set(['user', 'company_id', 'company_ids', 'time', 'context_today'])

/** Reads a rule's text. Throws InvalidValue for what is no expression or names what rules do not know. */
export function readRule(text: string | null): RuleDomain {
  if (text) assertReadable(text)
  if (!text?.trim()) return { tree: null, names: new Set(), userPaths: [] }
  const tree = parseExpression(text.trim())
  const names = namesOf(tree)
  for (const name of names)
    if (!known.has(name)) throw new InvalidValue(`Rules know nothing named "${name}".`)
  return { tree, names, userPaths: attributePathsOf(tree, 'user') }
}

/**
 * The rule's conditions for the user and the companies of `env`. Throws InvalidValue when they make no
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
    throw new InvalidValue('A rule is a list of conditions.')
  }
  assertPlain(value)
  return parseDomain(value)
}

/** Only what the rule names: companies are judged as soon as, and not before, a rule asks for them. */
function namesFor(names: ReadonlySet<string>, env: Environment, columns: ReadColumn): Names {
  return {
    ...(names.has('user') && { user: userAttributes(env.user, columns) }),
    ...(names.has('company_id') && { company_id: env.companyId }),
    ...(names.has('company_ids') && { company_ids: [...env.companyIds] }),
    ...(isTimed(names) && timeNames(env.tz, env.now())),
  }
}

/** Whether the rule's conditions change with the time of day. */
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
 * The conditions of a rule that is about to be in force, for a user of whom every column is known: for the
 * check of `ir.rule`, which compiles them (spec/wire.md section 9, "nonsense"). Throws InvalidValue for what
 * rules do not know, in branches not taken too.
 */
export function trialConditions(env: Environment, text: string | null): Tree {
  const rule = readRule(text)
  const columns = possibleColumns(env.unit.registry)
  for (const path of rule.userPaths) assertPath(userAttributes(env.user, columns), path)
  return conditions(rule, env, columns)
}

function assertPath(user: Attributes, path: readonly string[]): void {
  let here: unknown = user
  for (const name of path) {
    here = here instanceof Attributes ? here.read(name) : undefined
    if (here === undefined) throw new InvalidValue(`Rules cannot read user.${path.join('.')}.`)
  }
}
