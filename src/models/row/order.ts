// Orders: "field [asc|desc] [nulls first|nulls last], …" to SQL. Nothing of the text itself reaches a
// statement (spec/models-api.md section 3).
import { InvalidValue, UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import { FALSE, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isAskable, leadsToMany, leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { eachLeaf, leaf, type Tree, throughPath } from '../language/tree.ts'
import { fieldNamed, mayField } from '../rights/judge.ts'
import { ruleOf } from './access.ts'

export interface Term extends Direction {
  readonly path: readonly string[]
}

/** The direction of a term. */
export interface Direction {
  readonly descending: boolean
  /** Where unset values go; null: last ascending, first descending. */
  readonly nulls: 'first' | 'last' | null
}

const TERM = /^\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*$/i
const MAX_TERMS = 100
/** Characters: as many as so many terms may have. */
const LONGEST = 20_000

/** Throws UserError for text that does not fit the grammar, InvalidValue for what is no text. */
export function parseOrder(text: unknown): Term[] {
  if (typeof text !== 'string') throw new InvalidValue(`Invalid order: ${shown(text)} is not a string`)
  const terms = text.split(',', MAX_TERMS + 1)
  if (terms.length > MAX_TERMS || text.length > LONGEST)
    throw new InvalidValue(`Invalid order: more than ${MAX_TERMS} terms, or ${LONGEST} characters`)
  return terms.map((term) => {
    const [, path, direction, nulls] = TERM.exec(term) ?? []
    if (!path)
      throw new UserError(
        `Invalid "order" specified (${text.slice(0, 200)}). It is a comma-separated list of fields, each with an optional direction.`,
      )
    return { path: path.split('.'), ...directionOf(direction, nulls) }
  })
}

/** By the words of a term: `asc` or `desc`, `first` or `last`, in any case. */
export const directionOf = (direction: string | undefined, nulls: string | undefined): Direction => ({
  descending: direction?.toLowerCase() === 'desc',
  nulls: (nulls?.toLowerCase() as Direction['nulls'] | undefined) ?? null,
})

/** A value as ORDER BY has it. */
export const orderedBy = (value: Sql, { descending, nulls }: Direction): Sql =>
  sql`${value}${raw(descending ? ' DESC' : '')}${raw(nulls ? ` NULLS ${nulls.toUpperCase()}` : '')}`

export interface Ordered {
  /** The same row as seen by somebody from whom rules may hide it (filterOf). */
  readonly viewer?: Scope
  /** The user's rules let all rows through. */
  readonly ruled?: boolean
  /** All have the same value there: it decides nothing. */
  readonly fixed?: FieldDef | undefined
}

/**
 * ORDER BY terms over the scope's row; the id always decides last. Null gives the model's own order, whose
 * fields anybody may be ordered by. Throws InvalidValue for fields that cannot be ordered by, AccessError for
 * those of a group that the user is not in.
 */
export function compileOrder(scope: Scope, order: string | null, of: Ordered = {}): Sql[] {
  return orderTerms(scope, order, of).map(({ sql }) => sql)
}

export interface OrderTerm {
  readonly value: Sql
  readonly descending: boolean
  readonly nullsFirst: boolean
  /** PostgreSQL type that the value compares as; null for what no row can be sought by. */
  readonly type: string | null
  readonly nullable: boolean
  /** As ORDER BY has it. */
  readonly sql: Sql
}

const unordered = ({ model }: Scope, field: string) =>
  new InvalidValue(`Invalid order: ${model.name} cannot be ordered by ${field}`, {
    about: { field, model: model.name },
  })

export function orderTerms(scope: Scope, order: string | null, of: Ordered = {}): OrderTerm[] {
  const isDefault = order === null || (typeof order === 'string' && order.trim() === '')
  const terms = parseOrder(isDefault ? scope.model.order : order)
  const out: OrderTerm[] = []
  for (const term of terms) {
    const field = isDefault
      ? scope.model.fields.get(present(term.path[0]))
      : fieldNamed(scope.env, scope.model, term.path[0])
    if (!field) throw new InvalidValue(`Invalid order: ${scope.model.name} has no field ${term.path[0]}`)
    // A name depends on who asks and how; contracts say that it is not for sorting.
    if (!isDefault && (field.name === 'display_name' || !isAskable(field))) throw unordered(scope, field.name)
    // Nothing after the id can decide.
    if (field.name === 'id' && term.path.length === 1)
      return [...out, directed(scope.id, term, 'int4', false)]
    if (field === of.fixed && term.path.length === 1) continue
    const filter = of.viewer ? filterOf(of.viewer, field, null, false) : null
    out.push(...byField({ scope, field, term, trail: [], filter, ruled: of.ruled === true }))
  }
  return [...out, directed(scope.id, ASCENDING, 'int4', false)]
}

const ASCENDING: Direction = { descending: false, nulls: null }

interface Step {
  readonly scope: Scope
  readonly field: FieldDef
  readonly term: Term
  /** The many2ones on the way to it. */
  readonly trail: readonly FieldDef[]
  readonly filter: Sql | null
  /** The user's rules let the row through. */
  readonly ruled: boolean
}

function byField(step: Step): OrderTerm[] {
  const { scope, field, term, filter } = step
  const name = term.path.join('.')
  const property = field.kind === 'properties' && term.path.length === 2 ? scope.value(field) : null
  // Values of one property are of one type, which JSON orders as one expects.
  if (property)
    return [directed(sql`NULLIF(${property} -> ${term.path[1]}::text, 'false'::jsonb)`, term, null)]
  const bare =
    field.kind === 'binary' || field.kind === 'json' || field.kind.startsWith('properties')
      ? null
      : scope.value(field)
  if (!bare || leadsToMany(field)) {
    throw unordered(scope, name)
  }
  const value = filter ? sql`CASE WHEN ${filter} THEN ${bare} END` : bare
  if (term.path.length > 1) {
    if (!leadsToOne(field) || term.path.length > 2 || term.path[1] !== 'id') {
      throw unordered(scope, name)
    }
    return [directed(value, term, 'int4')]
  }
  if (field.kind === 'boolean') return [directed(sql`COALESCE(${value}, ${FALSE})`, term, 'bool', false)]
  return leadsToOne(field) ? byTarget(step, value) : [directed(value, term, typeOf(field))]
}

/**
 * The condition for values of a joined row to decide an order; null: always. Rows that rules hide count
 * as if they had no values: otherwise their order would disclose these. Every many2one shows their
 * names, which do decide. `ruled`: rules hide no such row here.
 */
function filterOf(target: Scope, field: FieldDef, above: Sql | null, ruled: boolean): Sql | null {
  const { env, model } = target
  if (env.su || field.name === (model.recName ?? 'name')) return above
  const open = env.unit.rights.mayModel(env.user, model, 'read') && mayField(env, field)
  const rule = !open ? FALSE : ruled ? null : ruleOf(target, model, 'read')
  return rule && above ? sql`(${above} AND ${rule})` : (rule ?? above)
}

/**
 * A many2one goes by the order of its model, turned round when descending; unset ones together at their end.
 * Where none is unset and rules say no more than those of the row, the order is that of an index.
 */
function byTarget({ scope, field, term, trail, filter, ruled }: Step, value: Sql): OrderTerm[] {
  const { comodel } = field
  // An order that comes back to itself would never end: there the id decides.
  if (!comodel || trail.includes(field)) return [directed(value, term, 'int4')]
  const nullsFirst = term.nulls === null ? term.descending : term.nulls === 'first'
  const unset = { descending: nullsFirst, nulls: null }
  const leads = scope.hasTarget(field)
  const out = leads && !filter ? [] : [directed(sql`(${value} IS NULL)`, unset, 'bool', false)]
  const target = scope.join(field)
  const seen = ruled && leads && impliesRules(scope.env, field)
  for (const inner of parseOrder(comodel.order)) {
    const innerTerm = term.descending ? turned(inner) : inner
    const by = comodel.fields.get(present(inner.path[0]))
    if (!by) throw new InvalidValue(`Invalid order: ${comodel.name} has no field ${inner.path[0]}`)
    if (by.name === 'id' && inner.path.length === 1)
      return [...out, directed(value, innerTerm, 'int4', !leads || filter !== null)]
    out.push(
      ...byField({
        scope: target,
        field: by,
        term: innerTerm,
        trail: [...trail, field],
        filter: filterOf(target, by, filter, seen),
        ruled: seen,
      }),
    )
  }
  return out
}

/** The same term in the other direction. */
export const turned = <T extends Direction>(term: T): T => ({
  ...term,
  descending: !term.descending,
  nulls: term.nulls && (term.nulls === 'first' ? 'last' : 'first'),
})

function directed(value: Sql, direction: Direction, type: string | null, nullable = true): OrderTerm {
  const { descending, nulls } = direction
  return {
    value,
    descending,
    nullsFirst: nulls === null ? descending : nulls === 'first',
    type,
    nullable,
    sql: orderedBy(value, direction),
  }
}

/** The type of a field's values; numbers that are reckoned compare as exact ones. */
function typeOf(field: FieldDef): string | null {
  const type = field.type.columnType(field)
  return type === 'float8' && !field.column ? 'numeric' : type
}

/**
 * Whether rules that let a user read a row include those of the record that `link`, which every row has,
 * leads to. A stored related field is what it is related to.
 */
export function impliesRules(env: Environment, { name, model, comodel }: FieldDef): boolean {
  const { rights } = env.unit
  const theirs = comodel && rights.rules(env, comodel, 'read')
  if (!theirs) return comodel !== undefined
  const ours = rights.rules(env, model, 'read')
  const said = new Set(ours ? conditions(unrelated(model, ours)) : [])
  return conditions(throughPath([name], theirs)).every((condition) => said.has(condition))
}

/** The conditions that must all hold, each as text; none for a tree that is always true. */
function conditions(tree: Tree): string[] {
  if (isTrue(tree)) return []
  return tree.type === 'all' ? tree.children.flatMap(conditions) : [JSON.stringify(tree)]
}

function isTrue(tree: Tree): boolean {
  if (tree.type === 'always') return tree.value
  return tree.type === 'anyOf' && tree.children.some(isTrue)
}

/** The same conditions with paths in the place of stored related fields. */
const unrelated = (model: ModelDef, tree: Tree): Tree =>
  eachLeaf(tree, (condition) => {
    const [first, ...rest] = condition.path
    const field = model.fields.get(present(first))
    const path = field?.stored && field.column && !field.options.companyDependent ? field.related : null
    return path ? leaf([...path, ...rest], condition.operator, condition.value) : condition
  })
