// Records with their display names, as lists of choices show them.
import { sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import { loadPaths } from '../load/load.ts'
import { searchIds, searchQuery, windowOf } from './search.ts'

/**
 * Pairs of id and display name, in one statement where the name has an SQL form. Names are told of every
 * record that is found, whoever asks.
 */
export async function searchNames(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  options: SearchOptions,
): Promise<[number, unknown][]> {
  const { scope, where } = await searchQuery(env, model, domain)
  const window = windowOf(scope, options)
  const name = scope.privileged().displayName()
  if (name) {
    const rows = await env.query<[number, unknown]>(
      sql`SELECT ${scope.id}, ${name} FROM ${scope.from()} WHERE ${where}${window}`,
      true,
    )
    return rows.map((row) => [row[0], row[1] ?? false])
  }
  const ids = await searchIds(env, model, domain, options)
  const records = await loadPaths(env.sudo(), model, ids, ['display_name'])
  return records.map((record) => [record.id, record.display_name ?? false])
}
