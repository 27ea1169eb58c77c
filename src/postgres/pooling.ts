// Checks at the start that the addresses lead to what the settings say: PostgreSQL itself, or a pooler of the
// named mode.
import { StartupError } from '../errors.ts'
import { codeOf } from '../kit/caught.ts'
import { forMaintenance, type ServerAddress } from './address.ts'
import { Connection } from './connection.ts'
import { MARK } from './session.ts'

/** Where calls go, and the way past a pooler. */
export interface Ways {
  readonly served: ServerAddress
  /** The same address without a pooler. */
  readonly direct: ServerAddress
}

const GUIDE = 'See PgBouncer in the guide "Use your own PostgreSQL".'

/**
 * The addresses of the settings. Throws StartupError for a pooler in transaction mode without a direct
 * address.
 */
export function serverAddresses(
  url: string,
  pooler: ServerAddress['pooler'],
  directUrl: string | undefined,
): Ways {
  if (!pooler) {
    if (directUrl) throw new StartupError('--direct-url requires --pooler session or --pooler transaction.')
    return { served: { url }, direct: { url } }
  }
  if (pooler === 'transaction' && !directUrl)
    throw new StartupError(
      `--pooler transaction requires --direct-url, a connection that bypasses the pooler: notifications, backups and locks on databases need sessions of their own. ${GUIDE}`,
    )
  return { served: { url, pooler }, direct: directUrl ? { url: directUrl } : { url, pooler } }
}

/** Names of the two addresses in errors. */
interface Settings {
  readonly served: string
  readonly direct: string
}
const OPTIONS: Settings = { served: '--database-url', direct: '--direct-url' }

/**
 * Throws StartupError with what to change when the ways lead elsewhere than the settings say, or nowhere. The
 * error names the settings.
 */
export async function assertAddresses({ served, direct }: Ways, settings = OPTIONS): Promise<void> {
  if (served.pooler) await assertPooler(served, settings)
  if (!direct.pooler) await assertDirect(direct, served.url === direct.url, settings)
}

async function assertDirect(address: ServerAddress, isServed: boolean, settings: Settings): Promise<void> {
  const setting = isServed ? settings.served : settings.direct
  const remedy = isServed
    ? `Set --pooler session or --pooler transaction to match the pooler. ${GUIDE}`
    : 'It must be the address of PostgreSQL itself.'
  await reaching(setting, remedy, async () => {
    await within([address], async ([connection]) => {
      const [row] = await connection.query(`SELECT current_setting('${MARK}', true)`)
      if (row?.[0] !== '1')
        throw new StartupError(`${setting} is a pooler that drops session settings. ${remedy}`)
    })
  })
}

async function assertPooler(address: ServerAddress, { served, direct }: Settings): Promise<void> {
  const remedy =
    'Its pool_mode must be the one that --pooler names, and it must reach every database ("* = host=…").'
  await reaching(served, remedy, async () => {
    if (address.pooler === 'transaction') {
      await within([address], async ([connection]) => {
        await connection.query('BEGIN')
        await connection.query('COMMIT')
      })
    } else if (await lendsToTransactions(address))
      throw new StartupError(
        `The pooler at ${served} pools by transaction. Set --pooler transaction and ${direct}. ${GUIDE}`,
      )
  })
}

/** Whether two sessions meet on one connection, or one session on two. */
async function lendsToTransactions(address: ServerAddress): Promise<boolean> {
  return within([address, address], async ([first, other]) => {
    const pid = async (connection: Connection) => (await connection.query('SELECT pg_backend_pid()'))[0]?.[0]
    const firstPid = await pid(first)
    await other.query('BEGIN')
    const others = await pid(other)
    if (firstPid === others) return true
    const again = await pid(first)
    await other.query('COMMIT')
    return firstPid !== again || (await pid(other)) !== others
  })
}

async function within<T>(
  addresses: readonly ServerAddress[],
  work: (connections: [Connection, Connection]) => Promise<T>,
): Promise<T> {
  const connections: Connection[] = []
  try {
    for (const address of addresses) connections.push(await Connection.connect(forMaintenance(address)))
    return await work(connections as [Connection, Connection])
  } finally {
    for (const connection of connections) connection.destroy()
  }
}

/** Codes of TLS errors about the authority of a certificate; others are about its name or its dates. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED/

/** The driver's error, with what to do about it. */
async function reaching(setting: string, remedy: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    if (cause instanceof StartupError) throw cause
    const message = cause instanceof Error ? cause.message || cause.name : String(cause)
    if (/startup parameter|statement pooling/.test(message))
      throw new StartupError(`${setting} is a pooler that refuses the session: ${message}. ${remedy}`, {
        cause,
      })
    if (UNTRUSTED.test(codeOf(cause) ?? ''))
      throw new StartupError(
        `The certificate of the database server is not trusted (${message.split(';')[0]}). Add sslrootcert=FILE to ${setting}, with the certificate of the authority that issued it, or sslmode=no-verify to encrypt without checking it.`,
        { cause },
      )
    throw new StartupError(`Cannot reach the database server: ${message}. Check ${setting}.`, { cause })
  }
}
