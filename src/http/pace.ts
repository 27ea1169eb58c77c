// Slow bodies: a client that sends a few bytes now and then occupies memory and a connection, and is
// disconnected.
import type { Socket } from 'node:net'
import { Ring } from '../kit/ring.ts'

/** Milliseconds between two looks. */
const LOOK_MS = 10_000
/** Bytes that arrive between two looks at least; half a kilobyte a second is less than any line carries. */
const LEAST = 5 * 1024
/** Looks in a row that may see less. */
const PATIENCE = 3

interface Followed {
  readonly socket: Pick<Socket, 'bytesRead'>
  readonly onTooSlow: () => void
  seen: number
  slow: number
  /** The server does not read at the moment. */
  isOurs: boolean
  end(): void
}

/** The bodies that are arriving at a server. */
export class Pace {
  readonly #bodies = new Ring<Followed>()
  #timer: NodeJS.Timeout | undefined

  /** Follows a body until `end`; `onTooSlow` is called once when it comes too slowly. */
  follow(socket: Pick<Socket, 'bytesRead'>, onTooSlow: () => void): Followed {
    const body: Followed = {
      socket,
      onTooSlow,
      seen: socket.bytesRead,
      slow: 0,
      isOurs: false,
      end: () => link.leave(),
    }
    const link = this.#bodies.add(body)
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref()
    return body
  }

  /** Looks at what has arrived since the last time. */
  look(): void {
    for (const body of this.#bodies) {
      const arrived = body.socket.bytesRead - body.seen
      body.seen = body.socket.bytesRead
      body.slow = body.isOurs || arrived >= LEAST ? 0 : body.slow + 1
      if (body.slow < PATIENCE) continue
      body.end()
      body.onTooSlow()
    }
    if (!this.#bodies.isEmpty) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
