// Adds clusters to the register, removes them, and lists them.
import { UserError } from '../../errors.ts'
import {
  assertAddresses,
  Connection,
  forMaintenance,
  hostsOf,
  isOurs,
  type ServerAddress,
  serverAddresses,
} from '../../postgres/index.ts'
import type { Serving } from '../serving.ts'
import { byCluster, eachOf } from './every-cluster.ts'
import { MAIN } from './register.ts'

interface ClusterFacts {
  readonly name: string
  /** Hosts and ports, without the login. */
  readonly hosts: string
  readonly databases: number
  readonly takesNew: boolean
  /** Why it does not answer; null for one that does. */
  readonly down: string | null
}

const PATTERN = /^[a-z][a-z0-9-]{0,30}$/

/** Of each cluster, the main one first. */
export async function clusterFacts({ clusters, options }: Serving): Promise<readonly ClusterFacts[]> {
  const all = await clusters.all()
  const [names, forNew] = [await clusters.names(), await clusters.forNew()]
  const at = await byCluster(clusters, names)
  const looks = await eachOf(all, ({ address }) =>
    within(address, (connection) => connection.query('SELECT 1')),
  )
  return looks.map(([{ name, address }, result]) => ({
    name,
    hosts: options.databaseUrl
      ? hostsOf(address.url ?? '')
          .urls.map(({ host }) => host)
          .join(',')
      : 'embedded',
    databases: at.get(name)?.length ?? 0,
    takesNew: name === forNew.name,
    down: result instanceof Error ? result.message : null,
  }))
}

/**
 * Adds a cluster, with the databases that it already has; returns their names. Throws UserError for an
 * unsuitable one, StartupError for one that cannot be reached.
 */
export async function addCluster(
  { clusters, announcements, options, names }: Serving,
  name: string,
  url: string,
  direct: string | null,
): Promise<readonly string[]> {
  const { register } = clusters
  if (!PATTERN.test(name) || name === MAIN)
    throw new UserError(
      'Invalid cluster name: use 1 to 31 lower-case letters, digits and dashes, starting with a letter.',
    )
  const all = await clusters.all()
  if (all.some((cluster) => cluster.name === name))
    throw new UserError(`A cluster ${name} already exists: choose another name.`)
  const ways = serverAddresses(url, direct === null ? undefined : options.pooler, direct ?? undefined)
  await assertAddresses(ways, { served: 'the URL of the cluster', direct: '--direct' })
  const identifier = await within(ways.direct, identity)
  for (const [other, otherIdentifier] of await eachOf(all, ({ address }) => within(address, identity)))
    if (!(otherIdentifier instanceof Error) && otherIdentifier === identifier)
      throw new UserError(`This server is the cluster ${other.name}, or a replica of it.`)
  const databaseNames = await databasesAt(ways.direct)
  const takenNames = new Set(await clusters.names())
  const twice = databaseNames.filter((candidate) => takenNames.has(candidate))
  if (twice.length)
    throw new UserError(
      `Database names must be unique across clusters. These exist in another cluster: ${twice.slice(0, 10).join(', ')}.`,
    )
  await register.add({ name, url, direct }, databaseNames)
  clusters.forget()
  names.forget()
  await announcements.say('clusters', name)
  return databaseNames
}

/** Takes out a cluster that holds no database. */
export async function removeCluster({ clusters, announcements }: Serving, name: string): Promise<void> {
  if ((await clusters.named(name)) === clusters.main)
    throw new UserError('The main cluster cannot be removed: it stores the list of databases.')
  await clusters.register.remove(name)
  clusters.forget()
  await announcements.say('clusters', name)
}

/** New databases are made there from now on. */
export async function useCluster({ clusters, announcements }: Serving, name: string): Promise<void> {
  await clusters.named(name)
  await clusters.register.useForNew(name)
  clusters.forget()
  await announcements.say('clusters', name)
}

const STANDING = `SELECT (SELECT system_identifier::text FROM pg_control_system()), rolcreatedb OR rolsuper, current_setting('server_version_num')::int
  FROM pg_roles WHERE rolname = current_user`

/** System identifier of a server. Throws UserError for one that cannot hold databases of Comptoir. */
async function identity(connection: Connection): Promise<string> {
  const [[id, mayCreate, version] = []] = await connection.query(STANDING)
  if (Number(version) < 150_000) throw new UserError('A cluster needs PostgreSQL 15 or newer.')
  if (mayCreate !== true)
    throw new UserError(
      'The role of the URL may not create databases: a superuser gives the right by ALTER ROLE … CREATEDB.',
    )
  return String(id)
}

/** Names of Comptoir's databases on a server. */
async function databasesAt(address: ServerAddress): Promise<string[]> {
  const rows = await within(address, (connection) =>
    connection.query(
      'SELECT datname::text FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1',
    ),
  )
  const names: string[] = []
  for (const name of rows.map(([value]) => String(value)).filter(isOurs)) {
    const [row] = await within({ ...address, database: name }, (connection) =>
      connection.query("SELECT to_regclass('public.rights_version') IS NOT NULL"),
    )
    if (row?.[0] === true) names.push(name)
  }
  return names
}

async function within<T>(
  address: ServerAddress & { readonly database?: string },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect(address.database ? address : forMaintenance(address))
  try {
    return await work(connection)
  } finally {
    connection.destroy()
  }
}
