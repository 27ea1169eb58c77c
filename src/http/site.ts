// Static files of the owner's own, under /site: pages of the server's origin that need no CORS.
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { codeOf } from '../kit/caught.ts'
import { matchesTag } from './content/send.ts'
import { notFoundHandler } from './failures.ts'

const PATH = '/site'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
}

type SiteRequest = FastifyRequest<{ Params: { '*'?: string } }>

/** Registers the files of a folder; folders answer with their `index.html`. Changes nothing without a folder. */
export function siteFiles(app: FastifyInstance, folder: string | undefined): void {
  if (folder === undefined) return
  const answer = (request: SiteRequest, reply: FastifyReply) => sendFile(request, reply, folder)
  app.get(PATH, answer)
  app.get(`${PATH}/*`, answer)
}

async function sendFile(request: SiteRequest, reply: FastifyReply, folder: string): Promise<unknown> {
  const path = request.params['*'] ?? ''
  const [address = '', ...query] = request.url.split('?')
  const file = await openedFile(folder, path)
  // Relative addresses in an index begin at its folder.
  if (file === 'folder' && !address.endsWith('/'))
    return reply.redirect([`${address}/`, ...query].join('?'), 308)
  const index = file === 'folder' ? await openedFile(folder, `${path}/index.html`) : file
  if (index === null || index === 'folder') return notFoundHandler(request, reply)
  const { handle, name } = index
  const { size, mtimeMs } = await handle.stat()
  const etag = `W/"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`
  reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  const isKnown = matchesTag(request.headers['if-none-match'], etag.slice(2))
  const hasBody = !isKnown && size > 0 && request.method !== 'HEAD'
  if (!hasBody) await handle.close()
  if (isKnown) return reply.code(304).send()
  reply.headers({
    'content-type': TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream',
    'content-length': size,
  })
  // Fastify counts the bytes of texts itself: an empty stream keeps the length set above.
  if (!hasBody) return reply.send(Readable.from([]))
  const content = handle.createReadStream({ end: size - 1 })
  // A file that became shorter meanwhile: the next answer would be taken for the rest of it.
  content.once('end', () => {
    if (content.bytesRead < size) reply.raw.destroy()
  })
  return reply.send(content)
}

interface OpenedFile {
  readonly handle: FileHandle
  readonly name: string
}

/**
 * The file at a path, to be closed; null if it does not exist. Hidden files are not served, nor are targets
 * of links outside of the folder.
 */
async function openedFile(folder: string, path: string): Promise<OpenedFile | 'folder' | null> {
  const parts = path.split('/').filter(Boolean)
  if (parts.some((part) => part.startsWith('.') || /[\0\\]/.test(part))) return null
  try {
    const root = await realpath(folder)
    const name = await realpath(join(root, ...parts))
    if (name !== root && !name.startsWith(`${root}${sep}`)) return null
    // Nothing else is opened: a pipe would wait for its writer.
    const entry = await stat(name)
    return entry.isFile() ? { handle: await open(name), name } : entry.isDirectory() ? 'folder' : null
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG', 'EISDIR'].includes(codeOf(error) ?? ''))
      return null
    throw error
  }
}
