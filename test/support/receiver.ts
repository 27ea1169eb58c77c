// A receiver of webhooks, on the loopback by default: keeps requests, and answers as a test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: {
    readonly type: string
    readonly sequence?: string
    readonly data: {
      readonly model: string
      readonly id: number
      readonly fields?: readonly string[]
      readonly values?: Readonly<Record<string, unknown>>
      readonly truncated?: boolean
    }
  }
}

export interface Receiver {
  readonly url: string
  readonly got: Received[]
  /** Writes the answer; 200 by default. */
  answer: (received: Received, response: ServerResponse) => void
  close(): Promise<void>
}

export async function openReceiver(port = 0, host = '127.0.0.1'): Promise<Receiver> {
  const got: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const received = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] }
    got.push(received)
    receiver.answer(received, response)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  const receiver: Receiver = {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    got,
    answer: (_received, response) => response.writeHead(200).end('ok'),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}

/** Waits until something holds: as long as a slow machine may take. The limit is for what never holds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  seconds = 900,
): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
