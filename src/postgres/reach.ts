// Reaches a server: the first host of those named that answers and is what it must be. A host that did is
// tried first the next time.

import pg from 'pg'
import { messageOf } from '../kit/caught.ts'
import { present } from '../kit/present.ts'
import { type ConnectionOptions, sessionSettings, type Target, targetsOf } from './address.ts'
import { fits, type Standing } from './hosts.ts'
import { sessionScript } from './session.ts'

/** Milliseconds for one host of several: the next may be the one that answers. */
const ONE_OF_SEVERAL_MS = 3000

/** The driver's message where a server asks for a password and none is set. */
const NO_PASSWORD = /client password must be|password must be a string/
const PASSWORD_NEEDED =
  'the server asks for a password; neither the URL nor ~/.pgpass of this account (mode 600) has one'

/** Which of a URL's hosts was right last: a hint, and checked each time. */
const last = new Map<string, number>()
/** The host that each client is at, by its place in a URL. */
const places = new WeakMap<pg.Client, { readonly url: string; readonly at: number }>()

/** Prepares a client that is not connected yet, such as by listeners that must get every event. */
type Prepare = (client: pg.Client) => void

/**
 * A connected client. Throws the driver's error of the last host that was tried, or that a server which
 * answers is not what it must be.
 */
export async function reach(
  options: ConnectionOptions,
  prepare: Prepare,
  extra: pg.ClientConfig = {},
): Promise<pg.Client> {
  const targets = targetsOf(options)
  const way: Way = { prepare, extra, several: targets.length > 1, isPooled: options.pooler !== undefined }
  const first = last.get(options.url ?? '') ?? 0
  let failure: unknown
  let unfit: Target | undefined
  for (let i = 0; i < targets.length; i++) {
    const at = (first + i) % targets.length
    const target = present(targets[at])
    try {
      const client = await connected(target, way)
      if (client) {
        if (way.several) {
          const url = options.url ?? ''
          last.set(url, at)
          places.set(client, { url, at })
        }
        return await begun(client, options)
      }
      unfit ??= target
    } catch (error) {
      failure = error
    }
  }
  if (unfit?.attrs === 'prefer-standby') {
    const client = await connected({ ...unfit, attrs: 'any' }, way)
    if (client) return begun(client, options)
  }
  throw unfit ? new Error(`Connection terminated: the server is not ${unfit.attrs}`) : failure
}

/**
 * A server did not answer in time: the other hosts are tried before it the next time. It may still accept
 * writes although another one was promoted.
 */
export function tryOthersFirst(client: pg.Client): void {
  const place = places.get(client)
  if (place && last.get(place.url) === place.at) last.set(place.url, place.at + 1)
}

async function begun(client: pg.Client, options: ConnectionOptions): Promise<pg.Client> {
  if (options.pooler === 'session') await client.query(sessionScript(sessionSettings(options)))
  return client
}

interface Way {
  readonly prepare: Prepare
  readonly extra: pg.ClientConfig
  readonly several: boolean
  readonly isPooled: boolean
}

/** Null when the server answers, and is not what it must be. */
async function connected(
  { config, attrs }: Target,
  { prepare, extra, several, isPooled }: Way,
): Promise<pg.Client | null> {
  const patience = several
    ? { connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? 0, ONE_OF_SEVERAL_MS) }
    : {}
  const client = new pg.Client({ ...config, ...patience, ...extra })
  const reported = new Map<string, string>()
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    reported.set(parameterName, parameterValue),
  )
  prepare(client)
  await client.connect().catch((error: unknown) => {
    throw NO_PASSWORD.test(messageOf(error)) ? new Error(PASSWORD_NEEDED, { cause: error }) : error
  })
  const standing = isPooled && attrs !== 'any' ? await askStanding(client) : standingOf(reported)
  if (fits(attrs, standing)) return client
  client.end().catch(() => undefined)
  return null
}

function standingOf(reported: ReadonlyMap<string, string>): Standing {
  const is = (name: string) => (reported.has(name) ? reported.get(name) === 'on' : undefined)
  return { standby: is('in_hot_standby'), readOnly: is('default_transaction_read_only') }
}

/** Asks the server itself: a pooler repeats the parameters from when it first connected. */
async function askStanding(client: pg.Client): Promise<Standing> {
  const text = "SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on'"
  try {
    const query = { text, rowMode: 'array' as const, query_timeout: ONE_OF_SEVERAL_MS }
    const [[standby, readOnly] = []] = (await client.query<[boolean, boolean]>(query)).rows
    return { standby, readOnly }
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}
