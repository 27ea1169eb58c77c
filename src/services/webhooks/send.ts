// One attempt: a signed POST to a receiver (Standard Webhooks 1.0), and what came of it. No redirects, no
// proxies, public addresses only.
import { createHmac } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { guardedLookup, mayReach, type Resolve, Unreachable, urlFlaw } from '../../kit/outgoing.ts'
import type { TraceContext } from '../../kit/watch/index.ts'

/** Milliseconds for a connection, and for an attempt as a whole. */
export const [CONNECT, WHOLE] = [10_000, 15_000]
/** Bytes of an answer that are read, with all that stands around them, and characters that are kept of it. */
const [READ, KEPT] = [64 * 1024, 1024]
/** Answers before the answer (1xx) that are listened to. */
const EARLY = 10

export interface Outcome {
  /** Of the receiver's answer; null: there was none. */
  readonly status: number | null
  readonly error: string | null
  readonly reply: string
  readonly retryAfter: string | undefined
}

export interface Message {
  readonly url: string
  /** The same for every attempt. */
  readonly id: string
  readonly body: string
  /** Those that are in force, `whsec_…`: each signs. */
  readonly secrets: readonly string[]
  /** The trace that the receiver goes on with. */
  readonly trace?: TraceContext | null
}

/** The signatures of a message as the header has them. */
export function signatures(
  { id, body, secrets }: Pick<Message, 'id' | 'body' | 'secrets'>,
  stamp: number,
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${stamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}

/** Sends messages over connections that are kept for a while. */
export class Sender {
  readonly #lookup: ReturnType<typeof guardedLookup>
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 32, timeout: WHOLE }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 32, timeout: WHOLE }),
  }

  /** `resolve` looks hosts up. */
  constructor(resolve?: Resolve) {
    this.#lookup = guardedLookup(resolve)
  }

  close(): void {
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }

  /** Makes one attempt. Never throws. */
  async send(message: Message): Promise<Outcome> {
    try {
      const answer = await this.#post(message)
      const reply = await textOf(answer)
      return {
        status: answer.statusCode ?? null,
        error: null,
        reply,
        retryAfter: answer.headers['retry-after'],
      }
    } catch (error) {
      return { status: null, error: wordsOf(error), reply: '', retryAfter: undefined }
    }
  }

  #post(message: Message): Promise<IncomingMessage> {
    const flaw = urlFlaw(message.url)
    if (flaw) throw new Unreachable(flaw)
    const url = new URL(message.url)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // An address needs no lookup, so it is checked here.
    if (isIP(host) && !mayReach(host)) throw new Unreachable(`${host} is not a public address.`)
    const isPlain = url.protocol === 'http:'
    const stamp = Math.floor(Date.now() / 1000)
    const body = Buffer.from(message.body)
    return new Promise((resolve, reject) => {
      const request = (isPlain ? httpRequest : httpsRequest)(url, {
        method: 'POST',
        agent: this.#agents[isPlain ? 'http:' : 'https:'],
        lookup: this.#lookup,
        signal: AbortSignal.timeout(WHOLE),
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          'user-agent': 'Comptoir-Webhooks/1',
          'webhook-id': message.id,
          'webhook-timestamp': String(stamp),
          'webhook-signature': signatures(message, stamp),
          ...message.trace,
        },
      })
      const late = setTimeout(() => request.destroy(new Error('No connection within 10 seconds.')), CONNECT)
      request.once('socket', (socket) => {
        inSlices(socket)
        const connected = () => clearTimeout(late)
        if (socket.connecting) socket.once(isPlain ? 'connect' : 'secureConnect', connected)
        else connected()
      })
      let early = 0
      request.on('information', () => {
        if (++early > EARLY)
          request.destroy(new Error('The receiver sent too many informational responses (1xx).'))
      })
      request.once('error', reject).once('response', resolve)
      request.once('close', () => clearTimeout(late))
      request.end(body)
    })
  }
}

/** Bytes of an answer that are taken apart in one go: each few of them may be a piece of its own. */
const SLICE = 2048
const sliced = new WeakSet<Duplex>()

/** Parses the data of a connection in slices, so that other work runs between them. */
export function inSlices(socket: Duplex): void {
  if (sliced.has(socket)) return
  sliced.add(socket)
  const push = socket.push.bind(socket)
  const waiting: (Buffer | null)[] = []
  const next = () => {
    const slice = waiting.shift()
    if (slice === undefined || socket.destroyed) return
    push(slice)
    if (waiting.length) setImmediate(next)
  }
  socket.push = (chunk: Buffer | null) => {
    const isIdle = waiting.length === 0
    if (isIdle && (chunk === null || chunk.length <= SLICE)) return push(chunk)
    for (let at = 0; chunk && at < chunk.length; at += SLICE) waiting.push(chunk.subarray(at, at + SLICE))
    if (chunk === null) waiting.push(null)
    if (isIdle) setImmediate(next)
    // Nothing more is read meanwhile.
    return false
  }
}

/** The beginning of an answer; what goes on without end, or in crumbs, is cut off. */
async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  const { socket } = answer
  const begin = socket.bytesRead
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (Math.max(size, socket.bytesRead - begin) < READ) continue
    answer.destroy()
    break
  }
  const text = Buffer.concat(chunks)
    .subarray(0, KEPT * 4)
    .toString('utf8')
  return text.replaceAll('\0', '').slice(0, KEPT).toWellFormed()
}

/** Why there was no answer, in few words and without what a receiver could put there. */
function wordsOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'No answer within 15 seconds.'
  const { code, message } = error as NodeJS.ErrnoException
  return (code && !(error instanceof Unreachable) ? `${code}: ${message}` : message).slice(0, 300)
}
