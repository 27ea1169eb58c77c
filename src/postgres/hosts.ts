// Database URLs of several hosts, `postgres://user@one:5432,two:5433/?target_session_attrs=read-write`: each
// as a URL of its own, and the requested kind of server.
import { StartupError } from '../errors.ts'

/** Kinds of servers to connect to, named as in PostgreSQL; `any` takes the first that answers. */
export const SESSION_ATTRS = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const
export type SessionAttrs = (typeof SESSION_ATTRS)[number]

/** State that a server reported when the session began; undefined before PostgreSQL 14. */
export interface Standing {
  readonly standby: boolean | undefined
  readonly readOnly: boolean | undefined
}

/** A database URL taken apart. */
export interface Hosts {
  /** One URL a host, in the order given. */
  readonly urls: readonly URL[]
  readonly attrs: SessionAttrs
}

/** Up to the hosts, the hosts, and what follows: IPv6 addresses stand in brackets. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([/?#].*)?$/
const ATTRS = 'target_session_attrs'
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/**
 * Reads a database URL of one host or several. Throws StartupError for an invalid one; the message does not
 * repeat it, as it may hold a password. `URL` does not accept a URL without host, such as
 * `postgres://user@/name?host=/run/postgresql`, which PostgreSQL's own tools take.
 */
export function hostsOf(url: string): Hosts {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? []
  const urls = hosts.split(',').map((host) => URL.parse(`${before}${host || 'localhost'}${after}`))
  if (before === '' || urls.some((url) => url === null)) throw new StartupError(NO_URL)
  const parsedUrls = urls as URL[]
  if (parsedUrls.some(isTorn)) throw new StartupError(NO_URL)
  const requestedAttrs =
    parsedUrls[0]?.searchParams.get(ATTRS) ?? (parsedUrls.length > 1 ? 'read-write' : 'any')
  const attrs = SESSION_ATTRS.find((name) => name === requestedAttrs)
  if (!attrs)
    throw new StartupError(`${ATTRS} in the database URL must be one of: ${SESSION_ATTRS.join(', ')}.`)
  for (const url of parsedUrls) {
    url.searchParams.delete(ATTRS)
    setVerifiedMode(url)
  }
  return { urls: parsedUrls, attrs }
}

/**
 * Whether a character of a password stands there as itself and ended it, so that the rest was read as a path,
 * as parameters or as a fragment; or whether a percent sign begins no code.
 */
function isTorn({ username, password, pathname, searchParams, hash }: URL): boolean {
  const isCoded = [username, password, pathname].every((part) => /^(?:[^%]|%[\da-f]{2})*$/i.test(part))
  return !isCoded || hash !== '' || [pathname, ...searchParams.keys()].some((part) => part.includes('@'))
}

/**
 * The driver verifies certificates in all encrypted modes but `no-verify`: here the URL says so. It connects
 * without encryption where it does not know the mode; that is refused. Throws StartupError.
 */
function setVerifiedMode({ searchParams }: URL): void {
  const mode = searchParams.get('sslmode')
  // The driver's own option for the weaker modes of PostgreSQL's tools.
  if (mode === null || searchParams.has('uselibpqcompat')) return
  if (!SSL_MODES.includes(mode))
    throw new StartupError(`sslmode in the database URL must be one of: ${SSL_MODES.join(', ')}.`)
  if (mode !== 'disable' && mode !== 'no-verify') searchParams.set('sslmode', 'verify-full')
}

/** The same URL, for a server that follows another one unless the URL names a kind. */
export function ofReplica(url: string): string {
  const isSaid = hostsOf(url).urls.length > 0 && url.includes(`${ATTRS}=`)
  return isSaid ? url : `${url}${url.includes('?') ? '&' : '?'}${ATTRS}=standby`
}

const NO_URL =
  'The database URL cannot be read. It must look like postgres://user:password@host:5432/postgres. In user and password, write : / ? # @ and % as %3A %2F %3F %23 %40 and %25.'

/**
 * Whether a server is of the requested kind. A server that does not report its state is accepted; a refused
 * write shows the truth later.
 */
export function fits(attrs: SessionAttrs, { standby, readOnly }: Standing): boolean {
  switch (attrs) {
    case 'any':
      return true
    case 'read-write':
      return standby !== true && readOnly !== true
    case 'primary':
      return standby !== true
    case 'read-only':
      return standby !== false || readOnly === true
    case 'standby':
    case 'prefer-standby':
      return standby !== false
  }
}
