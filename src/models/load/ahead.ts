// Looking ahead: what stands behind relations leaves PostgreSQL together with the relations themselves. It
// only fills the cache; whoever walks the path finds it there, or asks for what is missing.
import { idList, join, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Scope } from '../language/scope.ts'
import { variantOf } from '../row/held.ts'
import { scopeOver } from '../row/scope.ts'
import { codeValue, expressionOf } from './expressions.ts'

/** Paths by their steps. */
export interface PathTree {
  [name: string]: PathTree
}

/** Records that are looked behind at once: many lead to the same few. */
const MOST = 200

/** Whether it is worth while to look behind a relation before it is known where it leads. */
export type Leads = (field: FieldDef) => boolean

/**
 * Reads that are under way to fill the cache with what stands behind `fields` of the records, one a relation
 * and level. `leads` is given by whoever reads ahead of a recomputation: tables only, as they are by then.
 */
export function lookBehind(
  env: Environment,
  model: ModelDef,
  ids: ReadonlySet<number>,
  fields: readonly FieldDef[],
  tree: PathTree,
  leads?: Leads,
): Promise<unknown>[] {
  // Reads of users are judged first; what waits to be computed may change where a path leads.
  if (!env.su || (!leads && (env.unit.pending.size > 0 || ids.size > MOST))) return []
  const list = [...ids]
  const reads = fields.flatMap((field) => {
    const below = belowOf(tree, field, leads)
    const these = (scope: Scope) => sql`${scope.id} = ANY(${idList(list)})`
    return below ? readsBehind(env, field, below, these, model, leads) : []
  })
  return reads.map(({ statement, fields: filled }) => fill(env, statement, filled))
}

/** Rows of ids and values of fields. */
interface Read {
  readonly statement: Sql
  readonly fields: readonly FieldDef[]
}

/** Steps behind a relation that leads somewhere; null where there are none. */
function belowOf(tree: PathTree, field: FieldDef, leads: Leads = leadsSurely): PathTree | null {
  const below = tree[field.name]
  return below && Object.keys(below).length && field.comodel?.hasTable && leads(field) ? below : null
}

/**
 * Required many2ones, and lines that go with their record. Others often lead to nothing, and a read in vain
 * costs more than one that comes later.
 */
const leadsSurely: Leads = (field) => {
  const key = field.kind === 'one2many' ? field.comodel?.fields.get(field.inverse ?? '') : field
  return key?.kind === 'many2one' && key.required && (key === field || key.options.ondelete === 'cascade')
}

/** As `leadsSurely`, and links whose target cannot be removed before: what a record is about. */
export const leadsMostly: Leads = (field) =>
  leadsSurely(field) || (field.kind === 'many2one' && field.column && field.options.ondelete === 'restrict')

/** `field` leads from the records of `model` that the condition takes. */
function readsBehind(
  env: Environment,
  field: FieldDef,
  below: PathTree,
  conditionOf: (scope: Scope) => Sql,
  model: ModelDef,
  leads?: Leads,
): Read[] {
  const { comodel } = field
  const from = scopeOver(env, model)
  const link = expressionOf(from, field)
  if (!link || !comodel) return []
  const ids = field.type.relation === 'many' ? sql`unnest(${link})` : link
  const reached = (scope: Scope) =>
    sql`${scope.id} IN (SELECT ${ids} FROM ${from.from()} WHERE ${conditionOf(from)})`
  const scope = scopeOver(env, comodel)
  const fields: FieldDef[] = []
  const expressions: Sql[] = [scope.id]
  for (const name of Object.keys(below)) {
    const field = comodel.fields.get(name)
    // Where something is known of a field, it is likely to be that of these records.
    if (!field || (field.compute && !field.stored) || placeOf(env, field).size) continue
    const expression = scope.tally.apart(() => expressionOf(scope, field))
    if (!expression) continue
    fields.push(field)
    expressions.push(expression)
  }
  if (fields.length === 0) return []
  const statement = sql`SELECT ${join(expressions)} FROM ${scope.from()} WHERE ${reached(scope)}`
  const further = fields.flatMap((next) => {
    const deeper = belowOf(below, next, leads)
    return deeper ? readsBehind(env, next, deeper, reached, comodel, leads) : []
  })
  return [{ statement, fields }, ...further]
}

const placeOf = (env: Environment, field: FieldDef) => env.unit.cache.of(field, variantOf(env, field))

async function fill(env: Environment, statement: Sql, fields: readonly FieldDef[]): Promise<void> {
  for (const [id, ...values] of await env.query<[number]>(statement))
    for (const [i, field] of fields.entries()) {
      const known = placeOf(env, field)
      if (!known.has(id)) known.set(id, codeValue(field, values[i]))
    }
}
