// Keys of groups: the SQL that makes them, and their wire form and condition.
import { and, FALSE, id, type Sql, sql, TRUE } from '../../sql/index.ts'
import { compileDomain, fixedDomain } from '../domain/index.ts'
import { seen } from '../domain/relation.ts'
import { activeLines } from '../domain/search-rule.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { isAskable, leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { always } from '../language/tree.ts'
import { assertModel } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import {
  type Calendar,
  isPart,
  isPeriod,
  nextStart,
  type Period,
  partSql,
  periodLabel,
  startSql,
} from './periods.ts'
import { propertyCondition, propertySql, tagOf } from './properties.ts'
import { type GroupSpec, isPartSpec, isPeriodSpec, refusedGroup } from './specs.ts'

interface KeySql {
  readonly value: Sql
  readonly join: Sql | null
}

export const key = (index: number): Sql => id(`k${index}`)

/** Throws InvalidValue for fields that need code, AccessError for related models without read access. */
export function keySql(scope: Scope, group: GroupSpec, index: number, calendar: Calendar): KeySql {
  const { field, granularity } = group
  if (group.property) return propertyKey(scope, group, index, calendar)
  if (field.kind === 'many2many') return linkSql(scope, group, index)
  let stepScope = scope
  const rules: Sql[] = []
  for (const step of group.steps) {
    if (!stepScope.value(step)) throw unstored(scope, group)
    stepScope = stepScope.join(step)
    assertModel(scope.env, stepScope.model, 'read')
    const rule = ruleOf(stepScope, stepScope.model, 'read')
    if (rule) rules.push(rule)
  }
  const plain = field.name === 'id' ? stepScope.id : isAskable(field) && stepScope.value(field)
  if (!plain) throw unstored(scope, group)
  let value = granularity === null ? plain : dated(plain, group, calendar)
  if (field.kind === 'boolean') value = sql`COALESCE(${plain}, ${FALSE})`
  // Values of records that rules hide are as good as unset.
  return { value: rules.length ? sql`CASE WHEN ${and(rules)} THEN ${value} END` : value, join: null }
}

/** The start of the period, or the part, of a date or moment. */
function dated(value: Sql, { field, granularity }: GroupSpec, calendar: Calendar): Sql {
  const moment = field.kind === 'datetime'
  if (granularity !== null && isPeriod(granularity)) return startSql(value, granularity, moment, calendar)
  return granularity !== null && isPart(granularity) ? partSql(value, granularity, moment, calendar) : value
}

function propertyKey(scope: Scope, group: GroupSpec, index: number, calendar: Calendar): KeySql {
  const propertyValue = propertySql(scope, group, index)
  if (!propertyValue) throw unstored(scope, group)
  return { value: dated(propertyValue.value, group, calendar), join: propertyValue.join }
}

/** One row for each linked record that the user sees; one row with NULL without any. */
function linkSql(scope: Scope, group: GroupSpec, index: number): KeySql {
  let { field } = group
  let stepScope = scope
  while (field.related && !field.link) {
    const end = stepScope.along(field.related)
    if (!end) throw unstored(scope, group)
    ;({ scope: stepScope, field } = end)
  }
  const { link, comodel } = field
  if (!link || !comodel || !field.stored) throw unstored(scope, group)
  const env = field.options.context ? scope.env.withContext(field.options.context) : scope.env
  assertModel(env, comodel, 'read')
  const lines = scope.nested(comodel, env)
  const fixed = fixedDomain(field)
  const visible = and([
    seen(lines, activeLines(env, comodel, always(true))),
    fixed.type === 'always' && fixed.value ? TRUE : compileDomain(lines.privileged(), fixed),
  ])
  const alias = `link${index}`
  const other = id(alias, link.other)
  const condition =
    visible === TRUE
      ? sql``
      : sql` AND ${other} IN (SELECT ${lines.id} FROM ${lines.from()} WHERE ${visible})`
  const join = sql` LEFT JOIN ${id(link.table)} ${id(alias)} ON ${id(alias, link.column)} = ${stepScope.id}${condition}`
  return { value: other, join }
}

function unstored(scope: Scope, { spec }: GroupSpec): Error {
  return refusedGroup(scope.model, spec, 'the field is not stored')
}

/** The model whose records the groups are, named in the answer; null when the keys are plain values. */
export function targetOf({ field }: GroupSpec): ModelDef | null {
  if (field.name === 'id') return field.model
  return leadsToOne(field) || field.kind === 'many2many' ? (field.comodel ?? null) : null
}

/** A key from the driver, as code sees it: `YYYY-MM-DD HH:MM:SS` without fractions. */
export function groupKeyOf({ field }: GroupSpec, value: unknown): unknown {
  // The first week of all begins before dates do.
  if (
    typeof value === 'string' &&
    value.endsWith(' BC') &&
    (field.kind === 'date' || field.kind === 'datetime')
  )
    return field.kind === 'date' ? '0001-01-01' : '0001-01-01 00:00:00'
  return field.kind === 'datetime' && typeof value === 'string' ? value.slice(0, 19) : (value ?? null)
}

/** The wire form of a key: `false` when unset, `[id, name]` for records, `[start, label]` for periods. */
export function wireKey(
  group: GroupSpec,
  key: unknown,
  names: ReadonlyMap<unknown, unknown> | undefined,
  calendar: Calendar,
): unknown {
  if (key === null) return false
  if (names) return [key, names.get(key) ?? false]
  if (isPeriodSpec(group)) return [key, periodLabel(key as string, group.granularity as Period, calendar)]
  return group.property ? tagOf(group.property.definition, key) : key
}

export function conditionOf(group: GroupSpec, key: unknown, calendar: Calendar): DomainList {
  let domain = ownCondition(group, group.field, key, calendar)
  // A boolean is never unset: a relation without a target counts as false.
  const unset = key === null || (key === false && group.field.kind === 'boolean')
  for (const step of group.steps.toReversed()) domain = throughMany2one(step.name, domain, unset)
  return domain
}

function ownCondition(
  group: GroupSpec,
  { name, kind }: FieldDef,
  key: unknown,
  calendar: Calendar,
): DomainList {
  if (isPartSpec(group)) return [[`${name}.${group.granularity}`, '=', key ?? false]]
  if (group.property && !(isPeriodSpec(group) && key !== null))
    return propertyCondition(name, group.property.definition, key)
  if (key === null) return kind === 'many2many' ? [[name, 'not any', []]] : [[name, '=', false]]
  if (!isPeriodSpec(group)) return [[name, '=', key]]
  const start = key as string
  const end = nextStart(start, group.granularity as Period, calendar)
  return end === null ? [[name, '>=', start]] : ['&', [name, '>=', start], [name, '<', end]]
}

// Domains as clients get them back: conditions that select one group, joined in prefix form.

export type DomainList = readonly unknown[]

/** All of them at once: the `&` in front, each condition after them. Nothing is an empty domain. */
export function allOf(domains: readonly DomainList[]): DomainList {
  const terms = domains.flatMap(conjuncts)
  return [...Array<string>(Math.max(0, terms.length - 1)).fill('&'), ...terms.flat(1)]
}

function conjuncts(domain: DomainList): DomainList[] {
  const terms: DomainList[] = []
  let at = 0
  while (at < domain.length) {
    if (domain[at] === '&') {
      at++
      continue
    }
    const end = endOf(domain, at)
    terms.push(domain.slice(at, end))
    at = end
  }
  return terms
}

function endOf(domain: DomainList, at: number): number {
  let open = 1
  let position = at
  while (open > 0 && position < domain.length) {
    const item = domain[position++]
    if (item === '!') continue
    open += item === '&' || item === '|' ? 1 : -1
  }
  return position
}

/** The condition on the target of a many2one; `unset` ones include records without a target. */
export function throughMany2one(name: string, domain: DomainList, unset: boolean): DomainList {
  const condition = [name, 'any', domain]
  return unset ? ['|', [name, 'not any', []], condition] : [condition]
}
