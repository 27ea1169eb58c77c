// A relay on the loopback: whoever connects to it is connected on to a port, and a test says what passes in
// between.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Relay {
  readonly port: number
  close(): Promise<void>
}

/**
 * `between` is told of every pair of connections; it passes on what is to arrive. When one of the two is
 * closed, so is the other. Listens on a free port unless one is named.
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
