// Bodies of requests: a little is read of any client, more once its credential is verified, and no more than
// the server can hold.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PayloadTooLarge } from '../errors.ts'
import { turn } from '../kit/turns.ts'
import { beyond, limits, written } from '../limits.ts'
import { type BodyReader, Parsed, refusal, type Weigh } from '../wire/parse.ts'
import type { Proven } from '../wire/rpc/claim.ts'
import { ArrivingBody, discard } from './arriving-body.ts'
import { type Account, BodyMemory } from './body-memory.ts'
import { Pace } from './pace.ts'
import { whenClosed } from './when-closed.ts'

/** Bytes that are taken uncounted: how many connections there are bounds them. */
const UNCOUNTED = 16 * 1024
/** Bytes that are read at once. */
const BLOCK = 64 * 1024
/** Bytes that a value takes at least, whatever it is. */
const VALUE = 64

/** Verifies the sender of a body that is longer than a little. */
export interface Gate {
  /**
   * Whether the credential stands in the body: then it is judged when a little of it is here, and else before
   * anything is.
   */
  readonly inBody: boolean
  /** Verifies the sender; `partial` is the value parsed so far. Null if it contains no credential. */
  judge(partial: unknown): Promise<Proven | null>
}

export interface Wanted {
  readonly reader: () => BodyReader
  /** Largest body of this path, if it is less than the general limit. */
  readonly most?: number
  /** None: a little is all that is taken. */
  readonly gate?: Gate | undefined
}

/** The bodies of a server, and what they hold. */
export class Bodies {
  /** Bytes of one body at most. */
  readonly limit: number
  readonly intake = new BodyMemory()
  readonly pace = new Pace()
  readonly #accounts = new WeakMap<IncomingMessage, Account>()
  /** Requests whose client waits for leave to send. */
  readonly #held = new WeakMap<IncomingMessage, ServerResponse>()

  constructor(limit: number) {
    this.limit = limit
  }

  /**
   * Makes the client wait until its body is wanted. If the answer is sent before that, it is not known
   * whether the client still sends the body, so the connection is closed.
   */
  hold(message: IncomingMessage, response: ServerResponse): void {
    this.#held.set(message, response)
    response.setHeader('connection', 'close')
  }

  /** Lets the client send the body. */
  admit(message: IncomingMessage): void {
    if (message.headers.expect === undefined) return
    const response = this.#held.get(message)
    if (!response || !this.#held.delete(message)) return
    response.removeHeader('connection')
    response.writeContinue()
  }

  /** The memory that a request's body holds until its answer was sent. */
  account({ raw, ip }: FastifyRequest, reply: FastifyReply): Account {
    const existing = this.#accounts.get(raw)
    if (existing) return existing
    const account = this.intake.account(ip)
    this.#accounts.set(raw, account)
    whenClosed(reply.raw, () => account.close())
    return account
  }

  /** Counts the values of a body of the request. */
  weigh(request: FastifyRequest, reply: FastifyReply): Weigh {
    return (values) => this.account(request, reply).take(values * VALUE)
  }

  /**
   * The bytes of a short body that is here already, as of most that came in one packet with their headers;
   * null for any other, which is for `receive`.
   */
  take(raw: IncomingMessage, most = this.limit): Buffer | null {
    const { readableLength: available, headers } = raw
    // Node.js reports a message as complete in a later turn than its last bytes.
    if (available === 0 || available !== Number(headers['content-length'])) return null
    if (available > Math.min(UNCOUNTED, most) || headers.expect) return null
    const bytes = raw.read() as Buffer
    // The body is read to its end, without waiting for it.
    raw.resume()
    return bytes
  }

  /**
   * The bytes of a short body, or what a reader made of a long one while it arrived. Throws PayloadTooLarge
   * (413) for one that is too long, BadRequest for one that breaks off, ServiceUnavailable (503) when there
   * are too many, and what the gate and the reader throw.
   */
  async receive(request: FastifyRequest, reply: FastifyReply, wanted: Wanted): Promise<Buffer | Parsed> {
    const { raw } = request
    const whole = Math.min(this.limit, wanted.most ?? this.limit)
    const most = wanted.gate ? whole : Math.min(whole, limits['open-body'])
    const bytes = this.take(raw, most)
    if (bytes) return bytes
    const announced = Number(raw.headers['content-length'] ?? 0)
    let long: LongBody | undefined
    const asLong = () => (long ??= new LongBody(this, { ...wanted, request, reply, most }))
    if (announced > most || (announced > limits['open-body'] && wanted.gate?.inBody === false)) {
      await asLong()
        .judgeUnread(announced)
        .catch((error: unknown) => {
          if (!raw.headers.expect) discard(raw)
          throw error
        })
    }
    this.admit(raw)
    const arrival = new ArrivingBody(raw, this.pace)
    try {
      const waiting = arrival.gather(UNCOUNTED + 1)
      if (waiting) await waiting
      if (arrival.isWhole && arrival.length <= most) return arrival.take()
      return await asLong().receive(arrival)
    } catch (error) {
      arrival.discard()
      throw error
    }
  }

  /** All bytes of a body that needs no credential. Throws like `receive`. */
  async receiveShort(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    return (await this.receive(request, reply, { reader: unread })) as Buffer
  }
}

const unread = (): never => {
  throw new Error('A short body is never read while it arrives')
}

interface LongOptions extends Wanted {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Bytes that are taken at most. */
  readonly most: number
}

/**
 * A body that is longer than a chunk or two: what it holds is counted, who sends it is judged, and it is read
 * while it arrives.
 */
class LongBody {
  readonly #bodies: Bodies
  readonly #options: LongOptions
  #isProven = false
  /** Bytes that are counted, and bytes that were read. */
  #counted = 0
  #read = 0

  constructor(bodies: Bodies, options: LongOptions) {
    this.#bodies = bodies
    this.#options = options
  }

  /** Judges a body before anything of it is taken: by its length, then by who sends it. */
  async judgeUnread(announced: number): Promise<void> {
    if (announced > this.#options.most) throw this.#tooLong()
    await this.#judge(undefined)
  }

  /** Reads the part that needs no credential in growing steps; a longer body is parsed while it arrives. */
  async receive(arrival: ArrivingBody): Promise<Buffer | Parsed> {
    const open = Math.min(limits['open-body'], this.#options.most)
    while (arrival.length <= open) {
      await this.#count(arrival.length)
      await arrival.gather(Math.min(2 * arrival.length, open + 1))
      if (arrival.isWhole && arrival.length <= open) {
        await this.#count(arrival.length)
        return arrival.take()
      }
    }
    return new Parsed(await this.#parse(arrival))
  }

  async #parse(arrival: ArrivingBody): Promise<unknown> {
    const { gate, reader: begin } = this.#options
    if (!gate) throw this.#tooLong()
    if (!this.#isProven && !gate.inBody) await this.#judge(undefined)
    const reader = begin()
    try {
      await this.#feed(reader, arrival.take())
      if (!this.#isProven) await this.#judge(reader.partial)
      while (!arrival.isWhole || arrival.length > 0) {
        await arrival.gather(BLOCK)
        await this.#feed(reader, arrival.take())
      }
      return reader.end()
    } catch (error) {
      throw refusal(error)
    }
  }

  /**
   * Verifies the sender, for whom the body counts from now on. Throws PayloadTooLarge without a credential.
   */
  async #judge(partial: unknown): Promise<void> {
    const proven = await this.#options.gate?.judge(partial)
    if (!proven) throw beyond('open-body')
    const { user, database } = proven
    this.#isProven = true
    this.#account.rename(`user ${user}`, ...(database === null ? [] : ([`database ${database}`] as const)))
  }

  /** Gives bytes to the reader, so many at once that others have their turn. */
  async #feed(reader: BodyReader, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += BLOCK) {
      const block = bytes.subarray(at, at + BLOCK)
      const before = reader.values
      this.#read += block.length
      if (this.#read > this.#options.most) throw this.#tooLong()
      reader.write(block)
      await this.#count(this.#read)
      await this.#account.take((reader.values - before) * VALUE)
      await turn()
    }
  }

  async #count(length: number): Promise<void> {
    const more = length - this.#counted
    if (more <= 0) return
    this.#counted = length
    await this.#account.take(more)
  }

  get #account(): Account {
    return this.#bodies.account(this.#options.request, this.#options.reply)
  }

  #tooLong(): PayloadTooLarge {
    if (this.#options.most < this.#bodies.limit) return beyond('open-body')
    return new PayloadTooLarge(
      `The request body is larger than ${written('open-body', this.#bodies.limit)} (setting "body-limit").`,
    )
  }
}

/** Whether a request announces a body at all, though it may turn out empty. */
export function announcesBody(message: IncomingMessage): boolean {
  const length = message.headers['content-length']
  return message.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
