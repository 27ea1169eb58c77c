// Checks the chains of sealed records of a database, for administrators at the machine.
import type { Databases } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import type { ChainReport } from '../models/engine.ts'
import { sql } from '../sql/index.ts'

export interface Verified {
  readonly database: string
  readonly ok: boolean
  readonly chains: readonly ChainReport[]
}

/**
 * The answer of `comptoir.chain/verify`. Throws NotFound for a database that does not exist,
 * UserError for one of an older build, which has no chains yet.
 */
export async function verifyDatabase(server: Databases, name: string): Promise<Verified> {
  const database = await server.database(name)
  const answer = await database.system(async (env) => {
    const [row] = await env.query<[boolean]>(sql`SELECT to_regclass('comptoir_chain_link') IS NOT NULL`)
    if (!row?.[0])
      throw new UserError(
        `The database ${name} was made by an older build and has no chains yet: upgrade it with comptoir module upgrade.`,
      )
    return env.model('comptoir.chain').verify()
  })
  return { database: name, ...answer }
}
