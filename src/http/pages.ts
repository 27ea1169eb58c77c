// The pages built from src/pages: their files under /web/assets, and the HTML that a route sends around one
// of them.

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '../errors.ts'
import { codeOf } from '../kit/caught.ts'
import { present } from '../kit/present.ts'
import { compressed, type Encoding, encodingFor, WORTH_COMPRESSING } from './compress.ts'
import { type Assets, frame, ICON, type Page } from './page-frame.ts'
import { sendLong } from './reply.ts'

const PATH = '/web/assets/'
const BUILT = fileURLToPath(new URL('../../build/pages/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** A line of Vite's manifest. */
interface Chunk {
  readonly file: string
  readonly name?: string
  readonly isEntry?: boolean
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

interface BuiltFile {
  readonly text: string
  readonly type: string
  /** Its bytes in the requested encodings, compressed once, as any client may request it often. */
  readonly packed: Map<Encoding, Promise<Buffer>>
}

interface Built {
  readonly files: ReadonlyMap<string, BuiltFile>
  readonly chunks: Readonly<Record<string, Chunk>>
}

let kept: Built | undefined

/** The built pages, read once; null if `npm run pages` has not run. */
function built(): Built | null {
  if (kept) return kept
  try {
    const chunks = JSON.parse(readFileSync(join(BUILT, 'manifest.json'), 'utf8')) as Built['chunks']
    const served = readdirSync(BUILT).filter((name) => TYPES[extname(name)])
    kept = {
      chunks,
      files: new Map(served.map((name) => [name, fileOf(name)])),
    }
    return kept
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

const fileOf = (name: string): BuiltFile => ({
  text: readFileSync(join(BUILT, name), 'utf8'),
  type: present(TYPES[extname(name)]),
  packed: new Map(),
})

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, type, packed }: BuiltFile,
): Promise<FastifyReply> {
  const encoding = text.length < WORTH_COMPRESSING ? null : encodingFor(request.headers['accept-encoding'])
  if (!encoding) return sendLong(request, reply, text, { type })
  const bytes = packed.get(encoding) ?? compressed(text, encoding)
  packed.set(encoding, bytes)
  return reply
    .headers({ 'content-type': type, vary: 'accept-encoding', 'content-encoding': encoding })
    .send(await bytes)
}

/** Registers the files. Their names carry a hash of the content, so browsers keep them. */
export function pageAssets(app: FastifyInstance): void {
  app.get(`${PATH}:file`, (request, reply) => {
    const file = built()?.files.get((request.params as { file: string }).file)
    if (!file) throw new NotFound('File not found')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    return sendFile(request, reply, file)
  })
}

/** Registers what browsers and crawlers ask of any server: its icon, and that there is nothing to index. */
export function wellKnownFiles(app: FastifyInstance): void {
  const send = (path: string, type: string, text: string) =>
    app.get(path, (_request, reply) =>
      reply
        .headers({
          'content-type': type,
          'cache-control': 'public, max-age=86400',
          'x-content-type-options': 'nosniff',
        })
        .send(text),
    )
  send('/favicon.ico', 'image/svg+xml', ICON)
  send('/robots.txt', 'text/plain; charset=utf-8', 'User-agent: *\nDisallow: /\n')
}

/** Sends a page: scripts and styles from our own files alone, nothing inline, nothing kept by caches. */
export function sendBuiltPage(reply: FastifyReply, page: Page): FastifyReply | Promise<FastifyReply> {
  reply.headers({
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  })
  return sendLong(reply.request, reply, frame(page, assetsOf(page.name)), {
    type: 'text/html; charset=utf-8',
    status: page.status ?? 200,
  })
}

/** The script of a page and the styles that its parts share; null if the pages are not built. */
function assetsOf(name: string): Assets | null {
  const build = built()
  const entry = build && Object.values(build.chunks).find((chunk) => chunk.isEntry && chunk.name === name)
  if (!entry) return null
  const parts = [entry, ...(entry.imports ?? []).flatMap((key) => build.chunks[key] ?? [])]
  const styles = new Set(parts.flatMap((part) => part.css ?? []))
  // A page's own style is listed first, and must come after the shared one to override it.
  return { script: `${PATH}${entry.file}`, styles: [...styles].reverse().map((file) => `${PATH}${file}`) }
}
