// Checks a PostgreSQL server: version, settings and role, as far as calls rely on them.
import type { Connection } from '../../postgres/index.ts'
import { assess, type Finding, type Objection, sizeForPeople } from './finding.ts'

/** Demand on a server. */
export interface Demand {
  /** Connections that all nodes take at most. */
  readonly connections: number
  /** The sum in words. */
  readonly sum: string
  readonly isEmbedded: boolean
  /** Whether it is reached over a network. */
  readonly isRemote: boolean
}

const NAMES = [
  'max_connections',
  'superuser_reserved_connections',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'autovacuum',
  'shared_buffers',
  'client_connection_check_interval',
  'tcp_keepalives_idle',
  'temp_file_limit',
  'max_locks_per_transaction',
] as const

const SETTINGS = `SELECT name, CASE unit WHEN '8kB' THEN (setting::int8 * 8192)::text WHEN 'kB' THEN (setting::int8 * 1024)::text ELSE setting END
  FROM pg_settings WHERE name = ANY($1::text[])`

const ROLE = `SELECT rolname::text, rolsuper, rolcreatedb, current_setting('server_version_num')::int, current_setting('server_version'),
  pg_is_in_recovery(), (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()),
  EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
  FROM pg_roles WHERE rolname = current_user`

type Settings = Readonly<Record<(typeof NAMES)[number], string>>
type Role = [string, boolean, boolean, number, string, boolean, boolean | null, boolean]

/** Checks version, role, settings and connections of a PostgreSQL server. */
export async function server(connection: Connection, demand: Demand): Promise<Finding[]> {
  const [rows, [role]] = await Promise.all([connection.query(SETTINGS, [[...NAMES]]), connection.query(ROLE)])
  const settings = Object.fromEntries(rows) as Settings
  return [
    ...standing(role as Role, demand),
    ...safety(settings),
    ...(demand.isEmbedded ? [] : tuning(settings)),
    connections(settings, demand),
  ]
}

function standing(
  [name, isSuperuser, mayCreate, number, version, follows, encrypted, hasTrigrams]: Role,
  { isEmbedded, isRemote }: Demand,
): Finding[] {
  return [
    assess('version', `PostgreSQL ${version}`, [
      number < 150_000,
      'wrong',
      'Use PostgreSQL 15 or newer: earlier versions lack the locales that databases need.',
    ]),
    assess('primary', follows ? 'it is a replica of another server' : 'it takes writes', [
      follows,
      'wrong',
      'Use the address of the primary server, or list all servers with target_session_attrs=read-write.',
    ]),
    assess(
      'role',
      `role ${name}`,
      [isSuperuser && !isEmbedded, 'advice', 'Use a role that may log in and create databases, and no more.'],
      [
        !mayCreate && !isSuperuser,
        'advice',
        `It cannot make databases; a superuser lets it by ALTER ROLE "${name}" CREATEDB.`,
      ],
    ),
    assess('encryption', encrypted ? 'the connection is encrypted' : 'the connection is not encrypted', [
      isRemote && encrypted === false,
      'advice',
      'Set sslmode=verify-full in --database-url, and sslrootcert=FILE for an authority of your own: data is sent unencrypted.',
    ]),
    assess('extensions', `pg_trgm is ${hasTrigrams ? '' : 'not '}available`, [
      !hasTrigrams,
      'advice',
      'Install the package of extensions (Debian: postgresql-contrib): without pg_trgm, searches for parts of texts read whole tables.',
    ]),
  ]
}

/** Settings that acknowledged writes rely on. */
function safety(settings: Settings): Finding[] {
  const off = (name: keyof Settings, change: string): Finding =>
    assess(name, settings[name], [settings[name] === 'off', 'wrong', change])
  return [
    off('fsync', 'Set fsync = on: a power cut may destroy everything.'),
    off('full_page_writes', 'Set full_page_writes = on: a power cut may destroy pages.'),
    off('synchronous_commit', 'Set synchronous_commit = on: acknowledged commits may be lost.'),
    off('autovacuum', 'Set autovacuum = on: tables grow and plans go bad.'),
  ]
}

function tuning(settings: Settings): Finding[] {
  const { shared_buffers: buffers, temp_file_limit: temporary } = settings
  const idle = Number(settings.tcp_keepalives_idle)
  const objection = (holds: boolean, change: string): Objection => [holds, 'advice', change]
  return [
    assess(
      'shared_buffers',
      sizeForPeople(Number(buffers)),
      objection(Number(buffers) < 128 * 1024 ** 2, 'A quarter of the memory of its machine is usual.'),
    ),
    assess(
      'client_connection_check_interval',
      `${settings.client_connection_check_interval} ms`,
      objection(
        settings.client_connection_check_interval === '0',
        "Set client_connection_check_interval = '10s', so that the locks of a failed node are released soon.",
      ),
    ),
    assess(
      'tcp_keepalives_idle',
      `${idle} s`,
      objection(
        idle === 0 || idle > 600,
        'Set tcp_keepalives_idle = 60, so that broken connections are closed.',
      ),
    ),
    assess(
      'temp_file_limit',
      Number(temporary) < 0 ? 'unlimited' : sizeForPeople(Number(temporary)),
      objection(
        Number(temporary) < 0,
        "Set temp_file_limit = '2GB': one statement may fill the disk otherwise.",
      ),
    ),
    assess(
      'max_locks_per_transaction',
      settings.max_locks_per_transaction,
      objection(Number(settings.max_locks_per_transaction) < 64, 'Set it to 64 or more.'),
    ),
  ]
}

function connections(settings: Settings, { connections: wanted, sum }: Demand): Finding {
  const [most, reserved] = [
    Number(settings.max_connections),
    Number(settings.superuser_reserved_connections),
  ] as const
  return assess('max_connections', `${most}, ${reserved} of them reserved; needed: ${sum}`, [
    wanted > most - reserved,
    'advice',
    `Set max_connections = ${wanted + reserved + 5}, or a smaller --pool-size, or use a pooler; until then, calls may wait for connections.`,
  ])
}
