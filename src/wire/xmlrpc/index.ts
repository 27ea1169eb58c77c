// XML-RPC: the RPC services behind method calls in XML (spec/wire.md section 11). The entry of this folder.
import type { ServiceError } from '../../errors.ts'
import type { Backend, Origin } from '../backend.ts'
import { visible } from '../errors.ts'
import { dispatch } from '../rpc/dispatch.ts'
import { decodeCall } from './decode.ts'
import { type Doubles, encodeResult } from './encode.ts'
import { type Dialect, faultOf } from './faults.ts'

export type { Dialect } from './faults.ts'
export const XML_TYPE = 'text/xml; charset=utf-8'

/** The body of an answer, always with status 200; `failure` is set when it is a fault, for the log. */
export interface MethodResponse {
  readonly xml: string
  readonly failure?: ServiceError
}

/** Answers one method call; `read` gives the bytes of its body. */
export async function xmlrpc(
  backend: Backend,
  origin: Origin,
  { service, dialect, read }: { service: string; dialect: Dialect; read: () => Promise<Buffer> },
): Promise<MethodResponse> {
  try {
    const { method, params } = await decodeCall(await read())
    const result: unknown = JSON.parse(await dispatch(backend, origin, service, method, params))
    return { xml: encodeResult(result, service === 'object' && isComposed(result) ? await doublesOf(backend, params) : undefined) }
  } catch (error) {
    const failure = visible(error)
    return { xml: faultOf(failure, dialect), failure }
  }
}

function isComposed(result: unknown): boolean {
  return typeof result === 'object' && result !== null && (!Array.isArray(result) || typeof result[0] === 'object')
}

/** The fields of the called model that hold floats, alone or aggregated (`amount:sum`). */
async function doublesOf(backend: Backend, [name, , , model]: readonly unknown[]): Promise<Doubles> {
  const { registry } = await backend.databases.database(String(name))
  const fields = registry.get(String(model))?.fields
  return (member) => {
    const type = fields?.get(member.split(':', 1)[0] as string)?.type.wireType
    return type === 'float' || type === 'monetary' || member.endsWith(':avg')
  }
}
