// A batch that is one unit: one snapshot, one cache, one COMMIT; the first failure ends it, and nothing
// stays.
import type { Caller } from '../../access/index.ts'
import type { Database, Databases } from '../../databases/index.ts'
import { FailedDependency, ServiceError } from '../../errors.ts'
import type { Unit } from '../../models/language/unit.ts'
import { inLanguage } from '../../models/terms/lexicon.ts'
import { BASE_LANGUAGE } from '../../models/unit/environment.ts'
import { OptimisticCheckFailed } from '../../models/unit/refusing.ts'
import { reportTyped } from '../calls/answer-preferences.ts'
import { inDatabase, type Standing } from '../calls/caller.ts'
import { Done, Ticket } from '../calls/idempotency.ts'
import { scoped } from '../calls/scope.ts'
import { hasNoPreferences, type Kind, transact } from '../calls/transact.ts'
import { translatedError } from '../failures.ts'
import { translatedIn } from './documented.ts'
import { plannedIdentity } from './fingerprints.ts'
import type { Outcome } from './outcome.ts'
import { performCalls } from './perform.ts'
import type { Plan } from './plan.ts'
import { prepared, type Ready, targetsOf } from './prepare.ts'
import type { BatchAnswer, BatchRequest } from './request.ts'

/**
 * Progress of a batch: the call that is running, and whether it ran. A failure before the first call belongs
 * to the batch itself.
 */
interface Progress {
  place: number
  hasRun: boolean
  /** The unit of the calls: a buffered statement of one call may fail while a later call is running. */
  unit: Unit | null
  /**
   * Whether statements of different calls are kept apart. They are not at first: rows of several calls go to
   * PostgreSQL in one statement, and a refused row cannot be attributed to a call.
   */
  isApart: boolean
  /** Whether an optimistic assertion failed once: then all checks are done up front. */
  isPessimistic: boolean
  /** The languages that the calls speak, as far as it came. */
  readonly langs: string[]
}

/** The call that was refused: where a buffered statement failed, a later call may be running. */
const placeIn = ({ unit, place }: Progress): number => unit?.buffer.failedAt ?? place

/** Runs all or nothing. Throws what is not a fault of a call: the credential, the key, the server. */
export async function atomically(server: Databases, request: BatchRequest, plan: Plan): Promise<BatchAnswer> {
  const progress: Progress = {
    place: -1,
    hasRun: false,
    unit: null,
    isApart: plan.calls.length === 1,
    isPessimistic: false,
    langs: [],
  }
  const run = () =>
    inDatabase(server, request, (database, caller, standing) =>
      attempt(database, caller, { request, plan, progress, standing }),
    )
  // Nothing stays of the first time.
  const runApart = (error: unknown) => {
    if (!isUnplaced(progress, error)) throw error
    progress.isApart = true
    return run()
  }
  try {
    return await run().catch(runApart)
  } catch (error) {
    const { hasRun } = progress
    const place = placeIn(progress)
    if (place < 0 || !isOfCall(error)) throw error
    const results = plan.calls.map(({ id }, n): Outcome => {
      if (n === place) return { id, status: error.status, error }
      return { id, status: FailedDependency.status, code: hasRun && n < place ? 'rolled_back' : 'not_run' }
    })
    return { results, failed: { place, error } }
  }
}

/** Whether a refusal is about a call, not about the batch as a whole: who sent it, its key. */
const isOfCall = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  error.status !== 401 &&
  error.status !== 503 &&
  !error.code.startsWith('idempotency_')

/** Whether the refused call is unknown: the batch then runs again with statements kept apart. */
const isUnplaced = ({ isApart, unit }: Progress, error: unknown): boolean =>
  !isApart && unit?.buffer.failedAt !== undefined && isOfCall(error)

interface Attempt {
  readonly request: BatchRequest
  readonly plan: Plan
  readonly progress: Progress
  readonly standing: Standing
}

/** The kind of transaction that a batch takes. */
function kindOf({ progress, standing }: Attempt, request: BatchRequest, isReading: boolean): Kind {
  const { asks, entry, job } = request
  const isOptimistic = !isReading && !job && !entry && hasNoPreferences(asks) && !progress.isPessimistic
  return {
    readonly: isReading && !job,
    ...standing,
    rehearsed: asks?.dryRun === true,
    noted: entry !== undefined,
    isOptimistic,
    repeats: (failure) => isUnplaced(progress, failure),
  }
}

async function attempt(database: Database, caller: Caller, attempted: Attempt): Promise<BatchAnswer> {
  const { plan, progress } = attempted
  const request = scoped(caller, attempted.request)
  Object.assign(progress, { hasRun: false, unit: null, langs: [] })
  const { ready, refusal } = prepared(database, caller, request, { plan, progress })
  const isReading = ready.every(({ target }) => target.method.readonly)
  const { asks } = request
  const record =
    asks?.key === undefined || asks.dryRun || isReading || refusal
      ? null
      : new Ticket(database, caller.profile.id, asks.key)
  const deferred = new Map<number, () => string>()
  const run = async (unit: Unit) => {
    if (refusal) throw refusal
    return keptOutcomes(unit, caller, { request, plan, progress, ready, ticket: record, deferred })
  }
  if (asks?.dryRun) asks.tell('preference-applied', 'tx=rollback')
  if (asks?.typed) reportTyped(asks, asks.typed)
  try {
    const kind = { ...kindOf(attempted, request, isReading), ticket: record }
    const results = await transact(database, caller, request, kind, run)
    return { results: settled(results, deferred) }
  } catch (error) {
    if (error instanceof OptimisticCheckFailed) {
      progress.isPessimistic = true
      return attempt(database, caller, attempted)
    }
    if (!(record && error instanceof Done)) {
      const lang = progress.langs[placeIn(progress)] ?? BASE_LANGUAGE
      throw inLanguage(caller.rights.registry, lang, translatedError(database, error))
    }
    progress.place = -1
    const results = JSON.parse(record.answer(error)) as Outcome[]
    asks?.tell('idempotent-replayed', 'true')
    return { results }
  }
}

interface Keyed extends Omit<Attempt, 'standing'> {
  readonly ready: readonly Ready[]
  readonly ticket: Ticket | null
  /** Results again, by the places of calls whose ids are there once all is committed. */
  readonly deferred: Map<number, () => string>
}

/** Results with the ids that were deferred, as far as they are there. */
const settled = (
  outcomes: readonly Outcome[],
  deferred: ReadonlyMap<number, () => string>,
): readonly Outcome[] =>
  outcomes.map((outcome, n) => {
    const json = deferred.get(n)?.()
    return json === undefined ? outcome : { ...outcome, json }
  })

/** Results as they are kept, which PostgreSQL's `format` puts deferred ids into. */
const spelt = (outcomes: readonly Outcome[], deferred: ReadonlyMap<number, () => string>): string =>
  `[${settled(outcomes, deferred).map((outcome, n) => {
    const text = JSON.stringify(outcome)
    return deferred.has(n) ? text : text.replaceAll('%', '%%')
  })}]`

/** Runs the calls in one unit, whose answer is kept by the key and the job that they came with. */
async function keptOutcomes(
  unit: Unit,
  caller: Caller,
  { request, plan, progress, ready, ticket, deferred }: Keyed,
): Promise<Outcome[]> {
  const { asks } = request
  Object.assign(progress, { place: -1, unit })
  unit.buffer.stage = -1
  await ticket?.present(unit, {
    model: '',
    method: 'batch',
    params: plan.calls.map(plannedIdentity),
    context: plan.context ?? null,
    ...(asks?.typed && { form: asks.typed }),
  })
  const translated = translatedIn(plan, asks)
  const begin = (place: number) => {
    Object.assign(progress, { place, hasRun: true })
    if (progress.isApart) unit.buffer.stage = place
  }
  const speaks = (place: number, lang: string) => {
    progress.langs[place] = lang
  }
  const { context } = plan
  const work = () => performCalls(unit, caller, { ready, context, asks, translated, deferred, begin, speaks })
  const outcomes = request.entry
    ? await request.entry.run({ unit, caller, plan, calls: targetsOf(ready) }, work)
    : await work()
  const isSecret = ready.some(({ target }) => target.method.secret)
  ticket?.keep(unit, JSON.stringify(outcomes), isSecret, () =>
    unit.buffer.isDeferring ? spelt(outcomes, deferred) : JSON.stringify(settled(outcomes, deferred)),
  )
  request.job?.seal(unit, JSON.stringify(outcomes), [])
  return outcomes
}
