// Reverse dependencies: from changed records to the records that depend on them.

import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { id, idList, join, raw, type Sql, type Statement, sql } from '../../sql/index.ts'
import { compileDomain, needsPreparation, prepareDomain } from '../domain/index.ts'
import type { FieldDef, Ids } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { domainOf, leadsToOne, modelFieldOf } from '../language/field-options.ts'
import { leaf } from '../language/tree.ts'
import { isUnlinked } from '../load/columns.ts'
import { reachOf } from '../load/reach.ts'
import { variantOf } from '../row/cache-key.ts'
import { aboutRecords, aboutValues } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'

/** Records of the first step's model from which `path` leads to one of `ids`, by one query. */
export async function backwards(env: Environment, path: readonly FieldDef[], ids: Ids): Promise<number[]> {
  const start = cachedOwners(env, path, ids)
  if (start.path.length === 0 || start.ids.length === 0) return [...start.ids]
  if (isPlain(start)) {
    const shape = `back ${nameOf(start.path)}`
    const query = (some: Sql) => distinctOf(leadingTo(start.path, sql`SELECT unnest(${some})`))
    return idsBy(env, aboutRecords(env, shape, start.ids, query))
  }
  let inner = sql`SELECT unnest(${idList(start.ids)})`
  for (const step of start.path.toReversed()) {
    const owners = before(step, inner) ?? (await searched(env, step, inner))
    if (!owners) return everything(env, present(path[0]))
    inner = owners
  }
  return idsOf(env, inner)
}

/**
 * As `backwards` for several paths at once: cached steps need no query, and all paths that are stored in
 * tables share one statement. Returns the records that each path reaches, in the order of the paths.
 */
export async function backwardsAll(
  env: Environment,
  paths: readonly (readonly FieldDef[])[],
  ids: Ids,
): Promise<number[][]> {
  const ways = paths.map((path) => cachedOwners(env, path, ids))
  const plain = [...ways.keys()].filter((n) => isPlain(present(ways[n])))
  const together = new Map(plain.length > 1 ? plain.map((n) => [n, present(ways[n])]) : [])
  const reached: number[][] = paths.map(() => [])
  if (together.size)
    for (const [n, id] of await env.unit.run<[number, number]>(togetherBack(env, together)))
      reached[n]?.push(id)
  for (const [n, way] of ways.entries())
    if (!together.has(n)) reached[n] = await backwards(env, way.path, way.ids)
  return reached
}

/** One statement for several paths: its rows are the number of a path and a reached record. */
function togetherBack(env: Environment, ways: ReadonlyMap<number, Way>): Statement {
  const all = [...ways]
  const shape = `back together ${all.map(([n, { path }]) => `${n} ${nameOf(path)}`).join()}`
  const lists = all.map(([, { ids }]) => ids)
  return aboutValues(env, shape, lists, (slots) => {
    const queries = all.map(([n, { path }], i) => {
      const query = leadingTo(path, sql`SELECT unnest(${idList(present(slots[i]))})`)
      return sql`SELECT ${raw(String(n))}, r.id FROM (${query}) AS r(id) WHERE r.id IS NOT NULL`
    })
    return sql`SELECT DISTINCT * FROM (${join(queries, ' UNION ALL ')}) AS reached(path, id)`
  })
}

const nameOf = (path: readonly FieldDef[]): string =>
  path.map((step) => `${step.model.name}.${step.name}`).join('/')

interface Way {
  readonly path: readonly FieldDef[]
  readonly ids: Ids
}

/** Follows last steps of a path without a query, where the cache has owners or lines of the records. */
function cachedOwners(env: Environment, path: readonly FieldDef[], ids: Ids): Way {
  const step = path.at(-1)
  const before =
    step &&
    (ownersOf(env, step, ids) ?? linesOf(env, step, ids) ?? (isUnlinked(env, step, ids) ? NOBODY : null))
  return before ? cachedOwners(env, path.slice(0, -1), before) : { path, ids }
}

/** The owners of records as lines; null where the step leads to no lines, or an owner is not cached. */
function ownersOf(env: Environment, step: FieldDef, ids: Ids): Ids | null {
  const back =
    step.kind === 'one2many' && !step.compute && !step.related
      ? step.comodel.fields.get(step.inverse)
      : undefined
  if (back?.kind !== 'many2one' || !back.column || back.options.companyDependent) return null
  const ownerById = env.unit.cache.of(back, '')
  const owners = new Set<number>()
  for (const line of ids) {
    const owner = ownerById.get(line)
    if (owner === undefined) return null
    if (owner !== null) owners.add(owner as number)
  }
  return [...owners]
}

/** Records whose many2one leads to these; null where the list of one of them is not cached. */
function linesOf(env: Environment, step: FieldDef, ids: Ids): Ids | null {
  if (step.kind !== 'many2one' || !step.column || step.options.companyDependent) return null
  const su = env.sudo()
  for (const list of wholeLists(step)) {
    const linesById = env.unit.cache.of(list, variantOf(su, list))
    if (!ids.every((id) => linesById.has(id))) continue
    return [...new Set(ids.flatMap((id) => linesById.get(id) as Ids))]
  }
  return null
}

const NOBODY: Ids = []

/** Lists of all lines that lead to a record by a many2one, with none left out. */
export const wholeLists = oncePer(({ model, name, comodel }: FieldDef): readonly FieldDef[] =>
  model.active
    ? []
    : [...(comodel?.fields.values() ?? [])].filter(
        (field) =>
          field.kind === 'one2many' &&
          field.comodel === model &&
          field.inverse === name &&
          !field.compute &&
          !field.related &&
          !domainOf(field)?.length &&
          reachOf(field) !== null,
      ),
)

/** Whether a query is needed, and tables store every step. */
const isPlain = ({ path, ids }: Way): boolean => path.length > 0 && ids.length > 0 && path.every(isKept)

function isKept(step: FieldDef): boolean {
  if (step.link) return true
  if (leadsToOne(step)) return step.column
  return step.kind === 'one2many' && !step.compute && step.comodel.fields.get(step.inverse)?.column === true
}

const leadingTo = (path: readonly FieldDef[], ids: Sql): Sql =>
  path.reduceRight((inner, step) => present(before(step, inner)), ids)

const distinctOf = (query: Sql): Sql =>
  sql`SELECT DISTINCT * FROM (${query}) AS reached(id) WHERE id IS NOT NULL`

const idsOf = (env: Environment, query: Sql): Promise<number[]> => idsBy(env, distinctOf(query).compile())

async function idsBy(env: Environment, statement: Statement): Promise<number[]> {
  const rows = await env.unit.run<[number]>(statement)
  return rows.map((row) => row[0])
}

/** Records whose `step` leads to those of a query; null when no table stores the step. */
function before(step: FieldDef, inner: Sql): Sql | null {
  if (step.link)
    return sql`SELECT ${id(step.link.column)} FROM ${id(step.link.table)} WHERE ${id(step.link.other)} IN (${inner})`
  if (leadsToOne(step) && step.column && !step.options.companyDependent)
    return sql`SELECT "id" FROM ${id(step.model.table)} WHERE ${id(step.name)} IN (${inner})`
  if (leadsToOne(step) && step.column) {
    const linked = sql`SELECT 1 FROM jsonb_each_text(t.${id(step.name)}) AS e WHERE e.value::int IN (${inner})`
    return sql`SELECT t."id" FROM ${id(step.model.table)} AS t WHERE EXISTS (${linked})`
  }
  const back = step.kind === 'one2many' && !step.compute ? step.comodel.fields.get(step.inverse) : undefined
  if (!back?.column) return null
  const by = modelFieldOf(back)
  const of = by ? sql` AND ${id(by)} = ${step.model.name}` : sql``
  return sql`SELECT ${id(back.name)} FROM ${id(back.model.table)} WHERE "id" IN (${inner}) AND ${id(back.name)} IS NOT NULL${of}`
}

/** By the search rule of a computed relation, or its inverse in another table; null without either. */
async function searched(env: Environment, step: FieldDef, inner: Sql): Promise<Sql | null> {
  const through = step.kind === 'one2many' && !step.compute && !step.related
  if (!step.search && !through) return null
  const ids = await idsOf(env, inner)
  const all = env.sudo().withContext({ active_test: false })
  const condition = leaf([step.name], 'in', ids)
  const tree = needsPreparation(step.model, condition)
    ? await prepareDomain(all, step.model, condition)
    : condition
  const scope = scopeOver(all, step.model, 'back')
  const where = compileDomain(scope, tree)
  return sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}`
}

/** A relation that only code computes may depend on any record. */
async function everything(env: Environment, first: FieldDef): Promise<number[]> {
  const rows = await env.query<[number]>(sql`SELECT "id" FROM ${id(first.model.table)}`)
  return rows.map((row) => row[0])
}
