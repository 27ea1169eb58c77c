// The routes of webhooks: endpoints and their deliveries as resources, over the models' own methods.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NotFound, UnprocessableEntity } from '../../errors.ts'
import { type KeyOwner, keyOwner } from '../calls.ts'
import { checkedQuery } from '../query.ts'
import { sendJson } from '../reply.ts'
import { jsonBody } from './json-body.ts'
import type { ExtensionOptions } from './options.ts'

const [WEBHOOK, DELIVERY] = ['comptoir.webhook', 'comptoir.webhook.delivery']

type OfOne = FastifyRequest<{ Params: { id: string } }>
type Members = Readonly<Record<string, unknown>>
/** Calls a method as the caller, with the preferences of its request. */
type Ask = (model: string, method: string, named: Members, ids?: readonly number[]) => Promise<unknown>

/** Fields of deliveries in the answer, and their number per page. */
const shown = [
  'event',
  'type',
  'res_model',
  'res_id',
  'state',
  'attempts',
  'next_at',
  'status',
  'error',
  'reply',
  'log',
  'created',
  'finished',
  'body',
]
const [USUAL, MOST] = [50, 200]
/** Milliseconds that a ping is waited for, and between two looks. */
const [PATIENCE, LOOK] = [9000, 50]

type Work<R> = (request: R, ask: Ask, members: Members, reply: FastifyReply) => unknown
/** Makes a handler that runs `work` for the caller, with the members of the body. */
type Route = <R extends FastifyRequest>(
  work: Work<R>,
) => (request: R, reply: FastifyReply) => Promise<FastifyReply>

/** Registers the routes. */
export function webhookRoutes(app: FastifyInstance, options: ExtensionOptions): void {
  const route = routing(options)
  endpointRoutes(app, route)
  actionRoutes(app, route)
  deliveryRoutes(app, route)
}

const routing =
  (options: ExtensionOptions): Route =>
  (work) =>
  async (request, reply) => {
    const { backend } = options
    const owner = await keyOwner(request, reply, backend)
    const decode = await jsonBody(request, reply, { ...options, owner })
    const ask: Ask = async (model, method, named, ids) => {
      const answer = await backend.call(backend.databases, {
        ...once(owner, method),
        model,
        method,
        body: () => ({ named, ...(ids ? { ids } : {}) }),
      })
      return JSON.parse(answer.json)
    }
    const answer = await work(request, ask, membersOf(decode()), reply)
    return reply.sent ? reply : sendJson(request, reply, JSON.stringify(answer), reply.statusCode)
  }

const LIST = '/x/1/webhooks'
const ONE = `${LIST}/:id`

/** Endpoints as resources: listed, made, read, changed and removed. */
function endpointRoutes(app: FastifyInstance, route: Route): void {
  app.get(
    LIST,
    route((_request, ask) => ask(WEBHOOK, 'overview', {}).then((endpoints) => ({ endpoints }))),
  )
  app.post(
    LIST,
    route(async (_request, ask, vals, reply) => {
      const webhook = (await ask(WEBHOOK, 'register', { vals })) as { id: number }
      reply.code(201).header('location', `/x/1/webhooks/${webhook.id}`)
      return webhook
    }),
  )
  app.get(
    ONE,
    route<OfOne>((request, ask) => endpoint(ask, idOf(request))),
  )
  app.patch(
    ONE,
    route<OfOne>(async (request, ask, vals) => {
      await ask(WEBHOOK, 'write', { vals }, [idOf(request)])
      return endpoint(ask, idOf(request))
    }),
  )
  app.delete(
    ONE,
    route<OfOne>((request, ask) => ask(WEBHOOK, 'unlink', {}, [idOf(request)])),
  )
}

/** Actions of an endpoint: a ping, a new secret, events sent again. */
function actionRoutes(app: FastifyInstance, route: Route): void {
  app.post(
    `${ONE}/ping`,
    route<OfOne>(async (request, ask) =>
      pinged(ask, (await ask(WEBHOOK, 'ping', {}, [idOf(request)])) as number, request.server.stopping),
    ),
  )
  app.post(
    `${ONE}/rotate_secret`,
    route<OfOne>(async (request, ask, members) => ({
      secret: await ask(WEBHOOK, 'rotate_secret', members, [idOf(request)]),
    })),
  )
  app.post(
    `${ONE}/replay`,
    route<OfOne>(async (request, ask, members) => ({
      count: await ask(WEBHOOK, 'replay', members, [idOf(request)]),
    })),
  )
}

/** Deliveries to an endpoint: list, retry, cancel. */
function deliveryRoutes(app: FastifyInstance, route: Route): void {
  app.get(
    `${ONE}/deliveries`,
    route<OfOne>(async (request, ask) => {
      const deliveries = (await ask(DELIVERY, 'search_read', listOf(request))) as readonly unknown[]
      // Deliveries imply that the webhook exists.
      const domain = [['id', '=', idOf(request)]]
      if (deliveries.length === 0 && (await ask(WEBHOOK, 'search_count', { domain })) === 0)
        throw new NotFound('Webhook not found.')
      return { deliveries }
    }),
  )
  app.post(
    '/x/1/webhook-deliveries/:id/retry',
    route<OfOne>((request, ask) => ask(DELIVERY, 'retry', {}, [idOf(request)])),
  )
  app.post(
    '/x/1/webhook-deliveries/:id/cancel',
    route<OfOne>((request, ask) => ask(DELIVERY, 'cancel', {}, [idOf(request)])),
  )
}

/** A key, a version and a form of pages are meant for the call that the request is about. */
const reading = new Set(['overview', 'search_read', 'search_count'])
const once = (owner: KeyOwner, method: string): KeyOwner =>
  reading.has(method) && owner.asks
    ? {
        ...owner,
        asks: { ...owner.asks, key: undefined, ifMatch: undefined, etag: false, page: null, count: null },
      }
    : owner

function membersOf(body: unknown): Members {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new UnprocessableEntity('The request body must be a JSON object')
  return body as Members
}

function idOf({ params }: OfOne): number {
  const id = Number(params.id)
  if (!/^\d{1,10}$/.test(params.id) || id >= 2 ** 31) throw new NotFound('Webhook not found.')
  return id
}

async function endpoint(ask: Ask, id: number): Promise<unknown> {
  const all = (await ask(WEBHOOK, 'overview', {})) as { id: number }[]
  const match = all.find((each) => each.id === id)
  if (!match) throw new NotFound('Webhook not found.')
  return match
}

function listOf(request: OfOne): Members {
  const { state, before, limit } = checkedQuery(request as FastifyRequest, ['state', 'before', 'limit'])
  const domain = [['webhook_id', '=', idOf(request)]] as unknown[]
  if (state !== undefined) domain.push(['state', '=', state])
  if (before !== undefined) domain.push(['id', '<', Number(before)])
  const most = limit === undefined ? USUAL : Number(limit)
  if (
    !(Number.isInteger(most) && most > 0 && most <= MOST) ||
    (before !== undefined && !/^\d{1,9}$/.test(before))
  )
    throw new UnprocessableEntity(
      `Invalid paging: limit must be a number from 1 to ${MOST}, and before the id of a delivery.`,
    )
  return { domain, fields: shown, order: 'id desc', limit: most }
}

/** A ping with the receiver's answer, if it came in time; without it when the server stops. */
async function pinged(ask: Ask, id: number, stopping: AbortSignal): Promise<unknown> {
  const until = performance.now() + PATIENCE
  for (;;) {
    const rows = (await ask(DELIVERY, 'search_read', { domain: [['id', '=', id]], fields: shown })) as {
      attempts: number
      state: string
    }[]
    const [row] = rows
    if (!row || row.attempts > 0 || row.state !== 'waiting') return row ?? null
    if (performance.now() > until || stopping.aborted) return row
    await sleep(LOOK)
  }
}
