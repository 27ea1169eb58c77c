// Runs the calls of an atomic batch, one after the other: their statements leave together where no result
// depends on an answer of PostgreSQL but ids of new records, which come back with their rows
// (docs/decisions/0023).
import type { Caller } from '../../access/index.ts'
import { present } from '../../kit/present.ts'
import { type Foreseen, planIds } from '../../models/compute/ids.ts'
import { flush } from '../../models/compute/recompute.ts'
import { DeferredRecords } from '../../models/language/deferred.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import type { Unit } from '../../models/language/unit.ts'
import { assertExist } from '../../models/methods/bind.ts'
import { askedForDefinitions } from '../../models/read/defined-properties.ts'
import { recordsOf } from '../../models/unit/environment.ts'
import { boundTyped, preferencesInBatch } from '../calls/answer-preferences.ts'
import { assertInBatch, assertReversible } from '../calls/call-preferences.ts'
import { bind, contextOf, envOf, render } from '../calls/method.ts'
import { assertVersion } from '../calls/versions.ts'
import type { CallBody } from '../request.ts'
import { askedPlainly } from './documented.ts'
import { type Outcome, Size } from './outcome.ts'
import { bodyOf } from './plan.ts'
import type { Ready } from './prepare.ts'
import { Results } from './references.ts'
import type { BatchRequest } from './request.ts'

export interface Run {
  readonly ready: readonly Ready[]
  readonly context: unknown
  readonly asks: BatchRequest['asks']
  /** Calls whose results are referenced, and returned in another form. */
  readonly translated: ReadonlySet<string>
  /** Results of calls whose ids are known only after the commit, by place. */
  readonly deferred: Map<number, () => string>
  /** Called before a call runs. */
  begin(place: number): void
  /** Called with the language of a call. */
  speaks(place: number, lang: string): void
}

/** Most records of one model whose ids are drawn in advance: for more, a call's own query costs little. */
const MOST_AHEAD = 1000

/**
 * Number of records per model that several calls are going to create, as far as it can be foreseen: their ids
 * are drawn together, so that no call waits for its own.
 */
function creations(
  env: Environment,
  { profile, rights }: Caller,
  ready: readonly Ready[],
): ReadonlyMap<ModelDef, Foreseen> {
  const lengths = new Map<ModelDef, number[]>()
  for (const { body, target } of ready) {
    const { model, method } = target
    const list = body.vals_list
    if (method.name !== 'create' || !Array.isArray(list) || !model.hasTable) continue
    if (!rights.mayModel(profile, model, 'create')) continue
    lengths.set(model, [...(lengths.get(model) ?? []), list.length])
  }
  const counts = new Map<ModelDef, Foreseen>()
  for (const [model, each] of lengths) {
    const count = each.reduce((a, b) => a + b, 0)
    if (each.length < 2 || count > MOST_AHEAD) continue
    const definitions = askedForDefinitions(env, model)
    counts.set(model, { count, definitions: definitions === 'many' ? null : definitions })
  }
  return counts
}

/** Runs the calls. Throws what the first one that fails throws. */
export async function performCalls(unit: Unit, caller: Caller, run: Run): Promise<Outcome[]> {
  const { ready, context, asks, translated } = run
  const results = new Results()
  const size = new Size()
  const outcomes: Outcome[] = []
  const callerEnv = envOf(unit, caller, {}, null)
  const foreseen = creations(callerEnv, caller, ready)
  if (foreseen.size) planIds(callerEnv, foreseen)
  const needed = new Set(ready.flatMap(({ needs }) => [...needs]))
  for (const [place, readyCall] of ready.entries()) {
    const { id, target, ifMatch } = readyCall
    run.begin(place)
    size.assertRoom()
    const { model, method } = target
    const filled = () => results.fill(readyCall.body) as Record<string, unknown>
    const body = readyCall.binding?.body ?? bodyOf(filled(), context)
    const bound = boundTyped(asks, model, readyCall.binding?.bound ?? bind(model, method, body))
    const env = envOf(unit, caller, contextOf(caller, body), method)
    run.speaks(place, env.lang)
    if (ifMatch !== null) await assertVersion(env, { model, method }, bound.ids, ifMatch)
    unit.answer.keepPreferences(preferencesInBatch(asks, target))
    const isNeeded = id !== null && needed.has(id)
    if (method.module === 'core' && method.name === 'create' && !isNeeded) unit.answer.allowDeferred()
    if (!method.checksItself && bound.ids.length) await assertExist(env, model, bound.ids)
    const result = await method.run(recordsOf(env, model, bound.ids) as never, bound.params)
    if (unit.recomputation.pending.size) await flush(env)
    assertReversible(asks, model, method, unit)
    assertInBatch(unit, model, method)
    const json = render(result, body, bound)
    size.add(json)
    if (isNeeded) {
      const plain = translated.has(id)
        ? askedPlainly(model, { method: method.name, body: filled() }, json)
        : null
      results.keep(id, plain ? await read(env, model, plain.method, bodyOf(plain.body, context)) : json)
    }
    if (result instanceof DeferredRecords) run.deferred.set(place, () => render(result, body, bound))
    outcomes.push({ id, status: 200, json })
  }
  return outcomes
}

/** A result in the documented form. */
async function read(env: Environment, model: ModelDef, name: string, body: CallBody): Promise<string> {
  const method = present(model.methods.get(name))
  const bound = bind(model, method, body)
  return render(await method.run(recordsOf(env, model, bound.ids) as never, bound.params), body, bound)
}
