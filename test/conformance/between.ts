// A stand-in for a server that has a look at each request before it passes it on, and passes back what comes.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way. */
export interface Passing {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Sends it to the server, with other headers if any are given; as often as wanted. */
  send(more?: Record<string, string>): Promise<Response>
}

export interface Between {
  readonly url: string
  close(): Promise<void>
}

/** Opens a stand-in for the server at `url`; `pass` gives what is answered. */
export async function openBetween(
  url: string,
  pass: (passing: Passing) => Promise<Response>,
): Promise<Between> {
  const http = createServer((request, response) => {
    passingOf(request, url)
      .then(pass)
      .then((answer) => passBack(answer, response))
      .catch((error: unknown) => response.destroy(error as Error))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

async function passingOf(request: IncomingMessage, to: string): Promise<Passing> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = 'GET', url = '/' } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !/^(host|connection|content-length)$/.test(name) ? [[name, value]] : [],
    ),
  )
  const body = Buffer.concat(chunks)
  const send = (more: Record<string, string> = {}) =>
    fetch(`${to}${url}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity', ...more },
      redirect: 'manual',
      body: body.length ? body : null,
    })
  return { method, url, headers, body, send }
}

async function passBack(answer: Response, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name)),
  )
  const cookies = answer.headers.getSetCookie()
  response.writeHead(answer.status, cookies.length ? { ...headers, 'set-cookie': cookies } : headers)
  response.end(Buffer.from(await answer.arrayBuffer()))
}
