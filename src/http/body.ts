// Reads the body of a request, within a limit; chunked bodies like any other.
import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { BadRequest, PayloadTooLarge } from '../errors.ts'

/** Bytes that are put together at once; longer bodies in several steps, between which others have their turn. */
const STEP = 8 * 1024 ** 2

/**
 * All bytes of a body. Throws PayloadTooLarge (413) beyond `limit` bytes and BadRequest for a body that breaks off.
 * What a refused body still sends is discarded, so that the client gets to read the answer.
 */
export function readBody(message: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(message.headers['content-length']) > limit)
      return reject(new PayloadTooLarge(`The request body is larger than ${limit} bytes`))
    const chunks: Buffer[] = []
    let length = 0
    message.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(new PayloadTooLarge(`The request body is larger than ${limit} bytes`))
      }
    })
    message.on('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : length > STEP ? joined(chunks, length) : Buffer.concat(chunks)),
    )
    message.on('error', (error) => reject(new BadRequest('The request body broke off', { cause: error })))
    message.on('close', () => {
      // Every request closes in the end: an error is made for those that are not whole.
      if (!message.complete) reject(new BadRequest('The request body broke off'))
    })
  })
}

async function joined(chunks: readonly Buffer[], length: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length)
  let done = 0
  let pause = STEP
  for (const chunk of chunks) {
    chunk.copy(whole, done)
    done += chunk.length
    if (done < pause) continue
    await turn()
    pause = done + STEP
  }
  return whole
}

/** Whether a request announces a body at all, though it may turn out empty. */
export function announcesBody(message: IncomingMessage): boolean {
  const length = message.headers['content-length']
  return message.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
