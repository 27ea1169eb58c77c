// The table of RPC services: JSON-RPC and XML-RPC call the same functions by the same names.

import { InvalidValue } from '../../errors.ts'
import type { Answer } from '../../services/request.ts'
import type { Backend, Origin } from '../backend.ts'
import * as common from './common.ts'
import * as db from './db.ts'
import type { RpcFunction } from './function.ts'
import * as object from './object.ts'

// Maps, not objects: names from prototypes are unknown like any other.
const services = new Map<unknown, ReadonlyMap<unknown, RpcFunction>>([
  [
    'common',
    new Map<unknown, RpcFunction>([
      ['version', common.version],
      ['login', common.login],
      ['authenticate', common.authenticate],
    ]),
  ],
  [
    'object',
    new Map<unknown, RpcFunction>([
      ['execute', object.execute],
      ['execute_kw', object.executeKw],
    ]),
  ],
  ['db', db.functions],
])

/**
 * Runs `service.method(*args)`. Throws InvalidValue for an unknown service or function and for arguments that
 * do not fit.
 */
export async function dispatch(
  backend: Backend,
  origin: Origin,
  service: unknown,
  method: unknown,
  args: unknown,
): Promise<Answer> {
  const functions = services.get(service)
  if (!functions) throw new InvalidValue('Unknown RPC service')
  const run = functions.get(method)
  if (!run) throw new InvalidValue(`The service ${String(service)} has no such method`)
  if (!Array.isArray(args)) throw new InvalidValue('args must be an array')
  const result = await run(backend, origin, args)
  return typeof result === 'string' ? { json: result } : result
}
