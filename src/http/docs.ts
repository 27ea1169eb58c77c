// The routes of documents: /doc-bearer and /x/1/openapi.json with a key, /doc with a browser session
// (spec/wire.md section 14).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Document, document as documentFor, guideParts, type Subject } from '../docs/index.ts'
import { NotFound, SessionExpired } from '../errors.ts'
import { bearerKey, JSON_TYPE } from '../wire/json2.ts'
import { databaseHeader } from './calls.ts'
import { compressed, type Encoding, encodingFor, WORTH_COMPRESSING } from './compress.ts'
import { type DocumentOptions, sendDocumentPage } from './docs-page.ts'
import { sendJson } from './reply.ts'
import { visitOf } from './session/visit.ts'

type FileRequest = FastifyRequest<{ Params: { file: string } }>
type GuideRequest = FastifyRequest<{ Params: { name: string } }>
type SelectingRequest = FastifyRequest<{ Querystring: Record<string, string | string[] | undefined> }>

/** Registers the routes. */
export function documentRoutes(app: FastifyInstance, options: DocumentOptions): void {
  const { backend, extensions } = options
  const byKey = async (request: FastifyRequest, reply: FastifyReply, subject: () => Subject) => {
    const key = bearerKey(request.headers.authorization)
    const database = await backend.databases.choose({
      header: databaseHeader(request),
      host: request.headers.host,
    })
    const target = {
      database,
      credential: { kind: 'key', key },
      remote: request.ip,
      answering: request.answering,
      subject: subject(),
    } as const
    return sendDocument(request, reply, await documentFor(backend.databases, target))
  }
  const bySession = async (request: FileRequest, reply: FastifyReply) => {
    const { visitor } = await visitOf(request, backend)
    // Programs ask for JSON: a way to the login page would look like an answer to them.
    if (!visitor) throw new SessionExpired()
    const { database, token } = visitor
    const target = {
      database,
      credential: { kind: 'session', token },
      remote: request.ip,
      answering: request.answering,
      subject: subjectOf(request.params.file),
    } as const
    return sendDocument(request, reply, await documentFor(backend.databases, target))
  }

  app.get('/doc-bearer/:file', (request: FileRequest, reply) =>
    byKey(request, reply, () => subjectOf(request.params.file)),
  )
  app.get('/doc', (request, reply) => sendDocumentPage(request, reply, options, null))
  app.get('/doc/:file', (request: FileRequest, reply) => {
    const { file } = request.params
    return file.endsWith('.json')
      ? bySession(request, reply)
      : sendDocumentPage(request, reply, options, { model: file })
  })
  app.get('/doc/guides/:name', (request: GuideRequest, reply) =>
    sendDocumentPage(request, reply, options, { guide: request.params.name }),
  )
  app.get('/doc/guides.json', async (request, reply) => {
    const { visitor } = await visitOf(request, backend)
    if (!visitor) throw new SessionExpired()
    return sendJson(request, reply, JSON.stringify(guideParts()))
  })
  if (extensions.size > 0) {
    app.get('/x/1/openapi.json', (request: SelectingRequest, reply) => {
      const selection = { models: namesIn(request.query.model), modules: namesIn(request.query.module) }
      return byKey(request, reply, () => ({ kind: 'openapi', selection, extensions }))
    })
  }
}

/** `index.json` or `<model>.json`. Throws NotFound for anything else. */
function subjectOf(file: string): Subject {
  const name = /^(.+)\.json$/.exec(file)?.[1]
  if (name === undefined) throw new NotFound('The requested path does not exist')
  return name === 'index' ? { kind: 'index' } : { kind: 'model', model: name }
}

/** Names given by repeating a parameter or with commas between them, each once. */
function namesIn(value: string | string[] | undefined): string[] {
  const names = [value ?? []].flat().flatMap((text) => text.split(','))
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))].sort()
}

/** Sends a document, or 304 if the client has it. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document): unknown {
  const { headers } = request
  const { etag, language } = document
  reply.headers({
    etag,
    'cache-control': 'no-cache, private',
    'content-language': language,
    'x-content-type-options': 'nosniff',
  })
  const fresh = /(?:^|[\s,])no-cache(?:$|[\s,])/i.test(headers['cache-control'] ?? '')
  if (!fresh && knows(headers['if-none-match'], etag)) return reply.code(304).send()
  return sendPacked(request, reply, document)
}

/** Compressed documents: one is requested by many clients, and compressing takes longer than all the rest. */
const packed = new WeakMap<Document, Map<Encoding, Promise<Buffer>>>()

async function sendPacked(request: FastifyRequest, reply: FastifyReply, document: Document) {
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (!encoding || document.json.length < WORTH_COMPRESSING) return sendJson(request, reply, document.json)
  const forms = packed.get(document) ?? new Map<Encoding, Promise<Buffer>>()
  packed.set(document, forms)
  const bytes = forms.get(encoding) ?? compressed(document.json, encoding)
  forms.set(encoding, bytes)
  reply.headers({ 'content-type': JSON_TYPE, vary: 'accept-encoding', 'content-encoding': encoding })
  return reply.send(await bytes)
}

/** Whether a list of tags names this one; clients of old leave the quotation marks out. */
function knows(header: string | undefined, etag: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, '').replaceAll('"', '')
  return (
    header !== undefined &&
    (header.trim() === '*' || header.split(',').some((tag) => plain(tag) === plain(etag)))
  )
}
