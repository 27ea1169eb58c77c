// Subqueries over x2many fields: the ids of the lines, in the order of their model, without what is archived
// or hidden.
import { and, id, idList, join, type Sql, sql } from '../../sql/index.ts'
import { activeDomain, compileDomain, parseDomain } from '../domain/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { contextOf, domainOf, modelFieldOf } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Tree } from '../language/tree.ts'
import { missingRecordsError } from '../rights/judge.ts'
import { ruleOf } from '../row/access.ts'
import { compileOrder } from '../row/order.ts'
import { fromItemOf } from '../row/scope.ts'

/**
 * `SELECT id …` of the field's lines for the row of `scope`; null when the field has no SQL form.
 * Hidden records are left out (spec/wire.md section 9, "x2many values"), archived ones too unless
 * `active_test` is off.
 */
export function linkedIdsSql(scope: Scope, field: FieldDef): Sql | null {
  return linkedRows(scope, field, (lines) => lines.id)
}

/** `SELECT id …` of lines as computed fields see them: rules hide none from any user. */
export function linesOf(scope: Scope, name: string): Sql | null {
  const field = scope.model.fields.get(name)
  return field ? linkedIdsSql(scope.privileged(), field) : null
}

/**
 * As wire JSON of `linkedIds`, of relations kept as links or as a column of their lines: one query gathers
 * the lines of all rows there are, which pays where most of these are asked for; `only`: of which lines. Null
 * for other relations.
 */
export function linkedIdsByRow(scope: Scope, name: string, only?: (lines: Scope) => Sql): Sql | null {
  const field = scope.model.fields.get(name)
  const { comodel, link = null } = field ?? {}
  if (!field || !comodel || field.related || field.compute) return null
  const lines = scope.nested(comodel)
  const back = comodel.fields.get(field.inverse ?? '')
  if (!link && !(back?.kind === 'many2one' && back.column)) return null
  const owner = link ? sql`k.${id(link.column)}` : lines.column(back?.name ?? '')
  const order = join(compileOrder(lines, null, { ruled: true, fixed: link ? undefined : back }))
  const visible = and([lineCondition(lines, field), ...(only ? [only(lines)] : [])])
  const linked = link ? sql` JOIN ${id(link.table)} k ON k.${id(link.other)} = ${lines.id}` : sql``
  const gathered = scope.joinQuery(
    sql`SELECT ${owner} AS owner, array_agg(${lines.id} ORDER BY ${order}) AS ids FROM ${lines.from()}${linked} WHERE ${visible} GROUP BY 1`,
  )
  return sql`COALESCE(array_to_json(${gathered}.ids), '[]'::json)`
}

/** The number of lines of a relation that computed fields see. */
export function lineCount(scope: Scope, name: string): Sql | null {
  const lines = linesOf(scope, name)
  return lines && sql`(SELECT count(*)::int FROM (${lines}) AS x)`
}

/** As `linkedIds`, with other columns of the lines: null when these have no SQL form. */
export function linkedRows(
  scope: Scope,
  field: FieldDef,
  columnsOf: (lines: Scope) => Sql | null,
): Sql | null {
  const comodel = field.comodel
  if (!comodel) return null
  if (field.related) {
    const end = scope.along(field.related)
    return end && linkedRows(end.scope, end.field, columnsOf)
  }
  const lines = scope.nested(comodel)
  const condition = linked(lines, field, scope.id)
  if (!condition) return null
  const fixed = field.link ? undefined : comodel.fields.get(field.inverse ?? '')
  const order = join(compileOrder(lines, null, { ruled: true, fixed }))
  const visible = lineCondition(lines, field)
  const columns = columnsOf(lines)
  return (
    columns &&
    sql`SELECT ${columns} FROM ${lines.from()} WHERE ${and([condition, visible])} ORDER BY ${order}`
  )
}

function linked(lines: Scope, field: FieldDef, owner: Sql): Sql | null {
  if (field.link) {
    const { table, column, other } = field.link
    return sql`${lines.id} IN (SELECT ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ${owner})`
  }
  const back = field.inverse ? lines.model.fields.get(field.inverse) : undefined
  if (field.kind !== 'one2many' || !back || field.compute) return null
  if (back.kind === 'many2one_reference') {
    const by = modelFieldOf(back)
    const of = by ? lines.model.fields.get(by) : undefined
    const value = lines.value(back)
    if (!value || !of) return null
    lines.fixed.set(of.name, field.model.name)
    return sql`(${value} = ${owner} AND ${lines.column(of.name)} = ${field.model.name})`
  }
  const value = lines.value(back)
  return value && sql`${value} = ${owner}`
}

/** The field's own domain, not archived, not hidden by rules. */
export function lineCondition(lines: Scope, field: FieldDef): Sql {
  const { env } = lines
  let tree: Tree = parseDomain(domainOf(field) ?? [])
  if (env.withContext(contextOf(field) ?? {}).activeTest) tree = activeDomain(env, lines.model, tree)
  const condition = compileDomain(lines, tree)
  const rule = ruleOf(lines, lines.model, 'read')
  return rule ? and([condition, rule]) : condition
}

/** Throws MissingError where one of the records is gone. */
export async function assertExisting(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const existingIds = await existing(env, model, ids)
  if (existingIds.length < ids.length) throw missingRecordsError(model, ids, existingIds)
}

export async function existing(env: Environment, model: ModelDef, ids: Ids): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await env.query(
    sql`SELECT "id" FROM ${fromItemOf(model)} AS t WHERE "id" = ANY(${idList(ids)})`,
  )
  const existingIds = new Set(rows.map((row) => row[0]))
  return ids.filter((record) => existingIds.has(record))
}
