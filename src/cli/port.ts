// The port of a server, held by the primary process from the first moment to the last: a port that another
// program has is refused before anything is started, and workers that are replaced come back to the same one.
import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorMessage, getSystemErrorName } from 'node:util'
import { cannotListen } from '../http/listening.ts'

/** A socket that is bound, as processes hand it to each other. */
export type Port = object & { close(): void }

interface Bound extends Port {
  /** Fills in the port; a result below 0 is the error of the bind. */
  getsockname(name: { port?: number }): number
}

/** The requested address. */
export interface Place {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
}

/** The port that a server has. */
export interface HeldPort {
  /** 0 where only the process that listens will know. */
  readonly number: number
  /** The socket for a single worker; null if the workers bind it themselves. */
  readonly socket: Port | null
  close(): void
}

/**
 * Node.js creates the sockets of its servers with this function; processes of a cluster pass these on. A
 * number is an error.
 */
const create = (
  net as unknown as {
    _createServerHandle?: (
      address: string,
      port: number,
      family: number,
      fd: null,
      flags: number,
    ) => Bound | number
  }
)._createServerHandle

/**
 * Takes the port for `workers` processes. One process is handed the socket, so that connections made while it
 * is replaced wait in the kernel's queue. Several bind themselves, next to the socket that stays here; so
 * does a process that listens on a name, which may have several addresses.
 * Throws StartupError for an address that cannot be listened on.
 */
export async function holdPort(place: Place, workers: number): Promise<HeldPort> {
  const addresses = await addressesOf(place.host)
  const [first, ...others] = addresses
  if (!create || !first) return { number: place.port, socket: null, close: () => undefined }
  const socket = bind(create, place, first)
  const number = portOf(socket)
  // A name is taken as a whole: clients of it choose among its addresses by themselves.
  for (const address of others) bind(create, { ...place, port: number }, address)?.close()
  if (workers === 1 && net.isIP(place.host) !== 0 && socket)
    return { number, socket, close: () => socket.close() }
  // Linux lets a port be bound again until the first socket listens; other systems do not.
  if (process.platform === 'linux')
    return { number: number || place.port, socket: null, close: () => socket?.close() }
  socket?.close()
  return { number: place.port, socket: null, close: () => undefined }
}

/** Throws StartupError for an address that cannot be listened on now. */
export async function assertPortFree(place: Place): Promise<void> {
  const { close } = await holdPort(place, 1)
  close()
}

interface Address {
  readonly address: string
  readonly family: number
}

/** The addresses of a host; none for an unknown name, as listening on it reports the error. */
async function addressesOf(host: string): Promise<readonly Address[]> {
  const family = net.isIP(host)
  if (family !== 0) return lookup(host, { all: true })
  return lookup(host, { all: true }).catch(() => [])
}

/**
 * A socket bound to the address; null if a name resolves to an address that this machine does not have. The
 * system may report a failed bind only on listen, and a socket whose bind failed listens on any port:
 * therefore the bound port is read back. Throws StartupError.
 */
function bind(make: NonNullable<typeof create>, place: Place, { address, family }: Address): Bound | null {
  const socket = make(address, place.port, family, null, 0)
  const errno = typeof socket === 'number' ? socket : socket.getsockname({})
  if (typeof socket !== 'number') {
    if (errno >= 0) return socket
    socket.close()
  }
  const code = getSystemErrorName(errno)
  // One of the addresses of a name may belong to a protocol that is switched off here.
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && net.isIP(place.host) === 0) return null
  throw cannotListen(place, { code, message: getSystemErrorMessage(errno) })
}

function portOf(socket: Bound | null): number {
  const name: { port?: number } = {}
  socket?.getsockname(name)
  return name.port ?? 0
}
