// The pages built from src/pages: their files under /web/assets, and the HTML that a route sends around one of them.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { NotFound } from '../errors.ts'
import { escapeHtml } from './manager-page.ts'

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

interface Built {
  readonly files: ReadonlyMap<string, { readonly bytes: Buffer; readonly type: string }>
  readonly chunks: Readonly<Record<string, Chunk>>
}

let kept: Built | undefined

/** What was built, read once; null where `npm run pages` has not run. */
function built(): Built | null {
  if (kept) return kept
  try {
    const chunks = JSON.parse(readFileSync(join(BUILT, 'manifest.json'), 'utf8')) as Built['chunks']
    const served = readdirSync(BUILT).filter((name) => TYPES[extname(name)])
    kept = {
      chunks,
      files: new Map(served.map((name) => [name, { bytes: readFileSync(join(BUILT, name)), type: TYPES[extname(name)] as string }])),
    }
    return kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Registers the files. Their names carry a hash of the content, so browsers keep them. */
export function pageAssets(app: FastifyInstance): void {
  app.get('/web/assets/:file', (request, reply) => {
    const file = built()?.files.get((request.params as { file: string }).file)
    if (!file) throw new NotFound('There is no such file')
    return reply
      .headers({ 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
      .send(file.bytes)
  })
}

export interface Page {
  readonly title: string
  /** The folder of the page in src/pages. */
  readonly name: string
  /** What the page starts with; its `main.tsx` reads it. Never a secret: it stands in the HTML. */
  readonly facts: object
  /** HTML for those who run no script, in place of what the page would show. */
  readonly plain?: string
  readonly status?: number
}

/** Sends a page: scripts and styles from our own files alone, nothing inline, nothing kept by caches. */
export function sendBuiltPage(reply: FastifyReply, { title, name, facts, plain, status = 200 }: Page): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })
    .send(html(title, name, facts, plain ?? '<p>This page needs JavaScript.</p>'))
}

function html(title: string, name: string, facts: object, plain: string): string {
  const found = built()
  const entry = found && Object.values(found.chunks).find((chunk) => chunk.isEntry && chunk.name === name)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title>`,
    ...(entry ? assetTags(found, entry) : []),
    `</head><body><main>${entry ? plain : `${plain}<p role="alert">The pages are not built yet: run <code>npm run pages</code>.</p>`}</main>`,
    // Data, not a script: browsers do not run this type. No sign in it may end the element.
    `<script type="application/json" id="facts">${JSON.stringify(facts).replaceAll('<', '\\u003c')}</script></body></html>`,
  ].join('\n')
}

/** The tags of an entry and of the styles that its parts share. */
function assetTags(found: Built, entry: Chunk): string[] {
  const parts = [entry, ...(entry.imports ?? []).flatMap((key) => found.chunks[key] ?? [])]
  const styles = new Set(parts.flatMap((part) => part.css ?? []))
  return [
    ...[...styles].map((file) => `<link rel="stylesheet" href="/web/assets/${file}">`),
    `<script type="module" src="/web/assets/${entry.file}"></script>`,
  ]
}
