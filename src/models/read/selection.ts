// The columns of rows in wire JSON: PostgreSQL renders each field, and relations as ids, as names, or
// with their records.

import { InvalidValue } from '../../errors.ts'
import { isNoObject } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import { id, join, literal, MOST_MEMBERS, raw, type Sql, sql } from '../../sql/index.ts'
import { unsetIn } from '../kinds/shared.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { wantsSize } from '../load/binaries.ts'
import { linkedIdsSql, linkedRows } from '../load/links.ts'
import { fieldNamed, mayField } from '../rights/judge.ts'
import { fieldsShape } from '../row/plans.ts'

/** The value of `load` that returns a many2one as `[id, display name]`; others return the bare id. */
export const CLASSIC = '_classic_read'

/** Fields by names from outside, each once, `id` left out; none named: every field the user may read. */
export function readableFields(env: Environment, model: ModelDef, names: unknown): FieldDef[] {
  if (isNoObject(names)) {
    return [...model.fields.values()].filter((f) => f.name !== 'id' && !f.options.hidden && mayField(env, f))
  }
  if (!Array.isArray(names))
    throw new InvalidValue(`fields must be a list of field names, not ${shown(names)}`)
  assertWithin('fields', names.length)
  const fields = new Set<FieldDef>()
  for (const name of names) fields.add(fieldNamed(env, model, name))
  return [...fields].filter((field) => field.name !== 'id')
}

export interface Expanded {
  readonly fields: readonly FieldDef[]
  readonly form: Form
}

/** The JSON of a field for the row of a scope; null where the field is given as its kind does. */
export type Written = (scope: Scope) => Sql | null

export interface Form {
  /** Whether many2ones are pairs of id and name. */
  readonly named: boolean
  readonly expanded: ReadonlyMap<FieldDef, Expanded>
  /** The typed form of values; null for the documented form. */
  readonly typed: Typed | null
  /** Fields that are written in a way of their own; plans are kept of no such form. */
  readonly written?: ReadonlyMap<FieldDef, Written>
}

const NAMED: Form = { named: true, expanded: new Map(), typed: null }
const BARE: Form = { named: false, expanded: new Map(), typed: null }

export function answerFormOf(load: unknown, typed: Typed | null = null): Form {
  const form = load === CLASSIC ? NAMED : BARE
  return typed ? { ...form, typed } : form
}

/** All of a form that the text of a statement follows from. */
export function formShape({ named, expanded, typed }: Form): string {
  const how = typed ? `${named} typed ${typed.zone} ${typed.decimal}` : String(named)
  if (expanded.size === 0) return how
  const parts = [...expanded].map(
    ([field, { fields, form }]) => `${field.name}(${fieldsShape(fields)} ${formShape(form)})`,
  )
  return `${how} ${parts.join()}`
}

export interface Left {
  /** Fields that code must fill in; null holds their place. */
  readonly slow: readonly FieldDef[]
  /** Relations that PostgreSQL cannot expand: they are given as bare ids. */
  readonly bare: readonly FieldDef[]
}

export interface Selection extends Left {
  /** `"alias".id, … AS "name"`. */
  readonly columns: Sql
}

export function select(scope: Scope, fields: readonly FieldDef[], form: Form): Selection {
  const { members, ...left } = membersOf(scope, fields, form)
  const columns = members.map(([name, json]) => sql`${json ?? raw('NULL::json')} AS ${id(name)}`)
  return { columns: join([scope.id, ...columns]), ...left }
}

/** Pieces of text that a function of PostgreSQL takes at a time. */
const PIECES = 96

/** A row as one text of wire JSON: of many rows with many columns half the work of a record's. */
export function selectText(
  scope: Scope,
  fields: readonly FieldDef[],
  form: Form,
): Left & { readonly text: Sql } {
  const { members, ...left } = membersOf(scope, fields, form)
  const pieces = [
    sql`'{"id":'`,
    scope.id,
    ...members.flatMap(([name, json]) => [
      literal(`,${JSON.stringify(name)}:`),
      json ? sql`COALESCE(${json}, 'null'::json)` : raw("'null'"),
    ]),
    sql`'}'`,
  ]
  const texts: Sql[] = []
  for (let at = 0; at < pieces.length; at += PIECES)
    texts.push(sql`concat(${join(pieces.slice(at, at + PIECES))})`)
  return { text: join(texts, ' || '), ...left }
}

function membersOf(
  scope: Scope,
  fields: readonly FieldDef[],
  form: Form,
): Left & { readonly members: readonly (readonly [name: string, json: Sql | null])[] } {
  const slow: FieldDef[] = []
  const bare: FieldDef[] = []
  const members = fields.map((field): [string, Sql | null] => {
    const expanded = form.expanded.get(field)
    const whole = expanded ? scope.cost.countedApart(() => expandedJson(scope, field, expanded)) : null
    if (expanded && !whole) bare.push(field)
    const expression = whole ?? scope.cost.countedApart(() => jsonOf(scope, field, form))
    if (!expression) slow.push(field)
    return [field.name, expression]
  })
  return { members, slow, bare }
}

/** The wire JSON of a field, many2ones with their names where `named`; null where that takes code. */
export function jsonOf(scope: Scope, field: FieldDef, { named, typed, written }: Form): Sql | null {
  const special = written?.get(field)?.(scope)
  if (special) return special
  if (wantsSize(scope.env, field)) return null
  if (leadsToMany(field)) {
    const links = linkedIdsSql(scope, field)
    return links && sql`array_to_json(ARRAY(${links}))`
  }
  // Its record's name takes a look at one of several models.
  if (typed && named && field.type.typedAs === 'reference') return null
  if (!leadsToOne(field) || !named) return scope.json(field, typed)
  const value = scope.value(field)
  return value && orUnset(field, value, namedJson(value, scope.join(field), typed), typed)
}

/** The JSON of the record that a many2one leads to, or that of unset. */
const orUnset = (field: FieldDef, value: Sql, json: Sql | null, typed: Typed | null): Sql | null =>
  json &&
  sql`CASE WHEN ${value} IS NULL THEN ${raw(`'${JSON.stringify(unsetIn(field, typed))}'::json`)} ELSE ${json} END`

/** A record by its id, with its name; null where that takes code. */
export function namedJson(id: Sql, target: Scope, typed: Typed | null): Sql | null {
  const name = target.displayName()
  if (name && typed) return sql`json_build_object('id', ${id}, 'display_name', ${name})`
  return name && sql`json_build_array(${id}, COALESCE(to_json(${name}), 'false'::json))`
}

/** A record by its id, with its fields; null where more than its row is needed. */
export function objectJson(id: Sql, target: Scope, { fields, form }: Expanded): Sql | null {
  if (fields.length >= MOST_MEMBERS || form.named) return null
  const members: Sql[] = []
  for (const field of fields) {
    const takesMore = form.expanded.has(field) || leadsToMany(field) || wantsSize(target.env, field)
    const json = takesMore ? null : target.json(field, form.typed)
    if (!json) return null
    members.push(sql`, ${literal(field.name)}, ${json}`)
  }
  return sql`json_build_object('id', ${id}${join(members, '')})`
}

/** The records that a relation leads to, each with its fields; null where that takes code. */
export function expandedJson(scope: Scope, field: FieldDef, expanded: Expanded): Sql | null {
  const { fields, form } = expanded
  if (leadsToOne(field)) {
    const value = scope.value(field)
    if (!value) return null
    return orUnset(field, value, objectJson(value, scope.join(field).privileged(), expanded), form.typed)
  }
  const rows = linkedRows(scope, field, (lines) => {
    const { columns, slow, bare } = select(lines, fields, form)
    return slow.length || bare.length ? null : columns
  })
  return rows && sql`COALESCE((SELECT json_agg(x) FROM (${rows}) AS x), '[]'::json)`
}
