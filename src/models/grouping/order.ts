// Orders of groups: "type desc, __count, date:month" – groupby specs and aggregates, nothing else (spec/models-api.md section 7).
import { InvalidValue } from '../../errors.ts'
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import type { ModelDef } from '../defs.ts'
import { compileOrder, parseOrder } from '../records/order.ts'
import type { Scope } from '../records/scope.ts'

/** One term of an order of groups. */
export interface GroupTerm {
  readonly spec: string
  readonly descending: boolean
  readonly nulls: 'first' | 'last' | null
}

const TERM = /^\s*(\w+(?:\.\w+)*(?::\w+)?)(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*$/i
const MAX_TERMS = 100

/** The terms of an order from outside; none for null, false and "". Throws InvalidValue for what does not fit the grammar. */
export function parseGroupOrder(text: unknown): GroupTerm[] {
  if (text === null || text === undefined || text === false || text === '') return []
  const terms = typeof text === 'string' ? text.split(',', MAX_TERMS + 1) : []
  if (terms.length === 0 || terms.length > MAX_TERMS) throw new InvalidValue('Invalid order: it must be a text with at most 100 terms')
  return terms.map((term) => {
    const [, spec, direction, nulls] = TERM.exec(term) ?? []
    if (!spec) throw new InvalidValue(`Invalid order ${JSON.stringify(term.slice(0, 200))}: a groupby or an aggregate with an optional direction is expected`)
    return { spec, descending: direction?.toLowerCase() === 'desc', nulls: (nulls?.toLowerCase() as 'first' | 'last' | undefined) ?? null }
  })
}

/** A term as it is written. */
export const writeTerm = ({ spec, descending, nulls }: GroupTerm): string => `${spec}${descending ? ' desc' : ''}${nulls ? ` nulls ${nulls}` : ''}`

/** By a value; unset last ascending, first descending, unless the term says. */
export function byValue(value: Sql, { descending, nulls }: GroupTerm): Sql {
  return sql`${value}${raw(descending ? ' DESC' : '')}${raw(nulls ? ` NULLS ${nulls.toUpperCase()}` : '')}`
}

/** By the order of the related model; unset together at their end. `target` is the joined record, seen by the superuser. */
export function byTarget(key: Sql, target: Scope, term: GroupTerm): Sql[] {
  const unsetFirst = term.nulls === null ? term.descending : term.nulls === 'first'
  return [sql`(${key} IS NULL)${raw(unsetFirst ? ' DESC' : '')}`, ...compileOrder(target, ownOrder(target.model, term.descending))]
}

/** The order of a model, turned round when descending. */
function ownOrder(model: ModelDef, turned: boolean): string | null {
  if (!turned) return null
  return parseOrder(model.order)
    .map(({ path, descending, nulls }) =>
      writeTerm({ spec: path.join('.'), descending: !descending, nulls: nulls && (nulls === 'first' ? 'last' : 'first') }),
    )
    .join(', ')
}
