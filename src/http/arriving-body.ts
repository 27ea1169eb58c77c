// A body as it arrives: read in steps, with small chunks joined, and given up when it breaks off or is too
// slow.
import type { IncomingMessage } from 'node:http'
import { BadRequest } from '../errors.ts'
import type { Pace } from './pace.ts'

/** A body of several chunks is put together in a block of this many bytes at first. */
const FIRST_BLOCK = 16 * 1024
/** Milliseconds that a refused body may take to end, so that its sender gets to read the answer. */
const DISCARDED_MS = 60_000

const nothing: Buffer = Buffer.alloc(0)

export class ArrivingBody {
  /** All of it is here. */
  isWhole = false
  readonly #message: IncomingMessage
  readonly #follow: ReturnType<Pace['follow']>
  #block = nothing
  #length = 0
  #wanted = 0
  #waiting: { resolve(): void; reject(reason: unknown): void } | undefined
  #failure: BadRequest | undefined

  constructor(message: IncomingMessage, pace: Pace) {
    this.#message = message
    this.#follow = pace.follow(message.socket, () =>
      this.#fail(new BadRequest('The request body arrives too slowly')),
    )
    message.on('data', this.#onData)
    message.on('end', () => this.#end())
    message.on('error', (error) => this.#fail(new BadRequest('The request body broke off', { cause: error })))
    message.on('close', () => {
      // Every request closes in the end: an error is made for those that are not whole.
      if (!message.complete) this.#fail(new BadRequest('The request body broke off'))
      this.#follow.end()
    })
  }

  /**
   * Waits until this many untaken bytes have arrived, or all. Rejects with BadRequest for a body that breaks
   * off or is too slow.
   */
  gather(size: number): void | Promise<void> {
    if (this.#failure) throw this.#failure
    if (this.isWhole || this.#length >= size) return
    this.#wanted = size
    this.#follow.isOurs = false
    this.#message.resume()
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** Bytes that are here and were not taken. */
  get length(): number {
    return this.#length
  }

  /** The bytes that have arrived; the caller owns the buffer. */
  take(): Buffer {
    const bytes = this.#block.subarray(0, this.#length)
    this.#block = nothing
    this.#length = 0
    return bytes
  }

  /** Lets what is still to come pass by, for a while: then the connection ends. */
  discard(): void {
    this.take()
    this.#follow.end()
    this.#message.removeListener('data', this.#onData)
    discard(this.#message)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#add(chunk)
    if (this.#length < this.#wanted || this.#message.complete) return
    // Whatever takes its time now is not the client's fault.
    this.#follow.isOurs = true
    this.#message.pause()
    this.#waiting?.resolve()
  }

  #end(): void {
    this.isWhole = true
    this.#follow.end()
    this.#waiting?.resolve()
  }

  #fail(failure: BadRequest): void {
    this.#failure ??= failure
    this.#waiting?.reject(this.#failure)
  }

  /**
   * Most bodies are one chunk, which is taken without a copy; small chunks are copied, so that none is kept.
   */
  #add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (this.#length === 0) this.#block = chunk
    else {
      if (length > this.#block.length) this.#grow(length)
      chunk.copy(this.#block, this.#length)
    }
    this.#length = length
  }

  #grow(length: number): void {
    const block = Buffer.allocUnsafeSlow(Math.max(FIRST_BLOCK, 2 * this.#block.length, length))
    this.#block.copy(block, 0, 0, this.#length)
    this.#block = block
  }
}

/** Reads an unwanted body to its end, for a limited time: then the connection is closed. */
export function discard(message: IncomingMessage): void {
  if (message.complete) return void message.resume()
  message.on('error', () => undefined)
  const timer = setTimeout(() => message.destroy(), DISCARDED_MS).unref()
  message.once('close', () => clearTimeout(timer))
  message.resume()
}
