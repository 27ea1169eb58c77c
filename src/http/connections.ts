// Connections that would hold for ever what they hold: those on which nothing arrives, and those whose client takes nothing of its answer.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Milliseconds that a client may take nothing of an answer before it is given up: the answer holds memory, a long one a connection to the database. */
const STALLED = 30_000

export interface Connections {
  /** Closes those on which nothing has arrived: browsers open some in advance, and to Node.js they are not idle, so they would hold up the end of the server. */
  closeUnused(): void
}

/**
 * Follows the connections of a server, and gives up clients that stall. Only where an answer waits to be taken is there a time-out: a client
 * that waits for us may wait, and Node.js sets its own between two requests.
 */
export function watchConnections(server: Server, stalled = STALLED): Connections {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const look = setInterval(() => {
    for (const socket of sockets) {
      if (socket.writableLength === 0) {
        if (socket.timeout === stalled) socket.setTimeout(0)
      } else if (!socket.timeout) socket.setTimeout(stalled)
    }
  }, stalled / 3).unref()
  server.once('close', () => clearInterval(look))
  return {
    closeUnused() {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}
