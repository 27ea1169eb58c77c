// Requirements of a database on its callers beyond rights: keys for writes.
import type { Caller } from '../../access/index.ts'
import type { Database } from '../../databases/index.ts'
import { BadRequest } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Call } from '../request.ts'

/**
 * Throws BadRequest for a change without a key where the database wants one. People in a browser, whose pages
 * make none, are let through.
 */
export function assertKeyed(
  database: Database,
  { policy }: Caller,
  { asks, credential }: Pick<Call, 'asks' | 'credential'>,
  model: ModelDef,
  method: MethodDef,
): void {
  if (method.readonly || asks?.key !== undefined || credential.kind === 'session') return
  if (
    (policy?.wantsKeys && database.offers('idempotency')) ||
    database.wantsKey(`${model.name}/${method.name}`)
  )
    throw new BadRequest(`Calls of ${method.name} on ${model.name} need the header Idempotency-Key.`, {
      code: 'idempotency_key_required',
    })
}
