// One domain through both readers: the same records or the same refusal, and never an error of PostgreSQL.

import { ServiceError } from '../../src/errors.ts'
import {
  activeDomain,
  compileDomain,
  needsPreparation,
  parseDomain,
  prepareDomain,
} from '../../src/models/domain/index.ts'
import type { Environment } from '../../src/models/index.ts'
import type { ModelDef } from '../../src/models/language/definitions.ts'
import { filterIds } from '../../src/models/read/filter.ts'
import { scopeOver } from '../../src/models/row/scope.ts'
import { and, sql } from '../../src/sql/index.ts'
import type { Case } from './domains.ts'
import type { World } from './facts.ts'
import { judgeOf } from './related.ts'

/** The result of a reader: ids in order, or the error's message. */
type Said = readonly number[] | string

export interface Difference {
  readonly sql: Said
  readonly memory: Said
  /** The result of `filtered`, which loads the values it needs. */
  readonly filtered: Said | null
}

export interface Options {
  /** Ask `filtered` as well. */
  readonly filtering: boolean
  /**
   * Survive errors of PostgreSQL: a savepoint for each statement. Without it the transaction is lost with the
   * first.
   */
  readonly guarded: boolean
}

/**
 * The difference between the readers for a domain over `model`, or null. `filtering`: runs `filtered`
 * as well.
 */
export async function difference(
  env: Environment,
  world: World,
  model: ModelDef,
  { domain, context }: Case,
  options: Options,
): Promise<Difference | null> {
  const guard = <T>(work: () => Promise<T>) => (options.guarded ? env.unit.savepoint(work) : work())
  const inside = env.withContext({ active_test: true, ...context })
  const fromSql = await said(() => guard(() => bySql(inside, model, domain)))
  const fromMemory = await said(() => guard(() => inMemory(inside, model, domain, world)))
  const fromFilter = options.filtering
    ? await said(() =>
        guard(() => filterIds(inside, model, world.all(model), activeTree(inside, model, domain))),
      )
    : null
  const same =
    equal(fromSql, fromMemory) && (fromFilter === null || equal(fromSql, fromFilter)) && !isFault(fromSql)
  return same ? null : { sql: fromSql, memory: fromMemory, filtered: fromFilter }
}

const activeTree = (env: Environment, model: ModelDef, domain: unknown[]) =>
  activeDomain(env, model, parseDomain(domain))

async function bySql(env: Environment, model: ModelDef, domain: unknown[]): Promise<number[]> {
  let tree = activeTree(env, model, domain)
  if (needsPreparation(model, tree)) tree = await prepareDomain(env, model, tree)
  const scope = scopeOver(env, model)
  const where = and([compileDomain(scope, tree)])
  const rows = await env.query(
    sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where} ORDER BY ${scope.id}`,
  )
  return rows.map((row) => row[0] as number)
}

async function inMemory(
  env: Environment,
  model: ModelDef,
  domain: unknown[],
  world: World,
): Promise<number[]> {
  const tree = activeTree(env, model, domain)
  const prepared = needsPreparation(model, tree) ? await prepareDomain(env, model, tree) : tree
  return world.all(model).filter(judgeOf(env, model, prepared, world))
}

async function said(work: () => Promise<readonly number[]>): Promise<Said> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return 'refused'
    return `fault: ${error instanceof Error ? error.message : String(error)}`
  }
}

export const isFault = (said: Said | null): boolean => typeof said === 'string' && said !== 'refused'
const equal = (said: Said, other: Said): boolean => JSON.stringify(said) === JSON.stringify(other)
