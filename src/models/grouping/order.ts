// Orders of groups: "type desc, __count, date:month" – groupby specs and aggregates, nothing else
// (spec/models-api.md section 7).

import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { id, raw, type Sql, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Scope } from '../language/scope.ts'
import { compileOrder, type Direction, directionOf, orderedBy, parseOrder, turned } from '../row/order.ts'
import { scopeOver } from '../row/scope.ts'
import { aggregateSql, isList } from './aggregates.ts'
import { key, targetOf } from './keys.ts'
import { type AggregateSpec, type GroupSpec, parseAggregate } from './specs.ts'

export interface GroupTerm extends Direction {
  readonly spec: string
}

const TERM = /^\s*(\w+(?:\.\w+)*(?::\w+)?)(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*$/i
const MAX_TERMS = 100
/** Characters: as many as so many terms may have. */
const LONGEST = 20_000

/** The terms of an order; none for null, false and "". Throws InvalidValue. */
export function parseGroupOrder(text: unknown): GroupTerm[] {
  if (text === null || text === undefined || text === false || text === '') return []
  const terms = typeof text === 'string' && text.length <= LONGEST ? text.split(',', MAX_TERMS + 1) : []
  if (terms.length === 0 || terms.length > MAX_TERMS)
    throw new InvalidValue('Invalid order: it must be a text with at most 100 terms')
  return terms.map((term) => {
    const [, spec, direction, nulls] = TERM.exec(term) ?? []
    if (!spec)
      throw new InvalidValue(
        `Invalid order ${JSON.stringify(term.slice(0, 200))}: a groupby or an aggregate with an optional direction is expected`,
      )
    return { spec, ...directionOf(direction, nulls) }
  })
}

export const writeTerm = ({ spec, descending, nulls }: GroupTerm): string =>
  `${spec}${descending ? ' desc' : ''}${nulls ? ` nulls ${nulls}` : ''}`

/**
 * By the order of the related model; unset together at their end. The joined record is seen by the superuser,
 * but its hidden values decide nothing.
 */
function byTarget(key: Sql, { scope, named }: Target, term: GroupTerm): Sql[] {
  const unsetFirst = term.nulls === null ? term.descending : term.nulls === 'first'
  return [
    sql`(${key} IS NULL)${raw(unsetFirst ? ' DESC' : '')}`,
    ...compileOrder(scope, ownOrder(scope.model, term.descending), { viewer: named }),
  ]
}

function ownOrder(model: ModelDef, descending: boolean): string | null {
  if (!descending) return null
  return parseOrder(model.order)
    .map((term) => writeTerm({ spec: term.path.join('.'), ...turned(term) }))
    .join(', ')
}

export interface Target {
  /** Joined for order: what a record refers to orders it even where it may not be read. */
  readonly scope: Scope
  readonly named: Scope
}

/** The scope of the records that a key stands for; null when it is a plain value. */
export function targetScope(env: Environment, group: GroupSpec, index: number): Target | null {
  const model = targetOf(group)
  if (!model) return null
  const named = scopeOver(env, model, `o${index}`)
  return { scope: named.privileged(), named }
}

/** Terms, then the other keys: windows never overlap. Aggregates of the order become columns. */
export function orderBy(
  scope: Scope,
  groups: readonly GroupSpec[],
  aggregates: readonly AggregateSpec[],
  targets: readonly (Target | null)[],
  terms: readonly GroupTerm[],
  columns: Sql[],
): Sql[] {
  const rest = groups
    .filter(({ spec }) => !terms.some((term) => term.spec === spec))
    .map(({ spec }): GroupTerm => ({ spec, descending: false, nulls: null }))
  return [...terms, ...rest].flatMap((term, t) => {
    const index = groups.findIndex(({ spec }) => spec === term.spec)
    if (index >= 0) {
      const value = sql`"g".${key(index)}`
      const target = targets[index]
      return target && groups[index]?.field.name !== 'id'
        ? byTarget(value, target, term)
        : [orderedBy(value, term)]
    }
    const position = aggregates.findIndex((aggregate) => aggregate.key === term.spec)
    const wanted = aggregates[position] ?? parseAggregate(scope.env, scope.model, term.spec)
    if (isList(wanted))
      throw new InvalidValue(`Invalid order: the lists of ${shown(term.spec)} have no order`)
    if (position >= 0) return [orderedBy(sql`"g".${id(`a${position}`)}`, term)]
    columns.push(sql`${aggregateSql(scope, wanted)} AS ${id(`b${t}`)}`)
    return [orderedBy(sql`"g".${id(`b${t}`)}`, term)]
  })
}
