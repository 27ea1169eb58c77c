// Checks the chains of sealed records of a database, for administrators at the machine.
import type { Databases } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import type { ChainReport } from '../models/engine.ts'
import type { Environment } from '../models/index.ts'
import { sql } from '../sql/index.ts'

export interface Verified {
  readonly database: string
  readonly ok: boolean
  readonly chains: readonly ChainReport[]
}

/**
 * The answers of `comptoir.chain/verify`, portion by portion, as one. Throws NotFound for a database that
 * does not exist, UserError for one of an older build, which has no chains yet.
 */
export async function verifyDatabase(server: Databases, name: string): Promise<Verified> {
  const database = await server.database(name)
  const chains: ChainReport[] = []
  // A transaction for each portion: none is open for as long as all of it takes.
  for (let after: string | null = null; ; ) {
    const { ok, chains: checked, next } = await database.system((env) => portion(env, name, after))
    chains.push(...checked)
    if (!next) return { database: name, ok, chains }
    after = next
  }
}

async function portion(env: Environment, name: string, after: string | null) {
  const [row] = await env.query<[boolean]>(sql`SELECT to_regclass('comptoir_chain_link') IS NOT NULL`)
  if (!row?.[0])
    throw new UserError(
      `The database ${name} was created by an older build and has no chains yet: run comptoir module upgrade.`,
    )
  return env.model('comptoir.chain').verify({ after })
}
