// The role that runs the statements of a backup: it owns only the objects that it creates in the new
// database, reaches no other database, and may neither read nor write files, start programs, or create roles.
// Its objects then go to the role of the server.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type ConnectionOptions, forMaintenance, type Login, type ServerAddress } from './address.ts'
import { Connection } from './connection.ts'
import { sqlState } from './errors.ts'

/** Surroundings of a restore. */
export interface Ground {
  /** Connection options of the server's own role. */
  readonly pool: ConnectionOptions
  /** The role that the server has for restores; null: it has none. */
  readonly restorer: Login | null
}

const IS_SUPERUSER = 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user'

/** Prefix of roles that are created for one restore each, if the server's own role is a superuser. */
const MADE = 'comptoir_restore_'

/**
 * Runs `work` with the address of the staging database for the role of restores, and gives its objects to the
 * server's role. On an external server whose role is not a superuser, that role is used itself: it has no
 * rights outside of its databases either.
 */
export async function withRestoreRole(
  ground: Ground,
  draft: string,
  work: (address: ConnectionOptions) => Promise<void>,
): Promise<void> {
  const serverOptions: ConnectionOptions = { ...ground.pool, database: draft }
  if (ground.restorer) return lent(serverOptions, ground.restorer, work)
  const isSuperuser = await within(serverOptions, (connection) => connection.query(IS_SUPERUSER))
  if (isSuperuser[0]?.[0] !== true) return work(serverOptions)
  const role = {
    user: `${MADE}${randomBytes(6).toString('hex')}`,
    password: randomBytes(24).toString('base64url'),
  }
  await within(serverOptions, (connection) =>
    connection.simple(`CREATE ROLE ${role.user} LOGIN PASSWORD ${pg.escapeLiteral(role.password)}`),
  )
  try {
    await lent(serverOptions, role, work)
  } finally {
    // After a failed restore it still owns objects, which are removed first, with the grants.
    await within(serverOptions, (connection) =>
      connection.simple(`DROP OWNED BY ${role.user} CASCADE; DROP ROLE ${role.user}`),
    )
  }
}

/** Lets a role fill the draft, then takes all that it made from it, and what it might do there. */
async function lent(
  serverOptions: ConnectionOptions,
  login: Login,
  work: (address: ConnectionOptions) => Promise<void>,
): Promise<void> {
  const [role, database] = [
    pg.escapeIdentifier(login.user),
    pg.escapeIdentifier(serverOptions.database ?? ''),
  ]
  // Extensions that need no trust take the right to CREATE in the database.
  await within(serverOptions, (connection) =>
    connection.simple(
      `GRANT CONNECT, TEMPORARY, CREATE ON DATABASE ${database} TO ${role}; GRANT CREATE, USAGE ON SCHEMA public TO ${role}`,
    ),
  )
  await work({ ...serverOptions, ...login })
  await within(serverOptions, (connection) =>
    connection.simple(`REASSIGN OWNED BY ${role} TO CURRENT_USER;
      REVOKE ALL ON SCHEMA public FROM ${role}; REVOKE ALL ON DATABASE ${database} FROM ${role}`),
  )
}

async function within<T>(
  address: ConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ ...address, statementTimeout: 0 })
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/**
 * Whether the server's role is a superuser. Drops the roles of restores that died; PostgreSQL refuses to drop
 * those in use.
 */
export async function sweepRestorers(address: ServerAddress): Promise<boolean> {
  return within(forMaintenance(address), async (connection) => {
    const [superuserRow] = await connection.query(IS_SUPERUSER)
    if (superuserRow?.[0] !== true) return false
    for (const [name] of await connection.query(
      'SELECT rolname::text FROM pg_roles WHERE starts_with(rolname, $1)',
      [MADE],
    ))
      await connection.simple(`DROP ROLE ${pg.escapeIdentifier(String(name))}`).catch((error: unknown) => {
        if (sqlState(error) !== '2BP01') throw error
      })
    return true
  })
}
