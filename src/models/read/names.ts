// Records with their display names, as lists of choices show them.
import { raw, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { type Asked, planFor, planned, statementOf } from '../row/plans.ts'
import { askedAbout, countIn } from './known.ts'
import { searchPlan, windowOf, windowShape } from './search.ts'

/** Whether the statement brings the names: those that take code are loaded behind it. */
type Named = boolean

/** The parameters of `name_search` as a key and values; null where they are not in their common form. */
export function askedNames(env: Environment, model: ModelDef, params: Record<string, unknown>): Asked | null {
  const { name, operator, domain } = params
  const limit = countIn(params.limit)
  if (limit === null || (domain !== null && !Array.isArray(domain))) return null
  return askedAbout(
    env,
    model,
    [['display_name', operator, name], ...(domain ?? [])],
    `name_search [${limit}]`,
  )
}

/** The answer to a search by name that is known; null for others. */
export async function knownNames(env: Environment, asked: Asked): Promise<[number, unknown][] | null> {
  const plan = planFor<Named>(asked)
  return plan?.rest ? namesIn(await env.unit.run(statementOf(plan, asked.values), true)) : null
}

/**
 * Pairs of id and display name, in one statement where the name has an SQL form. Names are told of every
 * record that is found, whoever asks. `asked`: what it will be known by.
 */
export async function searchNames(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  options: SearchOptions,
  asked: Asked | null = null,
): Promise<[number, unknown][]> {
  const query = await searchPlan(env, model, domain, options)
  const shape = query.shape && `name_search ${query.shape} ${windowShape(options)}`
  const make = (marked: boolean) => {
    const { scope, where } = query.compile(marked)
    const window = windowOf(scope, options)
    const name = scope.privileged().displayName()
    return {
      statement: sql`SELECT ${scope.id}, ${name ?? raw('NULL')} FROM ${scope.from()} WHERE ${where}${window}`,
      rest: name !== null,
    }
  }
  const { statement, rest } = planned<Named>(env, shape, query.values, make, asked)
  const rows = await env.unit.run<[number, unknown]>(statement, rest)
  if (rest) return namesIn(rows)
  const ids = rows.map(([id]) => id)
  const records = await loadPaths(env.sudo(), model, ids, ['display_name'])
  return records.map((record) => [record.id, record.display_name ?? false])
}

const namesIn = (rows: readonly (readonly unknown[])[]): [number, unknown][] =>
  rows.map(([id, name]) => [id as number, name ?? false])
