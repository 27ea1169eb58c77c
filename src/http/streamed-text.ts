// Answers that come in pieces: sent as fast as the client takes them, and no faster; what breaks off, breaks
// off for both sides.
import { pipeline, Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { visible } from '../wire/errors.ts'
import { encodingFor } from './compress.ts'
import { logFailure } from './failures.ts'
import type { Log } from './log.ts'

export interface StreamedText {
  readonly first: string
  readonly more: AsyncGenerator<string, void>
  readonly type: string
}

/**
 * Sends a text that begins with `first`. A failure on the way cuts the connection, so that clients notice an
 * incomplete answer; a client that goes away or stalls (connections.ts) ends `more`.
 */
export function sendStreamed(
  request: FastifyRequest,
  reply: FastifyReply,
  { first, more, type }: StreamedText,
  log: Log,
): FastifyReply {
  const { raw } = reply
  if (raw.destroyed) {
    void more.return()
    return reply.hijack()
  }
  const failed = (error: unknown) => {
    if (!raw.destroyed) logFailure(log, request, visible(error))
    raw.destroy()
  }
  const text = Readable.from(whole(first, more, failed), { objectMode: false, highWaterMark: 64 * 1024 })
  // Also if reading never began.
  text.once('close', () => void more.return())
  reply.header('content-type', type).header('vary', 'accept-encoding')
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (!encoding) return reply.send(text)
  const packed =
    encoding === 'br'
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })
      : createGzip({ level: 2 })
  // Either end of it ends the other; the reader of `packed` gets the failures.
  pipeline(text, packed, () => undefined)
  return reply.header('content-encoding', encoding).send(packed)
}

async function* whole(
  first: string,
  more: AsyncGenerator<string, void>,
  failed: (error: unknown) => void,
): AsyncGenerator<string, void> {
  try {
    yield first
    yield* more
  } catch (error) {
    failed(error)
    throw error
  }
}
