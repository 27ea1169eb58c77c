// The verb `batch`: several calls that are one, or one after the other (docs/decisions/0035).
import type { Databases } from '../../databases/index.ts'
import { FailedDependency, ServiceError, SessionExpired, Unauthorized } from '../../errors.ts'
import { admit, verifyCredential } from '../as-owner.ts'
import { call } from '../call.ts'
import { assertMeant, reportTyped } from '../calls/answer-preferences.ts'
import { retryUntilKnown } from '../calls/idempotency.ts'
import { reportDryRun } from '../calls/scope.ts'
import type { Answer, Call, RequestPreferences } from '../request.ts'
import { atomically } from './atomic.ts'
import { askedPlainly, translatedIn } from './documented.ts'
import { Names } from './fingerprints.ts'
import { type Outcome, Size } from './outcome.ts'
import { bodyOf, type Plan, type PlannedCall, planOf } from './plan.ts'
import { Results } from './references.ts'
import type { BatchAnswer, BatchRequest } from './request.ts'

export type { Outcome } from './outcome.ts'
export type { BatchAnswer } from './request.ts'

/** Runs a batch. Throws what the credential deserves, UnprocessableEntity for what is not a batch. */
export async function batch(server: Databases, request: BatchRequest): Promise<BatchAnswer> {
  let plan: Plan
  try {
    assertMeant(request.asks, 'a batch', ': its calls have the member ifMatch')
    plan = planOf(await request.body())
  } catch (error) {
    // Verify the credential before reporting any error about the request.
    await verifyCredential(server, request)
    throw error
  }
  if (server.rates?.active) await admit(server, { ...request, weight: plan.calls.length })
  if (!plan.atomic) return { results: await oneByOne(server, request, plan) }
  const run = () => atomically(server, request, plan)
  return request.asks?.key === undefined ? run() : retryUntilKnown(run)
}

/** Each call is a unit of its own; one that takes values from a failed one is not run. */
async function oneByOne(server: Databases, request: BatchRequest, plan: Plan): Promise<Outcome[]> {
  const { calls, context } = plan
  const names = request.asks?.key === undefined ? null : new Names(plan)
  const results = new Results()
  const size = new Size()
  const translated = translatedIn(plan, request.asks)
  const outcomes: Outcome[] = []
  const { job, ...rest } = request
  const { asks: wanted } = request
  reportPreferences(wanted)
  for (const [n, planned] of calls.entries()) {
    const { id, model, method, body, needs } = planned
    const fingerprint = await names?.next(planned)
    const notRun = { id, status: FailedDependency.status, code: 'not_run' } as const
    const isWithout = [...needs].some((need) => !results.has(need))
    // With a key it may have been done before, and what it needed fail since: that is looked for.
    if (isWithout && !names) {
      outcomes.push(notRun)
      continue
    }
    let isReplay = false
    job?.progress(n, calls.length)
    const asks = asksOfOne(request, planned, n, () => {
      isReplay = true
    })
    try {
      size.assertRoom()
      const filled = () => results.fill(body) as Record<string, unknown>
      const sentCall: Call = {
        ...{ ...rest, model, method, fingerprint, asks, ability: 'batch' },
        body: () => bodyOf(filled(), context),
      }
      const answer = await call(server, sentCall)
      const { json } = answer
      size.add(json)
      if (id !== null && translated.has(id))
        await keepPlainly(server, { id, sentCall, filled, answer, context, results })
      else if (id !== null) results.keep(id, json)
      outcomes.push({ id, status: 200, json, ...(isReplay ? { isReplay } : {}) })
    } catch (error) {
      if (
        !(error instanceof ServiceError) ||
        error instanceof Unauthorized ||
        error instanceof SessionExpired
      )
        throw error
      outcomes.push(isWithout ? notRun : { id, status: error.status, error })
    }
  }
  return outcomes
}

/** Preferences of the nth call; `replayed` is called when its answer was a stored one. */
function asksOfOne(
  { asks: wanted, tell }: BatchRequest,
  { ifMatch }: PlannedCall,
  n: number,
  replayed: () => void,
): RequestPreferences {
  return {
    ...wanted,
    // Preferences that shape the answer of a single call do not apply to a batch.
    ...{ page: null, count: null, etag: false, lines: null },
    ifMatch: ifMatch ?? undefined,
    onlyKey: (!wanted || wanted.onlyKey === true) && ifMatch === null,
    key: wanted?.key === undefined ? undefined : `${wanted.key}#${n}`,
    tell: (name, value) => {
      if (name === 'idempotent-replayed') replayed()
      // The call is a dry run because of its key: the answer of the batch says so too.
      if (value === 'tx=rollback') reportDryRun({ asks: wanted, tell })
    },
  }
}

/** Reports the applied preferences. */
function reportPreferences(asks: BatchRequest['asks']): void {
  if (asks?.dryRun) asks.tell('preference-applied', 'tx=rollback')
  if (asks?.typed) reportTyped(asks, asks.typed)
}

interface DoneCall {
  readonly id: string
  readonly sentCall: Call
  readonly filled: () => Record<string, unknown>
  readonly answer: Answer
  readonly context: unknown
  readonly results: Results
}

/** Keeps a result in the documented form; not where that can no longer be had: the call itself is done. */
async function keepPlainly(server: Databases, { id, sentCall, filled, answer, context, results }: DoneCall) {
  const { json, model } = answer
  try {
    const plain = model ? askedPlainly(model, { method: sentCall.method, body: filled() }, json) : null
    if (!plain) return results.keep(id, json)
    const again = await call(server, {
      ...sentCall,
      method: plain.method,
      body: () => bodyOf(plain.body, context),
      fingerprint: undefined,
      asks: sentCall.asks && { ...sentCall.asks, typed: null, key: undefined, ifMatch: undefined },
    })
    results.keep(id, again.json)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}
