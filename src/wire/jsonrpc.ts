// JSON-RPC: the envelope around the RPC services (spec/wire.md section 10, spec/client-needs.md section 1).
import {
  BadRequest,
  errorObject,
  InvalidValue,
  NotFound,
  type ServiceError,
  SessionExpired,
} from '../errors.ts'
import { through } from '../kit/through.ts'
import type { Answer } from '../services/request.ts'
import type { Backend, Origin } from './backend.ts'
import { visible } from './errors.ts'
import { isObject, mediaType, Parsed, parseJson, type Weigh } from './parse.ts'
import { type Claim, claimOf } from './rpc/claim.ts'
import { dispatch } from './rpc/dispatch.ts'

/** The body of an answer, always with status 200; `failure` is set when it holds an error, for the log. */
export interface Envelope {
  readonly json: string
  /** The rest of the response, where the result is streamed. */
  readonly more?: AsyncGenerator<string, void>
  readonly failure?: ServiceError
}

/** Whether a content type is one of the two that JSON-RPC takes. */
export function isJsonRpc(contentType: string | undefined): boolean {
  const type = mediaType(contentType)
  return type === 'application/json' || type === 'application/json-rpc'
}

/** An id longer than this is no id: it comes back with every answer. */
const LONGEST_ID = 1000

/**
 * The object of an envelope. Throws BadRequest for an empty body, invalid JSON, a value that is not an object
 * (a batch too), and an invalid id.
 */
export async function decodeEnvelope(
  body: Buffer | Parsed | undefined,
  weigh?: Weigh,
): Promise<Record<string, unknown>> {
  const value = body instanceof Parsed ? body.value : body?.length ? await parseJson(body, weigh) : undefined
  if (!isObject(value)) throw new BadRequest('The request body must be one JSON object')
  if (!isShort(value.id))
    throw new BadRequest(`The id of the envelope is longer than ${LONGEST_ID} characters`)
  return value
}

/** Whether an id can come back as it is. */
function isShort(id: unknown): boolean {
  if (typeof id === 'string') return id.length <= LONGEST_ID
  return typeof id !== 'object' || JSON.stringify(id).length <= LONGEST_ID
}

/** The credentials that a call claims, as far as its envelope has been read. */
export function claimIn(partial: unknown): Claim | null {
  const params = isObject(partial) && isObject(partial.params) ? partial.params : {}
  return claimOf(params.service, Array.isArray(params.args) ? params.args : [])
}

/**
 * Runs `work` and puts its result (JSON text) or its failure into an envelope that carries the request's id
 * back.
 */
export async function answer(
  request: Record<string, unknown>,
  work: () => Promise<string | Answer>,
): Promise<Envelope> {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(request.id ?? null)}`
  try {
    const answer = await work()
    const { json: result, more } = typeof answer === 'string' ? { json: answer } : answer
    if (more) return { json: `${head},"result":${result}`, more: through(more, closed) }
    // Nothing is no result at all: clients know null as a missing member.
    return { json: result === 'null' ? `${head}}` : `${head},"result":${result}}` }
  } catch (error) {
    const failure = visible(error)
    if (failure instanceof SessionExpired)
      return { json: `{"jsonrpc":"2.0","id":null,"error":${errorOf(failure)}}`, failure }
    return { json: `${head},"error":${errorOf(failure)}}`, failure }
  }
}

/** The pieces, and the envelope's end. */
async function* closed(more: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield* more
  yield '}'
}

/** The `error` of an envelope: two failures have codes of their own, by which clients know them. */
function errorOf(failure: ServiceError): string {
  const data = errorObject(failure)
  if (failure instanceof SessionExpired)
    return JSON.stringify({ code: 100, message: 'Odoo Session Expired', data })
  if (failure instanceof NotFound && failure.kind === 'model')
    return JSON.stringify({ code: 404, message: '404: Not Found', data })
  return JSON.stringify({ code: 0, message: 'Odoo Server Error', data })
}

/** One call of an RPC service: `params` holds `service`, `method` and `args`. */
export function rpc(backend: Backend, origin: Origin, request: Record<string, unknown>): Promise<Envelope> {
  return answer(request, async () => {
    const params = request.params
    if (!isObject(params)) throw new InvalidValue('params must be an object with service, method and args')
    return dispatch(backend, origin, params.service, params.method, params.args)
  })
}
