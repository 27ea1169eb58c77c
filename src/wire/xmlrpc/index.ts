// XML-RPC: the RPC services behind method calls in XML (spec/wire.md section 11). The entry of this folder.
import type { ServiceError } from '../../errors.ts'
import type { Backend, Origin } from '../backend.ts'
import { visible } from '../errors.ts'
import { dispatch } from '../rpc/dispatch.ts'
import { decodeCall } from './decode.ts'
import { encodeResult } from './encode.ts'
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
    const { method, params } = decodeCall(await read())
    return { xml: encodeResult(JSON.parse(await dispatch(backend, origin, service, method, params))) }
  } catch (error) {
    const failure = visible(error)
    return { xml: faultOf(failure, dialect), failure }
  }
}
