// Conditions on relations: ids, names, unset, and sub-domains, always as semi-joins.

import {
  and,
  decisive,
  FALSE,
  id as identifier,
  literal,
  not,
  ofFew,
  or,
  raw,
  type Sql,
  sql,
  TRUE,
} from '../../sql/index.ts'
import type { FieldDef, Ids, RelationDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne, modelFieldOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { always, leaf as condition, type Leaf, type Tree } from '../language/tree.ts'
import { assertModel } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import { expressionOf, placeOf } from './field-sql.ts'
import { readInteger } from './number.ts'
import {
  type Definite,
  invalidCondition,
  isLimit,
  isPattern,
  type Limit,
  operandsOf,
  operators,
} from './operators.ts'
import { parseDomain } from './parse.ts'
import { activeLines, namedAs } from './search-rule.ts'
import { anyValue, isIndexed, LONG, oneOf, whenSet } from './text.ts'

/** A condition on a related record: on its id alone, or on its row. */
type Test =
  | { readonly id: (id: Sql) => Sql; readonly compared?: boolean }
  | { readonly row: (lines: Scope) => Sql }

/** many2one, one2many and many2many under every operator but the hierarchical ones. */
export function compareRelation(scope: Scope, field: RelationDef, operator: Definite, leaf: Leaf): Sql {
  if (operator === 'any') return related(scope, field, leaf.value as Tree, leaf)
  if (isPattern(operator)) {
    if (leaf.value !== '' && leaf.value !== false)
      return related(scope, field, condition(['display_name'], operator, leaf.value), leaf)
    const set = isSet(scope, field, leaf)
    return operators[operator].isWhole ? not(set) : set
  }
  if (isLimit(operator)) return ordered(scope, field, operator, leaf)
  const values = operandsOf(operator, leaf.value)
  const ids: number[] = []
  const names: string[] = []
  for (const value of values) {
    if (typeof value === 'number') {
      if (Number.isInteger(value) && Math.abs(value) <= 2147483647) ids.push(value)
    } else if (typeof value === 'string') names.push(value)
    else if (value !== false) throw invalidCondition(leaf, 'ids, names or false are expected on the right')
  }
  return or([
    ids.length ? hasId(scope, field, ids, leaf) : FALSE,
    names.length ? related(scope, field, namedAs(names), leaf) : FALSE,
    values.includes(false) ? not(isSet(scope, field, leaf)) : FALSE,
  ])
}

/** That a related record, one that the user sees, satisfies the sub-domain. */
export function related(scope: Scope, field: RelationDef, tree: Tree, leaf: Leaf): Sql {
  const { comodel } = field
  if (!leadsToOne(field)) {
    const env = scope.env.withContext(field.options.context ?? {})
    assertModel(env, comodel, 'read')
    return reach(scope, field, leaf, { row: (lines) => seen(lines, activeLines(env, comodel, tree)) })
  }
  const value = expressionOf(scope, field, leaf)
  assertModel(scope.env, comodel, 'read')
  const target = scope.nested(comodel)
  const where = seen(target, tree)
  if (where === FALSE) return FALSE
  if (where === TRUE) return sql`${value} IS NOT NULL`
  return whenSet(value, sql`${value} IN (SELECT ${target.id} FROM ${target.from()} WHERE ${where})`)
}

export function seen(scope: Scope, tree: Tree): Sql {
  return and([
    scope.env.unit.registry.engine.condition(scope, tree),
    ruleOf(scope, scope.model, 'read') ?? TRUE,
  ])
}

/** Lines that rules hide are in no x2many, for conditions on their ids as for reading. */
const visible = (lines: Scope): Sql => ruleOf(lines, lines.model, 'read') ?? TRUE

/**
 * Archived lines are in no one2many that ids are compared with, unless its fixed domain speaks of them; links
 * of a many2many count as they stand.
 */
function unarchived(lines: Scope, field: RelationDef): Sql {
  const fieldDomain = fixedDomain(field)
  if (activeLines(lines.env, lines.model, fieldDomain) === fieldDomain) return TRUE
  // The user's rights on the field do not matter: it is not the user who asks about it.
  return lines.env.unit.registry.engine.condition(
    lines.privileged(),
    activeLines(lines.env, lines.model, always(true)),
  )
}

function hasId(scope: Scope, field: FieldDef, ids: Ids, leaf: Leaf): Sql {
  if (leadsToOne(field)) {
    const value = expressionOf(scope, field, leaf)
    if (field.comodel?.name === 'res.company' && ids.length <= LONG) return ofCompanies(value, ids)
    return areDecisive(scope, field, ids)
      ? whenSet(value, decisiveIds(value, ids))
      : oneOf(value, ids, 'int', isIndexed(field))
  }
  const test = areDecisive(scope, field, ids)
    ? (line: Sql) => decisiveIds(line, ids)
    : (line: Sql) => anyValue(line, ids, 'int', true)
  return reach(scope, field, leaf, { id: test, compared: true })
}

/**
 * Of few records, such as countries and tags, one may be that of half the rows and another that of ten: over
 * very many rows PostgreSQL shall know which it is.
 */
const areDecisive = ({ env, model }: Scope, { comodel }: FieldDef, ids: Ids): boolean =>
  comodel?.options.dictionary === true && env.unit.registry.large.has(model.table) && ids.length <= LONG

const decisiveIds = (value: Sql, ids: Ids): Sql =>
  ids.length > 1 ? sql`${value} = ANY(${decisive(ids)}::int[])` : sql`${value} = ${decisive(ids[0])}::int`

/** In rules, where companies mostly stand, the plan shall know which: one may have all records but a few. */
function ofCompanies(value: Sql, ids: Ids): Sql {
  const [first = 0, ...more] = ids
  return whenSet(
    value,
    more.length ? sql`${value} = ANY(${ofFew(ids)}::int[])` : sql`${value} = ${ofFew(first)}::int`,
  )
}

function isSet(scope: Scope, field: FieldDef, leaf: Leaf): Sql {
  if (leadsToOne(field)) return sql`${expressionOf(scope, field, leaf)} IS NOT NULL`
  return reach(scope, field, leaf, { id: () => TRUE })
}

function ordered(scope: Scope, field: FieldDef, operator: Limit, leaf: Leaf): Sql {
  if (!leadsToOne(field) || typeof leaf.value === 'string')
    throw invalidCondition(leaf, 'relational fields cannot be compared by order')
  if (leaf.value === false) return FALSE
  const value = expressionOf(scope, field, leaf)
  return whenSet(
    value,
    sql`${value} ${raw(operators[operator].sql)} ${readInteger(leaf.value, leaf)}::numeric`,
  )
}

/** That an x2many has a line that passes the test. The field's own fixed domain holds for every line. */
export function reach(scope: Scope, from: FieldDef, leaf: Leaf, test: Test): Sql {
  const place = placeOf(scope, from, leaf)
  const { field } = place
  if (!field.comodel) throw invalidCondition(leaf, 'the field is not a relational field')
  const owners = field.link
    ? linkOwners(place.scope, field, leaf, test)
    : inverseOwners(place.scope, field, leaf, test)
  if (!owners) return FALSE
  const isOwner = sql`${place.scope.id} IN (${owners})`
  return place.joined ? whenSet(place.scope.id, isOwner) : sql`(${isOwner})`
}

function linkOwners(scope: Scope, field: RelationDef, leaf: Leaf, test: Test): Sql | null {
  if (!field.stored || !field.link)
    throw invalidCondition(leaf, 'the field is not stored and cannot be searched')
  const lines = linesOf(scope, field)
  const link = `${lines.alias}_link`
  const [owner, other] = [identifier(link, field.link.column), identifier(link, field.link.other)]
  const lineCondition = ownCondition(lines, field)
  const row = and(['row' in test ? test.row(lines) : visible(lines), lineCondition])
  if (row === FALSE) return null
  const where = and([
    'id' in test ? test.id(other) : TRUE,
    row === TRUE ? TRUE : sql`${other} IN (SELECT ${lines.id} FROM ${lines.from()} WHERE ${row})`,
  ])
  const from = sql`SELECT ${owner} FROM ${identifier(field.link.table)} ${identifier(link)}`
  return where === TRUE ? from : sql`${from} WHERE ${where}`
}

function inverseOwners(scope: Scope, field: RelationDef, leaf: Leaf, test: Test): Sql | null {
  const lines = linesOf(scope, field)
  const back = field.stored && field.inverse ? lines.model.fields.get(field.inverse) : undefined
  const value = back && lines.value(back)
  if (!back || !value) throw invalidCondition(leaf, 'the field is not stored and cannot be searched')
  const type = modelFieldOf(back)
  const where = and([
    'id' in test
      ? and([test.id(lines.id), visible(lines), test.compared ? unarchived(lines, field) : TRUE])
      : test.row(lines),
    ownCondition(lines, field),
    type ? sql`${lines.column(type)} = ${literal(field.model.name)}` : TRUE,
    sql`${value} IS NOT NULL`,
  ])
  return where === FALSE ? null : sql`SELECT ${value} FROM ${lines.from()} WHERE ${where}`
}

function linesOf(scope: Scope, field: RelationDef): Scope {
  const env: Environment = field.options.context ? scope.env.withContext(field.options.context) : scope.env
  return scope.nested(field.comodel, env)
}

/** The fixed domain is the declaration's, not the user's: rights on its fields do not matter. */
function ownCondition(lines: Scope, field: RelationDef): Sql {
  const tree = fixedDomain(field)
  return tree.type === 'always' && tree.value
    ? TRUE
    : lines.env.unit.registry.engine.condition(lines.privileged(), tree)
}

export const fixedDomain = (field: RelationDef): Tree =>
  field.options.domain ? parseDomain(field.options.domain) : always(true)
