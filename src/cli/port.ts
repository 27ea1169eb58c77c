// The port of a server with one process that answers: opened by the primary process and handed to that one,
// so that connections made while it is replaced wait in the kernel's line and are not refused.
import { lookup } from 'node:dns/promises'
import net from 'node:net'

/** A socket that is bound, as processes hand it to each other. */
export type Port = object & { close(): void }

/**
 * What Node.js makes the sockets of its own servers with; processes of a cluster hand these to each other. A
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
    ) => Port | number
  }
)._createServerHandle

/**
 * Binds the port; null where the process that answers had better do it itself: it says what is wrong, and
 * knows names with several addresses.
 */
export async function openPort({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): Promise<Port | null> {
  if (!create || net.isIP(host) === 0) return null
  const { address, family } = await lookup(host)
  const made = create(address, port, family, null, 0)
  return typeof made === 'number' ? null : made
}
