// A stream of changes as server-sent events: each has the cursor after it, so that a reader that was cut off
// can go on from there.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { errorObject, TooManyRequests } from '../../errors.ts'
import { watch } from '../../kit/watch/index.ts'
import { HELD, type Page, type Pulse, textOf } from '../../services/changes/index.ts'
import { visible } from '../../wire/errors.ts'

/** Streams of this process, and of one reader. */
const [MOST, MOST_OF_ONE] = [1000, 10]
/**
 * Milliseconds between two signs of life, at each of which the credential is checked, and how long a stream
 * lasts at least; up to five minutes more by chance.
 */
const [ALIVE, HOUR, CHANCE] = [14_000, 3_600_000, 300_000]
/** Bytes that wait for the reader before no more is read for them. */
const FULL = 1024 * 1024

/** Open streams of this process. */
export class Streams {
  readonly #open = new Map<AbortController, string>()
  readonly #endpoint: 'changes' | 'mcp'

  /** `door`: the protocol, for metrics. */
  constructor(endpoint: 'changes' | 'mcp') {
    this.#endpoint = endpoint
  }

  /** Throws TooManyRequests. */
  begin(name: string): AbortController {
    const openStreams = [...this.#open.values()].filter((streamName) => streamName === name).length
    if (this.#open.size >= MOST || openStreams >= MOST_OF_ONE)
      throw new TooManyRequests('Too many open streams: close one first.', { code: 'too_many_at_once' })
    const controller = new AbortController()
    this.#open.set(controller, name)
    watch.sink?.move('comptoir_streams', 1, { door: this.#endpoint })
    return controller
  }

  over(controller: AbortController): void {
    if (this.#open.delete(controller)) watch.sink?.move('comptoir_streams', -1, { door: this.#endpoint })
  }

  /** The server stops. */
  end(): void {
    for (const controller of this.#open.keys()) controller.abort()
  }
}

/** Pages that are being read: streams of one reader with one question share those of one place. */
export class SharedPages {
  readonly #reading = new Map<string, Promise<Page>>()

  /** The page for `name`: the one being read, or the result of `read`. */
  page(name: string, read: () => Promise<Page>): Promise<Page> {
    const reading = this.#reading.get(name)
    if (reading) return reading
    const page = read().finally(() => this.#reading.delete(name))
    this.#reading.set(name, page)
    return page
  }
}

/** Source of a stream's events. */
export interface Source {
  readonly pulse: Pick<Pulse, 'beat' | 'next'>
  /** The page after a cursor, read since a beat; throws if the credential is not valid any more. */
  readonly page: (cursor: string, beat: number) => Promise<Page>
  /** Throws if the credential is not valid any more. */
  readonly prove: () => Promise<void>
  readonly signal: AbortSignal
  /** Milliseconds between two signs of life, if not the usual ones. */
  readonly alive?: number
}

/** Headers of an answer that a stream begins with too. */
const TOLD = /^(?:preference-applied|access-control-.*)$/

export function beginStream(reply: FastifyReply): void {
  const { raw, request } = reply
  const headers = Object.entries(reply.getHeaders()).filter(([name]) => TOLD.test(name))
  raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': request.id,
  })
  raw.write('retry: 2000\n\n')
}

/** Ends a stream with the error that ended it. */
export function endStream(raw: ServerResponse, error: unknown): void {
  const failure = visible(error)
  const description = { ...errorObject(failure), status: failure.status, code: failure.code }
  raw.end(`event: ${failure.status === 410 ? 'resync' : 'error'}\ndata: ${JSON.stringify(description)}\n\n`)
}

/**
 * Sends pages and waits for more, until the reader is gone or the time is over. Throws if the credential is
 * not valid any more.
 */
export async function sendStream(
  raw: ServerResponse,
  first: { readonly page: Page; readonly beat: number },
  source: Source,
): Promise<void> {
  const { signal, pulse } = source
  const writer = new Writer(raw, source)
  const until = performance.now() + HOUR + Math.random() * CHANCE
  let { page, beat } = first
  for (;;) {
    for (const events of eventsOf(page)) await writer.write(events)
    if (!page.more) {
      const { quietFor } = writer
      await pulse.next({ milliseconds: page.held ? Math.min(HELD, quietFor) : quietFor, signal, beat })
      await writer.live()
    }
    if (signal.aborted || performance.now() > until) break
    beat = pulse.beat
    page = await source.page(page.cursor, beat)
  }
  // Even without changes the reader gets the current cursor, from which it can go on.
  if (!signal.aborted) await writer.write(`id: ${page.cursor}\nevent: bye\ndata: {}\n\n`)
}

/** Writes as fast as the reader reads. */
class Writer {
  readonly #raw: ServerResponse
  readonly #source: Source
  #wroteAt = performance.now()

  constructor(raw: ServerResponse, source: Source) {
    this.#raw = raw
    this.#source = source
  }

  /** Milliseconds until a sign of life is due. */
  get quietFor(): number {
    return Math.max(0, this.#wroteAt + this.#alive - performance.now())
  }

  get #alive(): number {
    return this.#source.alive ?? ALIVE
  }

  /** Writes a sign of life if one is due. */
  async live(): Promise<void> {
    if (this.quietFor === 0) await this.write(': still here\n\n')
  }

  /** The position waits in the database, and not the changes here: nothing is read for who does not read. */
  async write(text: string): Promise<void> {
    const { signal, prove } = this.#source
    if (signal.aborted) return
    this.#raw.write(text)
    this.#wroteAt = performance.now()
    while (this.#raw.writableLength > FULL && !signal.aborted) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(this.#alive)])
      await once(this.#raw, 'drain', { signal: patience }).catch(() => undefined)
      if (patience.aborted && !signal.aborted) await prove()
    }
  }
}

/** Characters of events that are written in one go. */
const PIECE = 64 * 1024

/**
 * Events of changes, each with the cursor after it: a reader that was cut off goes on with the next one.
 * Several at a time.
 */
function* eventsOf({ changes, cursor, caughtUp, behind }: Page): Generator<string> {
  let events = ''
  for (const [n, change] of changes.entries()) {
    const id = n === changes.length - 1 && !caughtUp ? cursor : behind(n)
    events += `id: ${id}\nevent: change\ndata: ${textOf(change)}\n\n`
    if (events.length < PIECE) continue
    yield events
    events = ''
  }
  if (caughtUp) events += `id: ${cursor}\nevent: caught-up\ndata: {}\n\n`
  if (events) yield events
}
