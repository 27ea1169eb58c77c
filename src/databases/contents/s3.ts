// A store that speaks the protocol of S3: objects by their names, sent and read as streams. Signatures are
// the library's.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { StoreCredentials, StorePlace } from '../../config/index.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { PeerHealth } from '../../kit/peer-health.ts'

export interface Sending {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | Readable
  /** Bytes of the body. */
  readonly length?: number
  /** SHA-256 of the body, which the store compares. */
  readonly sha256?: string
}

/** An object, as in lists and answers to HEAD. */
export interface StoreObject {
  readonly name: string
  readonly size: number
  /** Seconds since it was written, by the clock of the store. */
  readonly age: number
}

/**
 * Milliseconds until the store answers: calls hold a connection to PostgreSQL meanwhile, for which others
 * wait longer than this.
 */
const SILENCE_MS = 6000
/** The same for streams and copies, which take as long as they are large, and for the rest of an answer. */
const LARGE_SILENCE_MS = 20_000
/** Pauses before what failed is sent again. */
const PAUSES = [200, 800]

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** An answer by which a store refuses. Its message, which may name accounts, is left out. */
export class StoreRefusal extends Error {
  readonly status: number
  /** Empty where the answer has none, as to HEAD. */
  readonly code: string

  constructor(status: number, code: string) {
    super(`The file store answered ${status}${code && ` ${code}`}`)
    this.status = status
    this.code = code
  }
}

/** The store did not answer in time, or is left alone because it did not a moment ago. */
class Silence extends Error {}

export class S3 {
  readonly #place: StorePlace
  readonly #credentials: StoreCredentials
  readonly #silenceMs: number
  readonly #agent: HttpAgent
  /** One that is silent is left alone, so that it does not hold up all calls. */
  readonly #health = new PeerHealth()

  constructor(place: StorePlace, credentials: StoreCredentials, silenceMs = SILENCE_MS) {
    this.#place = place
    this.#credentials = credentials
    this.#silenceMs = silenceMs
    const options = { keepAlive: true, maxSockets: 32 }
    this.#agent = place.endpoint.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  }

  /**
   * The answer of the store, whose body must be read; null for a missing object. Throws ServiceUnavailable,
   * also for a missing bucket.
   */
  async ask(method: string, name: string, sending: Sending = {}): Promise<IncomingMessage | null> {
    const isStream = sending.body !== undefined && !Buffer.isBuffer(sending.body)
    for (let attempt = 0; ; attempt++) {
      const pause = isStream ? undefined : PAUSES[attempt]
      const answer = await this.#answer(method, name, sending).catch((error: unknown) => {
        if (pause === undefined || error instanceof Silence)
          throw new ServiceUnavailable('The file store does not respond. Please try again.', { cause: error })
        return null
      })
      const status = answer?.statusCode ?? 503
      if (answer && status < 300) return answer
      const words = answer ? await text(answer).catch(() => '') : ''
      // An answer to HEAD has no body with a code: a missing bucket is reported by the next request.
      if (status === 404 && (method === 'HEAD' || textOf(words, 'Code') === 'NoSuchKey')) return null
      if (pause === undefined || (status < 500 && status !== 429)) throw refused(status, words)
      await sleep(pause)
    }
  }

  /** The same where only whether it was done matters. */
  async tell(method: string, name: string, sending: Sending = {}): Promise<boolean> {
    const answer = await this.ask(method, name, sending)
    if (answer) await buffer(answer)
    return answer !== null
  }

  async head(name: string): Promise<StoreObject | null> {
    const answer = await this.ask('HEAD', name)
    answer?.resume()
    if (!answer) return null
    const size = Number(answer.headers['content-length'])
    return { name, size, age: ageOf(answer, answer.headers['last-modified'] ?? '') }
  }

  /** All objects whose names begin so, a page at a time. */
  async *list(prefix: string): AsyncGenerator<readonly StoreObject[]> {
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        prefix: this.#place.prefix + prefix,
        ...(token ? { 'continuation-token': token } : {}),
      }
      const answer = await this.ask('GET', '', { query })
      const xml = answer ? await text(answer) : ''
      yield [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, item = '']) => ({
        name: textOf(item, 'Key').slice(this.#place.prefix.length),
        size: Number(textOf(item, 'Size')),
        age: answer ? ageOf(answer, textOf(item, 'LastModified')) : 0,
      }))
      token = textOf(xml, 'NextContinuationToken') || undefined
    } while (token)
  }

  /**
   * Copies an object inside of the store; false if it is missing. Throws ServiceUnavailable, also if the
   * answer begins with success and ends with an error, which happens for copies.
   */
  async copy(from: string, to: string): Promise<boolean> {
    const { bucket, prefix } = this.#place
    const headers = { 'x-amz-copy-source': `/${bucket}/${prefix}${from}` }
    for (let attempt = 0; ; attempt++) {
      const answer = await this.ask('PUT', to, { headers })
      const words = answer ? await text(answer) : ''
      if (!answer || !words.includes('<Error>')) return answer !== null
      const pause = PAUSES[attempt]
      if (pause === undefined) throw refused(200, words)
      await sleep(pause)
    }
  }

  /** The answer, whatever it says. Throws Silence at once where the store was silent a moment ago. */
  async #answer(method: string, name: string, sending: Sending): Promise<IncomingMessage> {
    const health = this.#health
    if (!health.isWell && !health.mayTry()) throw new Silence('The file store was silent, and is left alone')
    try {
      const answer = await this.#send(method, name, sending)
      health.worked()
      return answer
    } catch (error) {
      if (error instanceof Silence || !health.isWell) health.failed(error)
      throw error
    }
  }

  async #send(method: string, name: string, sending: Sending): Promise<IncomingMessage> {
    const { body, length, sha256, query = {} } = sending
    const { endpoint, region, bucket, prefix } = this.#place
    const url = new URL(`${endpoint}/${bucket}/${name && prefix + name}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const signed = await new AwsV4Signer({
      ...this.#credentials,
      method,
      url: url.href,
      service: 's3',
      region,
      headers: {
        ...sending.headers,
        'x-amz-content-sha256': sha256 ?? (body ? 'UNSIGNED-PAYLOAD' : EMPTY),
      },
    }).sign()
    const headers = Object.fromEntries(signed.headers)
    if (body) headers['content-length'] = String(length ?? (Buffer.isBuffer(body) ? body.length : 0))
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp
      const isLarge = (body && !Buffer.isBuffer(body)) || sending.headers?.['x-amz-copy-source'] !== undefined
      const timeout = isLarge ? LARGE_SILENCE_MS : this.#silenceMs
      const request = send(signed.url, { method, headers, agent: this.#agent, timeout }, (answer) =>
        resolve(answer.setTimeout(LARGE_SILENCE_MS)),
      )
      request.once('timeout', () => request.destroy(new Silence('The file store was silent for too long')))
      request.once('error', reject)
      if (!body || Buffer.isBuffer(body)) request.end(body)
      else pipeline(body, request).catch(reject)
    })
  }
}

function refused(status: number, words: string): ServiceUnavailable {
  return new ServiceUnavailable('The file store refuses requests at the moment. Please try again.', {
    cause: new StoreRefusal(status, textOf(words, 'Code')),
  })
}

function ageOf(answer: IncomingMessage, since: string): number {
  return (Date.parse(answer.headers.date ?? '') - Date.parse(since)) / 1000 || 0
}

/** The text of an element; names are of plain letters, so that little is escaped. */
function textOf(xml: string, element: string): string {
  const escaped = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ''
  return escaped.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
