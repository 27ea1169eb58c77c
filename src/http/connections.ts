// Connections that would hold for ever what they hold: unused ones, those whose client takes nothing of its
// answers, and too many of one address.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../limits.ts'

/** Milliseconds between two looks at who takes what waits for them. */
const LOOK_MS = 1000
/** Looks at how much waits of all, for each of these: clients stop taking what they had begun to take. */
const SHEDS = 5
/** Bytes that wait of one answer from which on what waits of all is looked at as the answer ends. */
const LARGE = 64 * 1024
/** Addresses that are not proxies have so much of the room for what waits: others keep theirs. */
const SHARE = 1 / 2
/**
 * Least bytes that a client must read between two looks, if so many are waiting: any connection carries more.
 */
const LEAST = 512
/** Looks in a row that may see less: an answer holds memory, a long one a connection to the database. */
const PATIENCE = 30

/** Seconds after which those may try again for whom there was no room. */
const BUSY_FOR = 5
const BUSY = `HTTP/1.1 503 Service Unavailable\r\nretry-after: ${BUSY_FOR}\r\nerror-code: service_unavailable\r\nx-comptoir-outcome: undone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`

export interface Connections {
  /**
   * Closes those on which nothing has arrived: browsers open some in advance, and to Node.js they are not
   * idle, so they would hold up the end of the server.
   */
  closeUnused(): void
  /** Checks connections with unread answers; the server does so by itself every second. */
  look(): void
}

interface Connection {
  /** Bytes that its client had taken at the last look. */
  taken: number
  slow: number
}

interface Options {
  /** Whether an address is one of our proxies: many clients come by it. */
  readonly isProxy?: (address: string) => boolean
  readonly lookMs?: number
}

/**
 * Follows the connections of a server. A time-out applies only while an answer waits to be read: a client
 * that waits for the server may wait.
 */
export function watchConnections(
  server: Server,
  { isProxy = () => false, lookMs = LOOK_MS }: Options = {},
): Connections {
  const connections = new Map<Socket, Connection>()
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (counts.get(address) ?? 0) + 1
    if (count > limits.connections && !isProxy(address)) return refuse(socket)
    counts.set(address, count)
    connections.set(socket, { taken: 0, slow: 0 })
    socket.once('close', () => {
      connections.delete(socket)
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
  })
  const shedAll = (latest?: Socket) => shed(connections.keys(), isProxy, latest)
  // Many answers may be made within one turn of the timer: the latest may be unread.
  server.prependListener('request', ({ socket }, answer) => {
    answer.once('prefinish', () => {
      if (socket.writableLength > LARGE) shedAll(socket)
    })
  })
  const look = () => {
    for (const [socket, connection] of connections) if (isStalled(socket, connection)) socket.destroy()
    shedAll()
  }
  const timers = [setInterval(look, lookMs).unref(), setInterval(() => shedAll(), lookMs / SHEDS).unref()]
  server.once('close', () => timers.forEach(clearInterval))
  return {
    look,
    closeUnused() {
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

/** Answers that there are too many connections; the client's data is not read. */
function refuse(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.end(BUSY, () => socket.destroy())
}

/** Whether a client has taken next to nothing of what waits for it, for a while. */
function isStalled(socket: Socket, connection: Connection): boolean {
  const waits = socket.writableLength
  const taken = socket.bytesWritten - waits
  connection.slow = waits > 0 && taken - connection.taken < LEAST ? connection.slow + 1 : 0
  connection.taken = taken
  return connection.slow >= PATIENCE
}

/**
 * Disconnects clients with the most waiting bytes, the newest last, until the limit holds: of an address,
 * and of all.
 */
function shed(sockets: Iterable<Socket>, isProxy: (address: string) => boolean, latest?: Socket): void {
  const held = [...sockets]
    .filter((socket) => socket.writableLength > 0)
    .sort((a, b) => Number(a === latest) - Number(b === latest) || b.writableLength - a.writableLength)
  for (const [address, theirs] of Map.groupBy(held, ({ remoteAddress }) => remoteAddress ?? ''))
    if (!isProxy(address)) trim(theirs, limits.waiting * SHARE)
  trim(held, limits.waiting)
}

/** Cuts off the first of them until no more than `most` wait. */
function trim(sockets: readonly Socket[], most: number): void {
  const held = sockets.filter((socket) => !socket.destroyed)
  let total = held.reduce((sum, { writableLength }) => sum + writableLength, 0)
  for (const socket of held) {
    if (total <= most) return
    total -= socket.writableLength
    socket.destroy()
  }
}
