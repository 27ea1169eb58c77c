// What the scope of an API key asks of a call, beyond the mask that lies on its owner's rights.
import { type Caller, scopeMissing } from '../../access/index.ts'
import { BadRequest } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import { type Ability, missingFor, opensDoor } from '../../models/rights/key-scope.ts'
import type { Call } from '../request.ts'

/** Throws AccessError for a call that the caller's key does not open. */
export function assertScope({ scope }: Caller, model: ModelDef, method: MethodDef): void {
  // What an endpoint hears is not narrowed by the key that made it: no narrow key makes one.
  if (scope && model.name.startsWith('comptoir.webhook')) {
    if (!opensDoor(scope, 'webhooks')) throw scopeMissing('webhooks')
    if (!method.readonly && (scope.models.length || scope.companies.length || scope.methods.length))
      throw scopeMissing('rpc', 'model, method or company')
  }
  const missing = scope ? missingFor(scope, model.name, method) : null
  if (missing !== null) throw scopeMissing(missing)
}

/** Throws AccessError where the caller's key does not open a door beside calls. */
export function assertDoor({ scope }: Caller, door: Ability): void {
  if (scope && !opensDoor(scope, door)) throw scopeMissing(door)
}

/**
 * Throws for a key that queues nothing, when a job is queued and again when it is done: AccessError where
 * that door is closed, BadRequest where all of it would be taken back.
 */
export function assertQueues(caller: Caller): void {
  assertDoor(caller, 'jobs')
  if (caller.scope?.dry) throw new BadRequest('A key that only tries things out queues no jobs.')
}

/**
 * Throws AccessError for answers that are no method's result, where the caller's key opens listed methods
 * only.
 */
export function assertAnyMethod({ scope }: Caller): void {
  if (scope?.methods.length) throw scopeMissing('method:*/*')
}

/**
 * The request as it is kept to: whoever calls with a key that only tries things out has all of it taken back.
 */
export function scoped<R extends Pick<Call, 'asks' | 'tell'>>({ scope }: Caller, request: R): R {
  if (!scope?.dry || request.asks?.dryRun) return request
  const { tell = () => undefined } = request
  return { ...request, asks: { tell, ...request.asks, dryRun: true } }
}

/** Whether what somebody asks for is taken back: they want that, or their key does nothing else. */
export const rehearses = ({ scope }: Caller, { asks }: Pick<Call, 'asks'>): boolean =>
  asks?.dryRun === true || scope?.dry === true

/** Tells that it is taken back, of whoever asked for that or not. */
export function tellRehearsed({ asks, tell }: Pick<Call, 'asks' | 'tell'>): void {
  const say = asks?.tell ?? tell
  say?.('preference-applied', 'tx=rollback')
}
