// Roles of the embedded server. The superuser that initdb creates is used only for set-up. The server works
// as a role that owns its databases and has no rights outside of them, and statements of backups run as a
// role that may connect only to databases that are being restored.
import pg from 'pg'
import type { Login } from '../address.ts'
import { Connection } from '../connection.ts'
import { sqlState } from '../errors.ts'

/** The name that initdb gives the superuser. */
export const SUPERUSER = 'comptoir'
export const SERVER = 'comptoir_server'
export const RESTORER = 'comptoir_restore'

/** All that log in. */
export interface Logins {
  readonly superuser: Login
  readonly server: Login
  readonly restorer: Login
}

/** Names of databases in which backups are being restored (drafts.ts), as pg_hba.conf matches them. */
const RESTORED = '/^_comptoir_draft_restore_'

/** Roles and the databases that they may connect to: read before all other lines of pg_hba.conf. */
export const CONNECTIONS = `# Written by Comptoir at every start.
host ${RESTORED} ${RESTORER} 127.0.0.1/32 scram-sha-256
host all ${RESTORER} all reject
`

interface At {
  readonly host: string
  readonly port: number
}

/** Whether the server knows its working role: files of an earlier release do not. */
export async function knowsRoles(at: At, { server }: Logins): Promise<boolean> {
  try {
    const connection = await Connection.connect({ ...at, ...server, database: 'postgres' })
    await connection.close()
    return true
  } catch (error) {
    if (sqlState(error) === '28P01') return false
    throw error
  }
}

/** Makes a running server reload its settings. */
export async function reloadSettings(at: At, { superuser }: Logins): Promise<void> {
  const connection = await Connection.connect({ ...at, ...superuser, database: 'postgres' })
  try {
    await connection.query('SELECT pg_reload_conf()')
  } finally {
    await connection.close()
  }
}

/**
 * Makes the roles what they are to be, and gives the databases of earlier releases, which the superuser
 * owned, to the working role.
 */
export async function ensureRoles(at: At, { superuser, server, restorer }: Logins): Promise<void> {
  const address = { ...at, ...superuser, statementTimeout: 0 }
  const connection = await Connection.connect({ ...address, database: 'postgres' })
  try {
    await connection.simple(settled(server, restorer))
    const rows = await connection.query(
      `SELECT datname::text, datconnlimit = -2 FROM pg_database
        WHERE datdba <> ${ROLE} AND datname <> 'postgres' AND NOT datistemplate AND pg_get_userbyid(datdba) = session_user`,
    )
    for (const [name, isBroken] of rows) {
      const database = pg.escapeIdentifier(String(name))
      // A database whose drop was begun refuses connections.
      if (isBroken) await connection.simple(`DROP DATABASE ${database}`)
      else {
        await handOver({ ...address, database: String(name) })
        // Last: as long as the superuser owns it, the next start tries again.
        await connection.simple(`ALTER DATABASE ${database} OWNER TO ${SERVER}`)
      }
    }
  } finally {
    await connection.close()
  }
}

const ROLE = `'${SERVER}'::regrole`

const settled = (server: Login, restorer: Login): string => `
  SET password_encryption = 'scram-sha-256';
  DO $$ BEGIN
    IF to_regrole('${SERVER}') IS NULL THEN CREATE ROLE ${SERVER}; END IF;
    IF to_regrole('${RESTORER}') IS NULL THEN CREATE ROLE ${RESTORER}; END IF;
  END $$;
  ALTER ROLE ${SERVER} LOGIN CREATEDB NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(server.password)};
  ALTER ROLE ${RESTORER} LOGIN NOCREATEDB NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(restorer.password)};
  GRANT ${RESTORER} TO ${SERVER} WITH ADMIN FALSE, INHERIT TRUE, SET TRUE;`

/**
 * Gives the superuser's objects in a database of Comptoir to the working role. Extensions stay: PostgreSQL's
 * own functions are the superuser's too.
 */
async function handOver(address: Parameters<typeof Connection.connect>[0]): Promise<void> {
  const connection = await Connection.connect(address)
  try {
    await connection.simple(HAND_OVER)
  } finally {
    await connection.close()
  }
}

/** Sequences of columns go with their tables. */
const HAND_OVER = `DO $$
  DECLARE statement text;
  BEGIN
    FOR statement IN
      SELECT format('ALTER %s %s OWNER TO ${SERVER}', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass)
        FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT EXISTS (
          SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND (d.deptype = 'e' OR relkind = 'S' AND d.deptype IN ('a', 'i')))
      UNION ALL SELECT format('ALTER ROUTINE %s OWNER TO ${SERVER}', oid::regprocedure)
        FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (
          SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    LOOP EXECUTE statement; END LOOP;
  END $$`
