// A batch that is one unit: one snapshot, one cache, one COMMIT; the first failure ends it, and nothing
// stays.
import type { Caller } from '../../access/index.ts'
import type { Database, Databases } from '../../databases/index.ts'
import { FailedDependency, ServiceError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { reserveIdsOf } from '../../models/compute/ids.ts'
import { flush } from '../../models/compute/recompute.ts'
import type { ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import type { Unit } from '../../models/language/unit.ts'
import { inLanguage } from '../../models/terms/messages.ts'
import { BASE_LANGUAGE, recordsOf } from '../../models/unit/environment.ts'
import { assertInBatch, assertRehearsable } from '../calls/asked.ts'
import { inDatabase, type Standing } from '../calls/caller.ts'
import { bind, contextOf, envOf, render } from '../calls/method.ts'
import { Done, Ticket } from '../calls/once.ts'
import { scoped } from '../calls/scope.ts'
import { transact } from '../calls/transact.ts'
import { assertVersion } from '../calls/versions.ts'
import { boundTyped, tellTyped, wishesInBatch } from '../calls/wishes.ts'
import { understood } from '../failures.ts'
import type { CallBody } from '../request.ts'
import { askedPlainly, translatedIn } from './documented.ts'
import { type Outcome, Size } from './outcome.ts'
import { bodyOf, type Plan } from './plan.ts'
import { prepared, type Ready, targetsOf } from './prepare.ts'
import { Results } from './references.ts'
import type { BatchAnswer, BatchRequest } from './request.ts'
import { said } from './said.ts'

/**
 * How far a batch came: the call that was under way, and whether it ran. Anything before the first is the
 * batch's own affair.
 */
interface Progress {
  place: number
  hasRun: boolean
  /** What it ran in: statements that nobody waits for may fail while a later call is under way. */
  unit: Unit | null
  /**
   * Whether statements are kept apart by the calls that they belong to. They are not at first: rows of
   * several calls go to PostgreSQL in one statement, of which nobody knows whose row it refused.
   */
  isApart: boolean
  /** The language that the call under way speaks. */
  lang: string
}

/** Runs all or nothing. Throws what is no fault of a call: the credential, the key, the server. */
export async function atomically(server: Databases, request: BatchRequest, plan: Plan): Promise<BatchAnswer> {
  const progress: Progress = {
    place: -1,
    hasRun: false,
    unit: null,
    isApart: plan.calls.length === 1,
    lang: BASE_LANGUAGE,
  }
  const run = () =>
    inDatabase(server, request, (database, caller, standing) =>
      attempt(database, caller, { request, plan, progress, standing }),
    )
  // Nothing stays of the first time.
  const runApart = (error: unknown) => {
    if (progress.isApart || progress.unit?.failedAt === undefined || !isOfCall(error)) throw error
    progress.isApart = true
    return run()
  }
  try {
    return await run().catch(runApart)
  } catch (error) {
    const { hasRun, unit } = progress
    const place = unit?.failedAt ?? progress.place
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

interface Attempt {
  readonly request: BatchRequest
  readonly plan: Plan
  readonly progress: Progress
  readonly standing: Standing
}

async function attempt(
  database: Database,
  caller: Caller,
  { request: given, plan, progress, standing }: Attempt,
): Promise<BatchAnswer> {
  const request = scoped(caller, given)
  Object.assign(progress, { hasRun: false, unit: null, lang: BASE_LANGUAGE })
  const { ready, refusal } = prepared(database, caller, request, { plan, progress })
  const isReading = ready.every(({ target }) => target.method.readonly)
  const { asks } = request
  const ticket =
    asks?.key === undefined || asks.dryRun || isReading || refusal
      ? null
      : new Ticket(database, caller.profile.id, asks.key)
  const run = async (unit: Unit) => {
    if (refusal) throw refusal
    return keptOutcomes(unit, caller, { request, plan, progress, ready, ticket })
  }
  if (asks?.dryRun) asks.tell('preference-applied', 'tx=rollback')
  if (asks?.typed) tellTyped(asks, asks.typed)
  try {
    return {
      results: await transact(
        database,
        caller,
        request,
        {
          readonly: isReading && !request.job,
          ...standing,
          ticket,
          rehearsed: asks?.dryRun === true,
          noted: request.entry !== undefined,
        },
        run,
      ),
    }
  } catch (error) {
    if (!(ticket && error instanceof Done))
      throw inLanguage(caller.rights.registry, progress.lang, understood(database, error))
    progress.place = -1
    const results = JSON.parse(ticket.answer(error)) as Outcome[]
    asks?.tell('idempotent-replayed', 'true')
    return { results }
  }
}

interface Keyed extends Omit<Attempt, 'standing'> {
  readonly ready: readonly Ready[]
  readonly ticket: Ticket | null
}

/** Runs the calls in one unit, whose answer is kept by the key and the job that they came with. */
async function keptOutcomes(
  unit: Unit,
  caller: Caller,
  { request, plan, progress, ready, ticket }: Keyed,
): Promise<Outcome[]> {
  const { asks } = request
  Object.assign(progress, { place: -1, unit })
  unit.stage = -1
  await ticket?.present(unit, {
    model: '',
    method: 'batch',
    params: plan.calls.map(said),
    context: plan.context ?? null,
    ...(asks?.typed && { form: asks.typed }),
  })
  const translated = translatedIn(plan, asks)
  const work = () => performed(unit, caller, { ready, context: plan.context, progress, asks, translated })
  const outcomes = request.entry
    ? await request.entry.run({ unit, caller, plan, calls: targetsOf(ready) }, work)
    : await work()
  const isSecret = ready.some(({ target }) => target.method.secret)
  ticket?.keep(unit, JSON.stringify(outcomes), isSecret)
  request.job?.seal(unit, JSON.stringify(outcomes), [])
  return outcomes
}

interface Run {
  readonly ready: readonly Ready[]
  readonly context: unknown
  readonly progress: Progress
  readonly asks: BatchRequest['asks']
  /** Calls whose results others take values from in another form than they are told in. */
  readonly translated: ReadonlySet<string>
}

/** Records of one model whose ids are drawn ahead: beyond, a call of its own is no loss. */
const MOST_AHEAD = 1000

/**
 * How many records of which models several calls are going to make, as far as that can be seen: with their
 * ids drawn together, none of the calls waits for its own.
 */
function creations({ profile, rights }: Caller, ready: readonly Ready[]): ReadonlyMap<ModelDef, number> {
  const lengths = new Map<ModelDef, number[]>()
  for (const { body, target } of ready) {
    const { model, method } = target
    const list = body.vals_list
    if (method.name !== 'create' || !Array.isArray(list) || !model.hasTable) continue
    if (!rights.mayModel(profile, model, 'create')) continue
    lengths.set(model, [...(lengths.get(model) ?? []), list.length])
  }
  const counts = new Map<ModelDef, number>()
  for (const [model, each] of lengths) {
    const sum = each.reduce((a, b) => a + b, 0)
    if (each.length > 1 && sum <= MOST_AHEAD) counts.set(model, sum)
  }
  return counts
}

async function performed(
  unit: Unit,
  caller: Caller,
  { ready, context, progress, asks, translated }: Run,
): Promise<Outcome[]> {
  const results = new Results()
  const size = new Size()
  const outcomes: Outcome[] = []
  await reserveIdsOf(envOf(unit, caller, {}), creations(caller, ready))
  for (const [place, { id, body: given, target, ifMatch }] of ready.entries()) {
    Object.assign(progress, { place, hasRun: true })
    if (progress.isApart) unit.stage = place
    size.assertRoom()
    const body = bodyOf(results.fill(given) as Record<string, unknown>, context)
    const { model, method } = target
    const bound = boundTyped(asks, model, bind(model, method, body))
    const env = envOf(unit, caller, contextOf(caller, body))
    progress.lang = env.lang
    if (ifMatch !== null) await assertVersion(env, { model, method }, bound.ids, ifMatch)
    unit.keepWishes(wishesInBatch(asks, target))
    const result = await method.run(recordsOf(env, model, bound.ids) as never, bound.params)
    if (unit.pending.size) await flush(env)
    assertRehearsable(asks, model, method, unit)
    assertInBatch(unit, model, method)
    const json = render(result, body, bound)
    size.add(json)
    if (id !== null) {
      const call = { method: method.name, body: results.fill(given) as Record<string, unknown> }
      const plain = translated.has(id) ? askedPlainly(model, call, json) : null
      results.keep(id, plain ? await read(env, model, plain.method, bodyOf(plain.body, context)) : json)
    }
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
