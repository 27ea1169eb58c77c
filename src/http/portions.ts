// Reads long bodies of all connections in portions: a turn of the event loop takes a bounded amount, so that
// other work goes on however many clients send as fast as they can, in pieces as small as they like.
import type { IncomingMessage, Server } from 'node:http'

/** Bytes that a turn takes; the last piece may go beyond, and what was read together with it. */
const PORTION = 1024 ** 2
/** Fixed cost of a piece in bytes: a chunk of one byte takes nearly as long as one of a thousand. */
const PIECE = 512
/** Bodies of this length take no time that others would notice. */
const SHORT = 64 * 1024
/** Bodies that go on in one turn; the others wait for the next ones. */
const AT_ONCE = 16

interface Flow {
  readonly message: IncomingMessage
  isHeld: boolean
  /** Whether its reader waits for more. */
  isWanted: boolean
}

/** Bounds what a server takes of long bodies at a time. Put before its handler. */
export function portion(server: Server): void {
  const portions = new Portions()
  server.prependListener('request', (message: IncomingMessage) => {
    if (isLong(message)) portions.follow(message)
  })
}

const isLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SHORT

class Portions {
  /** Those that may go on, and those that wait for their turn, in order. */
  readonly #free = new Set<Flow>()
  readonly #held = new Set<Flow>()
  #taken = 0
  #isTurning = false

  /** The parser gives a message its pieces by `push`, and the message asks the connection for more by `_read`. */
  follow(message: IncomingMessage): void {
    const flow: Flow = { message, isHeld: false, isWanted: false }
    const push = message.push
    this.#free.add(flow)
    message.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
      if (piece === null) this.#leave(flow)
      const wantsMore = push.call(message, piece, encoding)
      if (piece === null) return wantsMore
      flow.isWanted = wantsMore
      return this.#take(flow, piece.length + PIECE) && wantsMore
    }
    const read = message._read
    message._read = (size: number) => {
      if (flow.isHeld) flow.isWanted = true
      else read.call(message, size)
    }
    // `_dump` would drop the rest of an unwanted body uncounted, and as fast as it can.
    Object.assign(message, { _dump: () => void message.resume() })
    message.once('close', () => this.#leave(flow))
  }

  #leave(flow: Flow): void {
    flow.isHeld = false
    this.#free.delete(flow)
    this.#held.delete(flow)
  }

  /** Whether there is more in this turn. */
  #take(flow: Flow, cost: number): boolean {
    this.#taken += cost
    this.#turn()
    if (this.#taken < PORTION) return true
    for (const other of this.#free) if (other !== flow) this.#hold(other, !other.message.socket.isPaused())
    // Last: it had its share, the others go first next time.
    this.#hold(flow, flow.isWanted)
    return false
  }

  #hold(flow: Flow, isWanted: boolean): void {
    if (flow.isHeld) return
    flow.isHeld = true
    flow.isWanted = isWanted
    this.#free.delete(flow)
    this.#held.add(flow)
    flow.message.socket.pause()
  }

  /** Begins again after other work had its turn. */
  #turn(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    setImmediate(() => {
      this.#isTurning = false
      this.#taken = 0
      for (const flow of [...this.#held].slice(0, AT_ONCE)) this.#release(flow)
      if (this.#held.size > 0) this.#turn()
    })
  }

  #release(flow: Flow): void {
    flow.isHeld = false
    this.#held.delete(flow)
    this.#free.add(flow)
    if (flow.isWanted) flow.message._read(0)
  }
}
