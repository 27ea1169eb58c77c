// Sends files: type, name, caching, ranges, and headers that keep browsers from running them as pages of this
// server.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Content } from '../../services/file-content.ts'
import { isOn } from './place.ts'
import { rangeOf } from './range.ts'

/** Kinds that browsers show and do not run. */
const harmless =
  /^(?:image\/(?:png|jpeg|gif|webp|bmp|avif|x-icon|vnd\.microsoft\.icon)|application\/pdf|text\/plain|text\/csv|(?:audio|video)\/[\w.+-]+)$/

export interface Named {
  readonly download?: string | undefined
  readonly filename?: string | undefined
  /** Part of addresses that change with the content. */
  readonly unique?: string | undefined
}

/** Sends a content, or the requested part; 304 if the client has it already. */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  query: Named,
): FastifyReply {
  const { headers } = request
  const etag = `"${content.etag}"`
  const age = query.unique ? 'max-age=31536000, immutable' : 'no-cache'
  reply.headers({
    etag,
    'cache-control': `${content.open ? 'public' : 'private'}, ${age}`,
    'x-content-type-options': 'nosniff',
    'content-disposition': disposition(content, query),
    'accept-ranges': 'bytes',
    // Uploaded pages get no rights of this server; viewers of PDF need theirs.
    ...(content.mimetype === 'application/pdf'
      ? {}
      : { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
  })
  if (!content.open) reply.header('vary', 'authorization, cookie')
  if (matchesTag(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.header('content-type', contentType(content.mimetype))
  const ranged = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = ranged ? rangeOf(headers.range, content.size) : 'whole'
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${content.size}`).send()
  const { start, end } = range === 'whole' ? { start: 0, end: content.size - 1 } : range
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end}/${content.size}`)
  reply.header('content-length', end - start + 1)
  // Fastify counts the bytes of buffers itself: an empty stream keeps the length set above.
  return reply.send(
    request.method === 'HEAD'
      ? Readable.from([])
      : content.size === 0
        ? Buffer.alloc(0)
        : content.read(start, end),
  )
}

/** A kind as a header; what could be none, out of an old backup, is bytes. */
function contentType(mimetype: string): string {
  if (!/^[\x20-\x7e]+$/.test(mimetype)) return 'application/octet-stream'
  return /^text\/(?:plain|csv)$/.test(mimetype) ? `${mimetype}; charset=utf-8` : mimetype
}

/** Whether a header If-None-Match names a tag. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
  )
}

/** Shows only harmless types, and the server's own drawings; others are downloaded. */
function disposition(content: Content, { download, filename }: Named): string {
  const shown = !isOn(download) && (harmless.test(content.mimetype) || content.drawn)
  const name = filename || content.name
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  const quoted = /^[\w.+-]+$/.test(plain) ? plain : `"${plain}"`
  const utf8 =
    plain === name
      ? ''
      : `; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`
  return `${shown ? 'inline' : 'attachment'}; filename=${quoted}${utf8}`
}
