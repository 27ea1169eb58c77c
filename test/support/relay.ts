// A relay on the loopback: connects each of its clients to a port, and a test decides which bytes pass.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  readonly port: number
  close(): Promise<void>
}

/**
 * `between` is called for every pair of connections, and passes bytes on. When one of the two is
 * closed, so is the other. Listens on a free port unless a port is given.
 */
export async function openRelay(
  target: number,
  between: (client: Socket, upstream: Socket) => void,
  port = 0,
): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    between(client, upstream)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
