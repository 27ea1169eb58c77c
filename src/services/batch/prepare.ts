// Checks of a batch before it costs anything: the methods of its calls, their parameters, and whether the
// caller may call them.
import type { Caller } from '../../access/index.ts'
import type { Database } from '../../databases/index.ts'
import { UnprocessableEntity } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Bound } from '../../models/methods/bind.ts'
import { assertReversible } from '../calls/call-preferences.ts'
import { bind, findMethod } from '../calls/method.ts'
import { assertKeyed } from '../calls/rules.ts'
import { assertAbility, assertQueues, assertScope } from '../calls/scope.ts'
import type { CallBody } from '../request.ts'
import { bodyOf, type Plan, type PlannedCall } from './plan.ts'
import { Results } from './references.ts'
import type { BatchRequest } from './request.ts'

/** A call with its method. */
export interface Ready extends PlannedCall {
  readonly target: { readonly model: ModelDef; readonly method: MethodDef }
  /** The body and the arguments bound from it; null where these depend on results of other calls. */
  readonly binding: { readonly body: CallBody; readonly bound: Bound } | null
}

interface Prepared {
  readonly ready: readonly Ready[]
  /** Why no more of them are ready. */
  readonly refusal: unknown
}

/**
 * The calls with their methods. All checks that need no query are done first, so a wrong call costs nothing.
 */
export function prepared(
  database: Database,
  caller: Caller,
  request: BatchRequest,
  { plan, progress }: { readonly plan: Plan; readonly progress: { place: number } },
): Prepared {
  const ready: Ready[] = []
  try {
    for (const ability of request.entry?.abilities ?? (['batch'] as const)) assertAbility(caller, ability)
    if (request.queued) assertQueues(caller)
    for (const [place, planned] of plan.calls.entries()) {
      progress.place = place
      ready.push(readied(database, caller, request, { planned, context: plan.context }))
    }
    request.entry?.judge(caller, targetsOf(ready))
    return { ready, refusal: null }
  } catch (refusal) {
    return { ready, refusal }
  }
}

/** Models and methods of the calls, in their order. */
export const targetsOf = (ready: readonly Ready[]) => ready.map(({ target }) => target)

/** Finds the method and binds what does not wait for others' results. */
function readied(
  database: Database,
  caller: Caller,
  request: BatchRequest,
  { planned, context }: { planned: PlannedCall; context: unknown },
): Ready {
  const target = findMethod(database, caller.rights.registry.get(planned.model), planned)
  if (target.refusal) throw target.refusal
  const { model, method } = target
  assertKeyed(database, caller, request, model, method)
  assertReversible(request.asks, model, method)
  let binding: Ready['binding'] = null
  if (planned.needs.size === 0) {
    const body = bodyOf(new Results().fill(planned.body) as Record<string, unknown>, context)
    binding = { body, bound: bind(model, method, body) }
  } else assertNames(method, Object.keys(planned.body))
  assertScope(caller, model, method)
  return { ...planned, target: { model, method }, binding }
}

/** Of a call that waits for values the names are known. Throws UnprocessableEntity. */
function assertNames({ params }: MethodDef, names: readonly string[]): void {
  const unknown = names.find((name) => name !== 'ids' && name !== 'context' && !Object.hasOwn(params, name))
  if (unknown !== undefined) throw new UnprocessableEntity(`got an unexpected keyword argument '${unknown}'`)
  const missing = Object.keys(params).find((name) => !params[name]?.hasDefault && !names.includes(name))
  if (missing !== undefined) throw new UnprocessableEntity(`missing a required argument: '${missing}'`)
}
