// The way back of a dependency: from changed records to those that depend on them.
import { id, join, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../defs.ts'
import { compileDomain, needsPreparation, prepareDomain } from '../domain/index.ts'
import { searchOf } from '../domain/search-rule.ts'
import { leaf } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { Scope } from '../records/scope.ts'

/** Records of the first step's model from which `path` leads to one of `ids`: one query, whatever the number. */
export async function backwards(env: Environment, path: readonly FieldDef[], ids: readonly number[]): Promise<number[]> {
  let inner = sql`SELECT unnest(${ids}::int[])`
  for (const step of path.toReversed()) {
    const found = before(step, inner) ?? (await searched(env, step, inner))
    if (!found) return everything(env, path[0] as FieldDef)
    inner = found
  }
  return idsOf(env, inner)
}

/** As `backwards` for several paths at once: those that tables know are one statement together. Gives what each reaches, in their order. */
export async function backwardsAll(env: Environment, paths: readonly (readonly FieldDef[])[], ids: readonly number[]): Promise<number[][]> {
  const queries = paths.map((path) => plainly(path, ids))
  const plain = queries.flatMap((query, n) =>
    query ? [sql`SELECT ${raw(String(n))}, r.id FROM (${query}) AS r(id) WHERE r.id IS NOT NULL`] : [],
  )
  const reached: number[][] = paths.map(() => [])
  if (plain.length > 1) {
    const rows = await env.query(sql`SELECT DISTINCT * FROM (${join(plain, ' UNION ALL ')}) AS reached(path, id)`)
    for (const [n, id] of rows as readonly (readonly [number, number])[]) reached[n]?.push(id)
  }
  for (const [n, path] of paths.entries()) {
    if (plain.length > 1 && queries[n]) continue
    reached[n] = await backwards(env, path, ids)
  }
  return reached
}

/** The way back as one query over tables; null when a step stands in none. */
function plainly(path: readonly FieldDef[], ids: readonly number[]): Sql | null {
  let inner: Sql | null = sql`SELECT unnest(${ids}::int[])`
  for (const step of path.toReversed()) inner = inner && before(step, inner)
  return inner
}

async function idsOf(env: Environment, query: Sql): Promise<number[]> {
  const rows = await env.query(sql`SELECT DISTINCT * FROM (${query}) AS reached(id) WHERE id IS NOT NULL`)
  return rows.map((row) => row[0] as number)
}

/** Records whose `step` leads to those of a query, as the tables have it; null when the step stands in none. */
function before(step: FieldDef, inner: Sql): Sql | null {
  if (step.link) return sql`SELECT ${id(step.link.column)} FROM ${id(step.link.table)} WHERE ${id(step.link.other)} IN (${inner})`
  if (step.kind === 'many2one' && step.column && !step.options.companyDependent)
    return sql`SELECT "id" FROM ${id(step.model.table)} WHERE ${id(step.name)} IN (${inner})`
  if (step.kind === 'many2one' && step.column) {
    const linked = sql`SELECT 1 FROM jsonb_each_text(t.${id(step.name)}) AS e WHERE e.value::int IN (${inner})`
    return sql`SELECT t."id" FROM ${id(step.model.table)} AS t WHERE EXISTS (${linked})`
  }
  const back = step.kind === 'one2many' && !step.compute ? step.comodel?.fields.get(step.inverse as string) : undefined
  if (!back?.column) return null
  const of = back.options.modelField ? sql` AND ${id(back.options.modelField)} = ${step.model.name}` : sql``
  return sql`SELECT ${id(back.name)} FROM ${id(back.model.table)} WHERE "id" IN (${inner}) AND ${id(back.name)} IS NOT NULL${of}`
}

/** The same through the search rule of a computed relation, or a way back that stands in another table; null when there is neither. */
async function searched(env: Environment, step: FieldDef, inner: Sql): Promise<Sql | null> {
  const through = step.kind === 'one2many' && !step.compute && !step.related
  if (!searchOf(step) && !through) return null
  const ids = await idsOf(env, inner)
  const all = env.sudo().withContext({ active_test: false })
  const condition = leaf([step.name], 'in', ids)
  const tree = needsPreparation(step.model, condition) ? await prepareDomain(all, step.model, condition) : condition
  const scope = Scope.over(all, step.model, 'back')
  const where = compileDomain(scope, tree)
  return sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}`
}

/** A relation that only code knows could come from anywhere. */
async function everything(env: Environment, first: FieldDef): Promise<number[]> {
  const rows = await env.query(sql`SELECT "id" FROM ${id(first.model.table)}`)
  return rows.map((row) => row[0] as number)
}
