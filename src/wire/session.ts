// Calls by browser sessions: what the session routes run, once it is known which database and which session
// (spec/client-needs.md section 3).
import { InvalidValue } from '../errors.ts'
import { isNoObject, isNothing } from '../kit/nothing.ts'
import type { Call, CallBody } from '../services/request.ts'
import type { Backend, Origin } from './backend.ts'
import { copyWithout, isObject } from './parse.ts'

/** A client with a session. */
export interface Visitor {
  readonly origin: Origin
  readonly database: string
  readonly token: string
}

type Params = Readonly<Record<string, unknown>>

/** The `params` of an envelope; none count as empty. Throws InvalidValue for what is not an object. */
export function paramsOf(envelope: Params): Params {
  const params = isNoObject(envelope.params) ? {} : envelope.params
  if (!isObject(params)) throw new InvalidValue('params must be an object')
  return params
}

/** `call_kw`: the value of a model's method, as JSON text. */
export function callKw(
  backend: Backend,
  visitor: Visitor,
  { model, method, args: positional, kwargs }: Params,
): Promise<string> {
  if (typeof model !== 'string' || typeof method !== 'string')
    throw new InvalidValue('model and method must be given')
  return run(backend, visitor, model, method, () => {
    const args = isNothing(positional) ? [] : positional
    const named = isNoObject(kwargs) ? {} : kwargs
    if (!Array.isArray(args)) throw new InvalidValue('args must be an array')
    if (!isObject(named)) throw new InvalidValue('kwargs must be an object')
    return {
      positional: args,
      context: Object.hasOwn(named, 'context') ? named.context : undefined,
      named: copyWithout(named, 'context'),
      rpc: true,
    }
  })
}

/** `call_button`: the action that the method gave, or false. */
export async function callButton(backend: Backend, visitor: Visitor, params: Params): Promise<string> {
  const json = await callKw(backend, visitor, params)
  const result: unknown = JSON.parse(json)
  return isObject(result) && result.type !== undefined ? json : 'false'
}

/** Session information: what the models know of the user, and what the server knows of itself. */
export async function sessionInfo(backend: Backend, visitor: Visitor): Promise<Record<string, unknown>> {
  const { server_version, server_version_info } = backend.version()
  const json = await run(backend, visitor, 'ir.http', 'session_info', () => ({ positional: [], rpc: true }))
  return {
    ...(JSON.parse(json) as Record<string, unknown>),
    db: visitor.database,
    server_version,
    server_version_info,
  }
}

async function run(
  backend: Backend,
  visitor: Visitor,
  model: string,
  method: string,
  body: () => CallBody,
): Promise<string> {
  const { origin, database, token } = visitor
  const request: Call = {
    database,
    credential: { kind: 'session', token },
    model,
    method,
    body,
    remote: origin.remote,
    requestId: origin.requestId,
    ...(origin.gone ? { gone: origin.gone } : {}),
    asks: origin.asks,
    answering: origin.answering,
  }
  return (await backend.call(backend.databases, request)).json
}
