// Records the exchanges of a side: those that pass a proxy in front of its server, in the order of answers.
import { openBetween } from '../conformance/between.ts'
import type { Exchange } from './exchange.ts'

export interface Recorder {
  readonly exchanges: Exchange[]
  /** Takes what was recorded so far, and forgets it. */
  take(): Exchange[]
  /** Sends a request to the server and records it. */
  send(request: Outgoing): Promise<Exchange>
  /** Opens a proxy whose requests are recorded in a lane. */
  proxy(lane: number): Promise<{ readonly url: string; close(): Promise<void> }>
}

export interface Outgoing {
  readonly lane: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Records what is sent to the server at `url`; `nextXid` asks its database for the next transaction id. */
export function recorderOf(url: string, nextXid: () => Promise<number>): Recorder {
  const exchanges: Exchange[] = []
  const record = async (request: Outgoing, begin: number, answer: Response): Promise<Exchange> => {
    const body = Buffer.from(await answer.arrayBuffer())
    const end = Date.now()
    const exchange = {
      lane: request.lane,
      method: request.method,
      path: request.path,
      requestHeaders: request.headers,
      requestBody: request.body,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body,
      begin,
      end,
      nextXid: await nextXid(),
    }
    exchanges.push(exchange)
    return exchange
  }
  return {
    exchanges,
    take: () => exchanges.splice(0),
    async send(request) {
      const { method, path, headers, body } = request
      const begin = Date.now()
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        redirect: 'manual',
        body: body.length ? body : null,
      })
      return record(request, begin, answer)
    },
    proxy: (lane) =>
      openBetween(url, async ({ method, url: path, headers, body, send }) => {
        const begin = Date.now()
        const answer = await send()
        await record({ lane, method, path, headers, body }, begin, answer.clone())
        return answer
      }),
  }
}
