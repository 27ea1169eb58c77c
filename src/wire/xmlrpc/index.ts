// XML-RPC: method calls in XML for the RPC services (spec/wire.md section 11). The entry of this folder.

import type { ServiceError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { through } from '../../kit/through.ts'
import type { Answer } from '../../services/request.ts'
import type { Backend, Origin } from '../backend.ts'
import { visible } from '../errors.ts'
import { Parsed, type Weigh } from '../parse.ts'
import { dispatch } from '../rpc/dispatch.ts'
import { decodeCall, type MethodCall } from './decode.ts'
import { beginRows, type Doubles, encodeResult, encodeRows, ROWS_END, type Writing } from './encode.ts'
import { type Dialect, faultOf } from './faults.ts'

export { CallReader, type MethodCall } from './decode.ts'
export type { Dialect } from './faults.ts'
export const XML_TYPE = 'text/xml; charset=utf-8'

/** The body of an answer, always with status 200; `failure` is set when it is a fault, for the log. */
export interface MethodResponse {
  readonly xml: string
  /** The rest of the response, where the result is streamed. */
  readonly more?: AsyncGenerator<string, void>
  readonly failure?: ServiceError
}

export interface CallOptions {
  readonly service: string
  readonly dialect: Dialect
  readonly read: () => Promise<Buffer | Parsed>
  readonly weigh?: Weigh
}

/**
 * Answers one method call; `read` gives the bytes of its body, or what a `CallReader` made of them while they
 * arrived.
 */
export async function xmlrpc(
  backend: Backend,
  origin: Origin,
  { service, dialect, read, weigh }: CallOptions,
): Promise<MethodResponse> {
  try {
    const body = await read()
    const { method, params } =
      body instanceof Parsed ? (body.value as MethodCall) : await decodeCall(body, weigh)
    const { json, more, model } = await dispatch(backend, origin, service, method, params)
    const writing = { doubles: doublesOf(model), typed: Boolean(origin.asks?.typed) }
    if (more) return await inPieces(json, more, writing)
    const result: unknown = JSON.parse(json)
    return {
      xml: encodeResult(result, service === 'object' && isWritten(result, writing) ? writing : undefined),
    }
  } catch (error) {
    const failure = visible(error)
    return { xml: faultOf(failure, dialect), failure }
  }
}

/** A value that XML cannot hold becomes a fault as long as nothing was sent. */
async function inPieces(
  first: string,
  more: AsyncGenerator<string, void>,
  writing: Writing,
): Promise<MethodResponse> {
  try {
    return {
      xml: beginRows(rowsOf(first), writing),
      more: through(more, (pieces) => further(pieces, writing)),
    }
  } catch (error) {
    await more.return()
    throw error
  }
}

/**
 * The rows of one piece of a JSON array: pieces begin with a bracket or a comma, and the last is a bracket
 * alone.
 */
const rowsOf = (piece: string): readonly unknown[] =>
  piece === ']' ? [] : (JSON.parse(`[${piece.slice(1)}]`) as unknown[])

async function* further(more: AsyncGenerator<string, void>, writing: Writing): AsyncGenerator<string, void> {
  for await (const piece of more) yield encodeRows(rowsOf(piece), writing)
  yield ROWS_END
}

function isWritten(result: unknown, { typed }: Writing): boolean {
  return (
    (typed && result !== null) ||
    (typeof result === 'object' &&
      result !== null &&
      (!Array.isArray(result) || typeof result[0] === 'object'))
  )
}

/** The fields of the called model that hold floats, alone or aggregated (`amount:sum`). */
function doublesOf(model: Answer['model']): Doubles {
  return (member) => {
    const type = model?.fields.get(present(member.split(':', 1)[0]))?.type.wireType
    return type === 'float' || type === 'monetary' || member.endsWith(':avg')
  }
}
