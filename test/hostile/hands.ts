// The hands of an attack: sends requests piece by piece, notes what came back and judges every reply by
// itself.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Random } from '../fuzz/random.ts'
import type { Hands, Member, Reply, Request, Who, World } from './attack.ts'
import { type Body, lengthOf, piecesOf } from './bodies.ts'

const HEAD = 64 * 1024
/** The outcome of an attack, as the attacker saw it. */
export interface Outcome {
  readonly statuses: Readonly<Record<string, number>>
  /** The longest silence of an answer in milliseconds. */
  readonly quiet: number
  readonly complaints: readonly string[]
  /** The message of the first rejected request. */
  readonly words: string
}

/** The methods may be taken apart: they know their object. */
/** Where those come from who open sessions. */
const SIGNING_IN = '10.208.0.1'

export class AttackHands implements Hands {
  readonly world: World
  readonly random: Random
  readonly #address: string
  readonly #end = new AbortController()
  readonly #statuses: Record<string, number> = {}
  readonly #complaints = new Set<string>()
  readonly #sockets = new Set<Socket>()
  #quiet = 0
  #words = ''

  constructor(world: World, seed: number) {
    this.world = world
    this.random = new Random(seed)
    // A network of its own: what one attack spoils for its address is nothing to the next.
    this.#address = `10.${1 + this.random.below(250)}.${this.random.below(256)}.${1 + this.random.below(250)}`
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  get outcome(): Outcome {
    return {
      statuses: this.#statuses,
      quiet: Math.round(this.#quiet),
      complaints: [...this.#complaints].slice(0, 5),
      words: this.#words,
    }
  }

  /** Ends what still runs. */
  close(): void {
    this.#end.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Ignores complaints after an abort: the code that aborts reports the missing end. */
  readonly complain = (words: string): void => {
    if (!this.signal.aborted) this.#complaints.add(words)
  }

  readonly send = async (request: Request): Promise<Reply> => {
    const reply = await exchange(this.world.url, this.#address, request, this.signal)
    if (this.signal.aborted) return reply
    this.#statuses[reply.status || (reply.failure ?? 'none')] =
      (this.#statuses[reply.status || (reply.failure ?? 'none')] ?? 0) + 1
    this.#quiet = Math.max(this.#quiet, reply.quiet)
    if (reply.status >= 400 || reply.text.includes('"error"')) this.#words ||= refusalOf(reply)
    const objection = objectionTo(reply)
    if (objection) this.complain(`${request.path.slice(0, 60)}: ${objection}`)
    return reply
  }

  readonly json2 = (who: Who, path: string, body: Body): Promise<Reply> => {
    return this.send({
      path: `/json/2/${path}`,
      headers: {
        authorization: `bearer ${who === 'stranger' ? '0'.repeat(40) : this.world.keys[who]}`,
        'content-type': 'application/json',
        'x-service-database': this.world.database,
      },
      body,
    })
  }

  readonly crowd = async (
    count: number,
    atOnce: number,
    work: (at: number) => Promise<unknown>,
  ): Promise<void> => {
    let next = 0
    const lane = async () => {
      while (next < count && !this.signal.aborted) await work(next++)
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane))
  }

  readonly session = async (who: Member): Promise<string> => {
    const params = { db: this.world.database, login: who, password: this.world.password }
    const { headers, text } = await this.send({
      path: '/web/session/authenticate',
      headers: { 'content-type': 'application/json' },
      body: [JSON.stringify({ jsonrpc: '2.0', params })],
      // No attack guesses passwords from this address: elsewhere a right password may be delayed.
      from: SIGNING_IN,
    })
    const cookie = [headers['set-cookie'] ?? []].flat()[0]?.split(';')[0]
    if (!cookie) throw new Error(`no session: ${text.slice(0, 200)}`)
    return cookie
  }

  readonly socket = (): Promise<Socket> => {
    const { hostname, port } = new URL(this.world.url)
    return new Promise((done) => {
      const socket = connect(Number(port), hostname, () => done(socket))
      this.#sockets.add(socket)
      socket.on('error', () => done(socket))
    })
  }
}

/** The fault of a single reply, or null. */
function objectionTo({ status, text, headers, failure }: Reply): string | null {
  if (status === 0) return `no answer (${failure})`
  if (status === 503) return headers['retry-after'] ? null : '503 without Retry-After'
  if (status >= 500) return `${status}: ${text.slice(0, 120)}`
  if (status >= 400 && text.trim() === '' && headers['content-length'] !== '0')
    return `${status} without words`
  // Envelopes of RPC have a status of 200 whatever happened.
  return /^(\{"jsonrpc|<\?xml)[\s\S]{0,400}(builtins\.Exception|Internal Server Error)/.test(text)
    ? `an internal error: ${text.slice(0, 160)}`
    : null
}

/** The message of a refusal, in short. */
const refusalOf = ({ text }: Reply): string =>
  (/(?:"message": ?"|<string>|<p class="notice[^>]*>)([^"<]*)/.exec(text)?.[1] ?? text).trim().slice(0, 100)

function exchange(url: string, from: string, request: Request, signal: AbortSignal): Promise<Reply> {
  return new Promise((done) => {
    let last = performance.now()
    let quiet = 0
    const progress = () => {
      const now = performance.now()
      quiet = Math.max(quiet, now - last)
      last = now
    }
    let response: IncomingMessage | undefined
    let text = ''
    let bytes = 0
    const end = (failure: string | null) => {
      progress()
      outgoing.destroy()
      done({
        status: response?.statusCode ?? 0,
        headers: response?.headers ?? {},
        text,
        bytes,
        quiet,
        failure,
      })
    }
    const { body = [], chunked = false } = request
    const length = body.length === 0 || chunked ? {} : { 'content-length': String(lengthOf(body)) }
    last = performance.now()
    const outgoing = httpRequest(url + request.path, {
      method: request.method ?? (body.length ? 'POST' : 'GET'),
      headers: {
        connection: 'keep-alive',
        'x-forwarded-for': request.from ?? from,
        ...length,
        ...request.headers,
      },
      agent: false,
      signal,
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      response ? undefined : end(error.code ?? error.message),
    )
    outgoing.on('response', (incoming) => {
      progress()
      response = incoming
      incoming.on('data', (chunk: Buffer) => {
        progress()
        if (text.length < HEAD) text += chunk.toString('latin1')
        bytes += chunk.length
      })
      incoming.on('end', () => end(null))
      incoming.on('error', () => end('broken off'))
      incoming.on('close', () => end('closed'))
    })
    if (body.length === 0) return void outgoing.end()
    const source = Readable.from(piecesOf(body), { highWaterMark: 1 })
    source.on('data', progress)
    // The server may answer and close before the body ends.
    source.on('error', () => undefined)
    outgoing.on('close', () => source.destroy())
    source.pipe(outgoing)
  })
}
