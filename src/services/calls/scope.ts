// Checks of an API key's scope that a call needs in addition to the mask on its owner's rights.
import { type Caller, scopeMissing } from '../../access/index.ts'
import { BadRequest } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import { type Ability, missingFor, opensAbility } from '../../models/rights/key-scope.ts'
import type { Call } from '../request.ts'

/** Throws AccessError for a call that the caller's key does not open. */
export function assertScope({ scope }: Caller, model: ModelDef, method: MethodDef): void {
  // Deliveries to an endpoint are not limited by the key that created it: a narrowed key may not create one.
  if (scope && model.name.startsWith('comptoir.webhook')) {
    if (!opensAbility(scope, 'webhooks')) throw scopeMissing('webhooks')
    if (!method.readonly && (scope.models.length || scope.companies.length || scope.methods.length))
      throw scopeMissing('rpc', 'model, method or company')
  }
  const missing = scope ? missingFor(scope, model.name, method) : null
  if (missing !== null) throw scopeMissing(missing)
}

/** Throws AccessError where the caller's key does not have an ability. */
export function assertAbility({ scope }: Caller, ability: Ability): void {
  if (scope && !opensAbility(scope, ability)) throw scopeMissing(ability)
}

/**
 * Throws for a key that cannot queue jobs, when a job is queued and again when it is done: AccessError
 * without the ability, BadRequest for a key that only permits dry runs, whose job would have no effect.
 */
export function assertQueues(caller: Caller): void {
  assertAbility(caller, 'jobs')
  if (caller.scope?.dry) throw new BadRequest('This API key allows dry runs only, so it cannot queue jobs.')
}

/**
 * Throws AccessError for answers that are not the result of a method, where the caller's key opens listed
 * methods only.
 */
export function assertAnyMethod({ scope }: Caller): void {
  if (scope?.methods.length) throw scopeMissing('method:*/*')
}

/** The request with the preferences of the key: a key that only permits dry runs makes every call one. */
export function scoped<R extends Pick<Call, 'asks' | 'tell'>>({ scope }: Caller, request: R): R {
  if (!scope?.dry || request.asks?.dryRun) return request
  const { tell = () => undefined } = request
  return { ...request, asks: { tell, ...request.asks, dryRun: true } }
}

/** Whether a call is a dry run: by its preferences, or because its key only permits dry runs. */
export const isDryRun = ({ scope }: Caller, { asks }: Pick<Call, 'asks'>): boolean =>
  asks?.dryRun === true || scope?.dry === true

/** Reports that the call is rolled back, whether the key or the request demands it. */
export function reportDryRun({ asks, tell }: Pick<Call, 'asks' | 'tell'>): void {
  const say = asks?.tell ?? tell
  say?.('preference-applied', 'tx=rollback')
}
