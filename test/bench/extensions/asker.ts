// Calls to a server, and how long each took.
import { Agent, request } from 'node:http'
import type { Served } from '../../support/serve.ts'

export interface Asker {
  /** Milliseconds that a call took, and its answer. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<{ ms: number; body: unknown }>
}

export const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export function askerOf({ url }: Served, key: string): Asker {
  return {
    post: (path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        const sent = request(`${url}${path}`, {
          method: 'POST',
          agent,
          headers: {
            'content-type': 'application/json',
            authorization: `bearer ${key}`,
            'x-service-database': 'test',
            ...headers,
          },
        })
        sent.once('error', reject).once('response', async (answer) => {
          const chunks: Buffer[] = []
          for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
          const text = Buffer.concat(chunks).toString()
          if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${path}: ${answer.statusCode} ${text}`))
          else resolve({ ms: performance.now() - began, body: text ? JSON.parse(text) : null })
        })
        sent.end(JSON.stringify(body))
      }),
  }
}
