// A function of an RPC service, as its table names it.
import type { Answer } from '../../services/request.ts'
import type { Backend, Origin } from '../backend.ts'

/**
 * A function of a service: positional arguments in, the result as JSON text out, in pieces where it is long.
 */
export type RpcFunction = (
  backend: Backend,
  origin: Origin,
  args: readonly unknown[],
) => Promise<string | Answer>
