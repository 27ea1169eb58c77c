// The routes of JSON-2: POST /json/2/<model>/<method> (spec/wire.md sections 1 to 6).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '../errors.ts'
import { JsonReader } from '../kit/json-reader.ts'
import { keyMark } from '../kit/secrets.ts'
import { Timing } from '../kit/timing.ts'
import type { CallBody, RequestPreferences } from '../services/request.ts'
import { inLines } from '../services/row-lines.ts'
import type { Backend, Origin } from '../wire/backend.ts'
import { bearerKey, decodeBody, JSON_TYPE, requireJson } from '../wire/json2.ts'
import { tagsIn } from '../wire/preferences.ts'
import { announcesBody, type Bodies, type Gate } from './body.ts'
import { answerLater } from './extensions/later.ts'
import { sendLines } from './lines.ts'
import type { Log } from './log.ts'
import { sendJson, setHeaderOnce } from './reply.ts'
import { sendStreamed } from './streamed-text.ts'

type CallRequest = FastifyRequest<{ Params: { model: string; method: string } }>

/** Origin of a request, for services that log, count and choose a database. */
export function originOf(request: FastifyRequest, reply?: FastifyReply): Origin {
  return {
    host: request.headers.host,
    remote: request.ip,
    requestId: request.id,
    userAgent: request.headers['user-agent'],
    gone: () => request.raw.socket.destroyed,
    // An envelope holds its answer whole: rows one a line have no place there.
    asks: request.asks?.lines ? { ...request.asks, lines: null } : request.asks,
    ...(reply && { tell: headerSetter(reply) }),
    answering: request.answering,
  }
}

/** Adds headers to an answer. */
const headerSetter =
  (reply: FastifyReply): RequestPreferences['tell'] =>
  (name, value) =>
    setHeaderOnce(reply, name, value)

/** The database that a request names by header; clients of old send the second name. */
export function databaseHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['x-service-database'] ?? request.headers['x-odoo-database']
  return Array.isArray(header) ? header.join(',') : header
}

/**
 * The owner of the request's API key, and the database. Throws Unauthorized without a key, NotFound if no
 * database is selected, TooManyRequests if a limit of calls is reached.
 */
export async function keyOwner(request: FastifyRequest, reply: FastifyReply, backend: Backend) {
  const { databases } = backend
  const { headers } = request
  const key = bearerKey(headers.authorization)
  const chosen = databases.choose({ header: databaseHeader(request), host: headers.host })
  const owner = {
    database: typeof chosen === 'string' ? chosen : await chosen,
    credential: { kind: 'key', key },
    remote: request.ip,
    userAgent: headers['user-agent'],
    requestId: request.id,
    asks: request.asks,
    tell: headerSetter(reply),
    answering: request.answering,
    gone: () => reply.raw.destroyed,
  } as const
  if (databases.rates?.active) await backend.admit(databases, owner)
  return owner
}

export type KeyOwner = Awaited<ReturnType<typeof keyOwner>>

/** Judges the key before its body is taken. */
export function keyGate(owner: KeyOwner, { prove, databases }: Backend): Gate {
  const { database, credential } = owner
  return {
    inBody: false,
    judge: async () => {
      await prove(databases, owner)
      return { user: `${database} ${keyMark(credential.key)}`, database }
    },
  }
}

/** Decodes a body; its errors are reported only to callers whose key is valid. */
async function provenFirst<T>({ prove, databases }: Backend, owner: KeyOwner, decode: () => T | Promise<T>) {
  try {
    return await decode()
  } catch (error) {
    await prove(databases, owner)
    throw error
  }
}

interface CallsOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  /** Whether a request with the header `X-Server-Timing` gets `Server-Timing` back. */
  readonly serverTiming: boolean
  readonly log: Log
  /** Whether answers carry their entity tag. */
  readonly tags: boolean
}

/** Registers the routes. Only POST calls anything; other verbs find nothing. */
export function calls(
  app: FastifyInstance,
  { backend, bodies, serverTiming, log, tags }: CallsOptions,
): void {
  const { databases, call } = backend

  app.post('/json/2/:model/:method', async (request: CallRequest, reply: FastifyReply) => {
    const { headers, raw } = request
    const timing = serverTiming && headers['x-server-timing'] ? new Timing() : undefined
    const hasBody = announcesBody(raw)
    // Refuse by headers alone before the body is read.
    if (hasBody) requireJson(headers['content-type'])
    const owner = await keyOwner(request, reply, backend)
    const receive = () =>
      bodies.receive(request, reply, { reader: () => new JsonReader(), gate: keyGate(owner, backend) })
    const body = hasBody ? (bodies.take(raw) ?? (await receive())) : undefined
    timing?.mark('parse')
    if (owner.asks?.later) {
      const { model, method } = request.params
      const work = {
        kind: 'call',
        model,
        method,
        body: await provenFirst(backend, owner, () => decodeBody(body, bodies.weigh(request, reply))),
      } as const
      return answerLater(request, reply, backend, { owner, work })
    }
    const form = inLines.has(request.params.method) ? owner.asks?.lines : null
    const decode = () => decodeBody(body, bodies.weigh(request, reply))
    let decoded: CallBody | undefined
    const answer = await call(databases, {
      ...owner,
      model: request.params.model,
      method: request.params.method,
      body: form ? async () => (decoded = await decode()) : decode,
      pieces: true,
      knownTags: tags && !form ? tagsIn(headers['if-none-match']) : undefined,
      timing,
    })
    if (timing) reply.header('server-timing', timing.header)
    if (answer.tag !== undefined) reply.header('etag', `W/"${answer.tag}"`)
    if (answer.isKnown) return reply.code(304).send()
    const lines = form ? await sendLines(request, reply, { answer, form, body: decoded }, log) : null
    if (lines) return lines
    return answer.more
      ? sendStreamed(request, reply, { first: answer.json, more: answer.more, type: JSON_TYPE }, log)
      : sendJson(request, reply, answer.json)
  })

  // A preflight (OPTIONS) from another origin learns that a key is needed, and gets no permission.
  app.options('/json/2/:model/:method', (request: CallRequest) => {
    bearerKey(request.headers.authorization)
    throw new NotFound('The requested path does not exist')
  })
}
