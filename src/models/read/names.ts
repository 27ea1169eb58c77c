// Records with their display names: `name_search`.
import { InvalidValue } from '../../errors.ts'
import { isNothing } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import { raw, sql } from '../../sql/index.ts'
import { parseDomain } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { all, type Tree } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { cachedPlan, type Planned, planned, type RequestKey } from '../row/plans.ts'
import { countIn, domainKey } from './request-keys.ts'
import { searchPlan, windowOf, windowShape } from './search.ts'

/** Whether the statement returns the names; names that need code are loaded after it. */
type Named = boolean

/** Pairs of id and display name. Callers see the name of every record that is found, whatever its rules. */
export async function searchNames(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
): Promise<[number, unknown][]> {
  const request = namesKey(env, model, params)
  const { statement, rest } = cachedPlan<Named>(request) ?? (await namesPlan(env, model, params, request))
  const rows = await env.unit.run<[number, unknown]>(statement, rest)
  if (rest) return rows.map(([id, name]) => [id, name ?? false])
  const ids = rows.map(([id]) => id)
  const records = await loadPaths(env.sudo(), model, ids, ['display_name'])
  return records.map((record) => [record.id, record.display_name ?? false])
}

function namesKey(env: Environment, model: ModelDef, params: Record<string, unknown>): RequestKey | null {
  const { name, operator, domain } = params
  const limit = countIn(params.limit)
  if (limit === null || (domain !== null && !Array.isArray(domain))) return null
  return domainKey(
    env,
    model,
    [['display_name', operator, name], ...(domain ?? [])],
    `name_search [${limit}]`,
  )
}

async function namesPlan(
  env: Environment,
  model: ModelDef,
  { name, operator, domain, limit }: Record<string, unknown>,
  request: RequestKey | null,
): Promise<Planned<Named>> {
  const options = { limit: limit as number | null }
  const query = await searchPlan(env, model, namedDomain(name, operator, domain ?? []), options)
  const shape = query.shape && `name_search ${query.shape} ${windowShape(options)}`
  const make = (marked: boolean) => {
    const { scope, where } = query.compile(marked)
    const name = scope.privileged().displayName()
    // Before the rows are listed: an order by fields of other models joins them.
    const window = windowOf(scope, options)
    return {
      statement: sql`SELECT ${scope.id}, ${name ?? raw('NULL')} FROM ${scope.from()} WHERE ${where}${window}`,
      rest: name !== null,
    }
  }
  return planned<Named>(env, shape, query.values, make, request)
}

function namedDomain(name: unknown, comparison: unknown, domain: unknown): Tree {
  const operator = isNothing(comparison) ? 'ilike' : comparison
  if (typeof operator !== 'string') throw new InvalidValue(`Invalid operator ${shown(operator)}`)
  const rest = parseDomain(domain)
  const empty = name === '' || name === false || name === null
  const condition = parseDomain([['display_name', operator, empty ? '' : name]])
  return empty && operator.endsWith('like') && !operator.startsWith('not') ? rest : all([condition, rest])
}
