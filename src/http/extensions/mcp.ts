// The route of the MCP endpoint: allowed clients, origins and sizes. The layer `mcp` reads the messages; it
// is loaded with the first request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError, BadRequest, Unauthorized } from '../../errors.ts'
import { keyOwner } from '../calls.ts'
import { sendJson } from '../reply.ts'
import { addressOf } from '../session/origin.ts'
import { whenClosed } from '../when-closed.ts'
import { jsonBody } from './json-body.ts'
import type { ExtensionOptions, McpOptions } from './options.ts'
import { Streams } from './stream.ts'

const PATH = '/x/1/mcp'
const METADATA = `/.well-known/oauth-protected-resource${PATH}`
/** Bytes of a message. */
const MOST = 1024 * 1024

/** Registers the routes. */
export function agentRoutes(app: FastifyInstance, options: ExtensionOptions): void {
  const { mcp } = options
  const streams = new Streams('mcp')
  app.addHook('preClose', (done) => {
    streams.end()
    done()
  })
  const all = { ...options, streams }
  app.post(PATH, (request, reply) =>
    answered(request, reply, all).catch((error: unknown) => {
      throw challenged(error, request, all)
    }),
  )
  if (mcp.authorizationServer !== undefined)
    app.get(METADATA, (request, reply) =>
      sendJson(
        request,
        reply,
        JSON.stringify({
          resource: `${addressOf(request) ?? ''}${PATH}`,
          authorization_servers: [mcp.authorizationServer],
          bearer_methods_supported: ['header'],
          scopes_supported: ['mcp', 'mcp:write'],
        }),
      ),
    )
}

type Options = ExtensionOptions & { readonly streams: Streams }

async function answered(request: FastifyRequest, reply: FastifyReply, options: Options): Promise<unknown> {
  const { backend, bodies, extensions, mcp, streams } = options
  assertOrigin(request, mcp)
  const owner = await keyOwner(request, reply, backend)
  const read = await jsonBody(request, reply, { backend, bodies, owner, most: MOST })
  const body = await decoded(read)
  if (body === undefined)
    return sendJson(
      request,
      reply,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body is no JSON"}}',
      400,
    )
  const { answer, isListening, provesItself } = await import('../../mcp/index.ts')
  const agent = await backend.agents.agent(backend.databases, owner, !provesItself(body))
  const controller = isListening(body) ? streams.begin(owner.credential.key) : new AbortController()
  whenClosed(reply.raw, () => {
    controller.abort()
    streams.over(controller)
  })
  const base = addressOf(request) ?? ''
  const message = { request: asWeb(request, base, controller.signal), body }
  return reply.send(await answer({ backend, owner, agent, base, extensions }, message))
}

/** If a server issues tokens, clients without a valid key learn its address from the refusal. */
function challenged(error: unknown, request: FastifyRequest, { mcp }: Options): unknown {
  if (!(error instanceof Unauthorized) || mcp.authorizationServer === undefined) return error
  const where = `${addressOf(request) ?? ''}${METADATA}`
  return new Unauthorized(error.message, { context: { resource_metadata: where }, cause: error })
}

/** Undefined for what is not JSON. */
async function decoded(read: () => unknown): Promise<unknown> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof BadRequest) return undefined
    throw error
  }
}

/**
 * Pages of other sites can reach servers on their readers' machines under any name: allowed are the named
 * origins and this machine. Programs send no origin.
 */
function assertOrigin({ headers }: FastifyRequest, { origins }: McpOptions): void {
  const { origin } = headers
  if (origin === undefined || origins.includes(origin.toLowerCase())) return
  if (!URL.canParse(origin) || !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname))
    throw new AccessError('This origin may not use the MCP endpoint: add it to the setting mcp-origins.')
}

/** The request as the protocol's library takes it; its body is decoded already. */
function asWeb(request: FastifyRequest, base: string, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !name.startsWith(':'))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  return new Request(`${base || 'http://localhost'}${PATH}`, { method: 'POST', headers, body: '{}', signal })
}
