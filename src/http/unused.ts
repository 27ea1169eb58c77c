// Connections that never said anything: browsers open some in advance, and to Node.js they are not idle, so they would hold up the end of the server.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Follows the connections of a server; what it gives closes those on which nothing has arrived. */
export function unusedConnections(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}
