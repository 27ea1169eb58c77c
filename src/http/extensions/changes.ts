// The routes of the change feed: a page at a time, or a stream of server-sent events.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, UnprocessableEntity } from '../../errors.ts'
import { canonical } from '../../kit/canonical.ts'
import type { Owner } from '../../services/calls/caller.ts'
import { textOf } from '../../services/changes/index.ts'
import { keyOwner } from '../calls.ts'
import { checkedQuery, queryOf } from '../query.ts'
import { sendJson } from '../reply.ts'
import { assertOwnSite } from '../session/origin.ts'
import { visitOf } from '../session/visit.ts'
import { whenClosed } from '../when-closed.ts'
import { jsonBody } from './json-body.ts'
import type { ExtensionOptions } from './options.ts'
import { beginStream, endStream, SharedPages, Streams, sendStream } from './stream.ts'

/** Registers the routes. */
export function changesRoutes(app: FastifyInstance, options: ExtensionOptions): void {
  const streams = new Streams('changes')
  const shared = new SharedPages()
  app.addHook('preClose', (done) => {
    streams.end()
    done()
  })
  const answer = (request: FastifyRequest, reply: FastifyReply, owner: Owner, body: () => unknown) =>
    request.headers.accept?.includes('text/event-stream')
      ? stream(request, reply, { options, owner, body, streams, shared })
      : page(request, reply, { options, owner, body })
  app.post('/x/1/changes', async (request, reply) => {
    const owner = await keyOwner(request, reply, options.backend)
    return answer(request, reply, owner, await jsonBody(request, reply, { ...options, owner }))
  })
  app.get('/x/1/changes', async (request, reply) =>
    answer(request, reply, await ownerOf(request, reply, options), () => questionIn(request)),
  )
}

/** The owner of an API key, or of the session cookie of a page of this server. */
async function ownerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend }: ExtensionOptions,
): Promise<Owner> {
  if (request.headers.authorization !== undefined || request.headers.cookie === undefined)
    return keyOwner(request, reply, backend)
  assertOwnSite(request)
  const { visitor } = await visitOf(request, backend)
  if (!visitor) return keyOwner(request, reply, backend)
  const { database, token, origin } = visitor
  const credential = { kind: 'session', token } as const
  return { ...origin, database, credential, gone: () => reply.raw.destroyed }
}

interface Asking {
  readonly options: ExtensionOptions
  readonly owner: Owner
  readonly body: () => unknown
}

async function page(request: FastifyRequest, reply: FastifyReply, { options, owner, body }: Asking) {
  const { backend } = options
  const gone = new AbortController()
  whenClosed(reply.raw, () => gone.abort())
  // A long poll is answered as it is when the server stops: its cursor works on other nodes.
  const signal = AbortSignal.any([gone.signal, request.server.stopping])
  const { changes, cursor, more } = await backend.changes(backend.databases, { ...owner, body }, signal)
  reply.header('cache-control', 'no-store')
  const eventText = changes.map(textOf).join()
  return sendJson(
    request,
    reply,
    `{"changes":[${eventText}],"cursor":${JSON.stringify(cursor)},"more":${more}}`,
  )
}

interface Streaming extends Asking {
  readonly streams: Streams
  readonly shared: SharedPages
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { options: { backend }, owner, body, streams, shared }: Streaming,
): Promise<void> {
  const { databases } = backend
  const question = ((await body()) ?? {}) as Record<string, unknown>
  const last = request.headers['last-event-id']
  const cursor = typeof last === 'string' && last !== '' ? last : question.cursor
  const { credential, remote, database } = owner
  const read = (at: unknown) =>
    backend.changes(databases, {
      ...owner,
      // Others may share what one reads.
      gone: undefined,
      body: () => ({ ...question, wait: 0, cursor: at, ...(at === undefined ? {} : { from: undefined }) }),
    })
  const sharedQuestion = { ...question, cursor: undefined, from: undefined }
  const who = createHash('sha256')
    .update(canonical([database, credential, remote, sharedQuestion, owner.asks?.typed ?? null]))
    .digest('base64')
  const next = (at: string, beat: number) => shared.page(`${who} ${beat} ${at}`, () => read(at))
  const controller = streams.begin(credential.kind === 'key' ? credential.key : JSON.stringify(credential))
  const { signal } = controller
  whenClosed(reply.raw, () => controller.abort())
  try {
    const pulse = await backend.pulse(databases, database)
    const { beat } = pulse
    // An invalid request is refused as usual: the stream begins only with the first page.
    const first = await read(cursor).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 410) return error
      throw error
    })
    reply.hijack()
    beginStream(reply)
    if (first instanceof ServiceError) return endStream(reply.raw, first)
    // A HEAD request gets the headers of the stream, and no stream.
    if (request.method === 'HEAD') return void reply.raw.end()
    const prove = () => backend.prove(databases, owner)
    await sendStream(reply.raw, { page: first, beat }, { pulse, page: next, prove, signal })
    reply.raw.end()
  } catch (error) {
    if (!reply.sent) throw error
    endStream(reply.raw, error)
  } finally {
    streams.over(controller)
  }
}

/** A question in the query of an address: `models=a,b&fields.a=name&domain.a=[…]&events=…`. */
function questionIn(request: FastifyRequest): Record<string, unknown> {
  const list = (text: string | undefined) =>
    text
      ? text
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean)
      : []
  const followed = list(queryOf(request).models)
  const query = checkedQuery(request, [
    ...['models', 'events', 'cursor', 'from', 'limit', 'wait', 'compact'],
    ...followed.flatMap((name) => [`fields.${name}`, `domain.${name}`]),
  ])
  const models: Record<string, unknown> = Object.create(null)
  for (const name of followed) {
    const [fields, domain] = [query[`fields.${name}`], query[`domain.${name}`]]
    models[name] = {
      ...(fields === undefined ? {} : { fields: list(fields) }),
      ...(domain === undefined ? {} : { domain: parsed(domain) }),
    }
  }
  const question: Record<string, unknown> = { models }
  if (query.events) question.events = list(query.events)
  for (const name of ['cursor', 'from']) if (query[name] !== undefined) question[name] = query[name]
  for (const name of ['limit', 'wait']) if (query[name] !== undefined) question[name] = Number(query[name])
  if (query.compact !== undefined)
    question.compact = query.compact === 'true' || (query.compact === 'false' ? false : query.compact)
  return question
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnprocessableEntity('domain must be a JSON list.')
  }
}
