// The verb `object`: one call of a method, by whatever wire; hops 3 to 6 of it are a line each in `attempt`.

import type { Caller } from '../access/index.ts'
import type { Database, Databases } from '../databases/index.ts'
import { watch } from '../kit/watch/index.ts'
import { flush } from '../models/compute/recompute.ts'
import { DeferredRecords } from '../models/language/deferred.ts'
import type { MethodDef, ModelDef } from '../models/language/definitions.ts'
import { NO_PREFERENCES } from '../models/language/environment.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import type { Unit } from '../models/language/unit.ts'
import { assertExist, type Bound } from '../models/methods/bind.ts'
import { assertExporter } from '../models/methods/transfer.ts'
import { LongAnswer } from '../models/read/long-answer.ts'
import { Tagged } from '../models/read/rendered.ts'
import { inLanguage } from '../models/terms/lexicon.ts'
import { BASE_LANGUAGE, recordsOf } from '../models/unit/environment.ts'
import { OptimisticCheckFailed } from '../models/unit/refusing.ts'
import {
  AnswerHeaders,
  boundLenient,
  boundTyped,
  headersOf,
  preferencesOf,
} from './calls/answer-preferences.ts'
import { watchedCall } from './calls/call-metrics.ts'
import { assertInBatch, assertReversible, reportApplied, versionsFor } from './calls/call-preferences.ts'
import { noteScale, type Prepared } from './calls/call-size.ts'
import { inDatabase, type Standing } from './calls/caller.ts'
import { type Looked, withFaultPlaces } from './calls/faults.ts'
import { Done, identityOf, retryUntilKnown, Ticket } from './calls/idempotency.ts'
import { inPlace } from './calls/large-calls.ts'
import {
  bind,
  contextOf,
  envOf,
  findMethod,
  isGivenMany,
  isLong,
  mayBeLong,
  render,
  renderAgain,
  renderInTurns,
  type Target,
} from './calls/method.ts'
import { readFromReplica } from './calls/replica-calls.ts'
import { assertKeyed } from './calls/rules.ts'
import { assertAbility, assertQueues, assertScope, scoped } from './calls/scope.ts'
import { kindOf, transact, type Where } from './calls/transact.ts'
import { assertVersion } from './calls/versions.ts'
import { translatedError, withContext } from './failures.ts'
import { rowsBegun, startLongAnswer } from './long-answers.ts'
import { runModuleChange } from './module-changes.ts'
import type { Answer, Attempted, Call, CallBody } from './request.ts'
import { exportsRows } from './row-lines.ts'

/**
 * Runs a call in a transaction of its own. Throws the errors of the table in errors.ts; anything else is a
 * fault of ours.
 */
export function call(server: Databases, request: Call): Promise<Answer> {
  return watch.isOn ? watchedCall(server, request, () => whole(server, request)) : whole(server, request)
}

async function whole(server: Databases, request: Call): Promise<Answer> {
  const work = request.timing ? timed : attempt
  const run = () =>
    inDatabase(server, request, (database, caller, standing) =>
      database.replica
        ? readFromReplica({ database, caller, request, standing }, (replicaCall, where) =>
            work(database, caller, replicaCall, where),
          )
        : work(database, caller, request, standing),
    )
  const answer = await (request.asks?.key === undefined ? run() : retryUntilKnown(run))
  return answer.modules ? changed(server, request, answer, answer.modules) : answer
}

/** As `attempt`, with the times that its beginning and its end took. */
async function timed(database: Database, caller: Caller, request: Call, standing: Where): Promise<Attempted> {
  request.timing?.mark('rights')
  const answer = await attempt(database, caller, request, standing)
  // The time since the answer was ready belongs to the end of the transaction.
  request.timing?.mark('query')
  return answer
}

/**
 * Changes modules after the call that asked for it has committed, and before it is answered: a client that
 * has the answer may use the modules.
 */
async function changed(
  server: Databases,
  { database }: Call,
  { modules: _, ...answer }: Attempted,
  change: ModuleChange,
): Promise<Answer> {
  const json = await runModuleChange(server, database, change)
  return json === null ? answer : { ...answer, json }
}

async function attempt(
  database: Database,
  caller: Caller,
  received: Call,
  standing: Where,
): Promise<Attempted> {
  // Most keys have no scope, and most requests have no preferences.
  const request = caller.scope ? scoped(caller, received) : received
  const target = findMethod(database, caller.rights.registry.models.get(request.model), request)
  const { asks } = request
  const record = ticketFor(database, caller, request, target)
  const kind = kindOf(request, target, record, standing)
  const headers = asks && !asks.onlyKey ? new AnswerHeaders() : null
  const course: Course = {
    database,
    caller,
    request,
    ticket: record,
    answerHeaders: headers,
    lang: BASE_LANGUAGE,
    body: null,
    bound: null,
    looked: null,
    versions: null,
    deferred: null,
    since: standing.since,
  }
  try {
    if (asks?.dryRun) asks.tell('preference-applied', 'tx=rollback')
    const work = request.fingerprint === undefined ? perform : performReferring
    const run = (unit: Unit) => work(unit, target, course)
    const result = await transact(database, caller, request, kind, run)
    if (record?.isKept) watch.sink?.count('comptoir_idempotency_total', { outcome: 'first' })
    const answer = course.deferred ? { ...result, json: course.deferred() } : result
    if (asks?.etag) reportApplied(asks, await course.versions)
    if (asks && target.method) headers?.pass(asks, target.method)
    return answer instanceof LongAnswer
      ? {
          ...(await (asks?.lines ? rowsBegun : startLongAnswer)(database, caller, answer, request.gone)),
          model: target.model,
        }
      : answer
  } catch (error) {
    if (error instanceof OptimisticCheckFailed)
      return attempt(database, caller, received, { ...standing, isPessimistic: true })
    if (record && error instanceof Done)
      return { json: replayed(course, record.answer(error)), model: target.model }
    const { lang, looked } = course
    const inWords = inLanguage(caller.rights.registry, lang, translatedError(database, error))
    throw withContext(withFaultPlaces(inWords, looked), course.body?.context)
  }
}

/** A call under way, with what its end has to know of it: how far it came, and in which words it speaks. */
interface Course extends Pick<Standing, 'since'> {
  readonly database: Database
  readonly caller: Caller
  readonly request: Call
  readonly ticket: Ticket | null
  readonly answerHeaders: AnswerHeaders | null
  lang: string
  /** The decoded body, once it was read. */
  body: CallBody | null
  /** The bound method and parameters, once every check held. */
  bound: Bound | null
  looked: Looked | null
  versions: ReturnType<typeof versionsFor>
  /** Gives the answer again, where its ids are there once it is committed. */
  deferred: (() => string) | null
}

/** The work of a call in its transaction: bound and checked, and run when others leave it a place. */
function perform(unit: Unit, target: Target, course: Course): Promise<Attempted | LongAnswer> {
  const decoded = course.request.body()
  return decoded instanceof Promise
    ? decoded.then((body) => performed(unit, target, course, body))
    : performed(unit, target, course, decoded)
}

/**
 * As `perform`, of a call that takes values from others of its batch. Where they can no longer be had it may
 * have been done before: throws Done then.
 */
async function performReferring(unit: Unit, target: Target, course: Course): Promise<Attempted | LongAnswer> {
  try {
    return await perform(unit, target, course)
  } catch (error) {
    if (target.method && !course.bound) {
      assertMay(course, target.model, target.method)
      await course.ticket?.look(unit, identityOf(course.request, target))
    }
    throw error
  }
}

function performed(
  unit: Unit,
  { refusal, method, model }: Target,
  course: Course,
  body: CallBody,
): Promise<Attempted | LongAnswer> {
  const { caller, request } = course
  const { asks } = request
  request.timing?.mark('parse')
  course.body = body
  if (refusal) throw refusal
  const boundCall = bind(model, method, body)
  const bound =
    asks && course.answerHeaders ? boundLenient(asks, method, boundTyped(asks, model, boundCall)) : boundCall
  assertMay(course, model, method)
  const prepared: Prepared = { caller, model, method, bound, since: course.since }
  // Jobs are few at a time by themselves.
  const isFree = request.queued || !(mayBeLong(method, bound) || isGivenMany(bound))
  return isFree
    ? run(unit, prepared, course, body)
    : inPlace(unit, prepared, () => run(unit, prepared, course, body))
}

/** Runs a call and puts its result into words. */
async function run(
  unit: Unit,
  prepared: Prepared,
  course: Course,
  body: CallBody,
): Promise<Attempted | LongAnswer> {
  const { caller, request, ticket, answerHeaders } = course
  const { asks } = request
  const { model, method, bound } = prepared
  const preferences =
    answerHeaders || request.knownTags?.length
      ? preferencesOf(asks, prepared, request.database, answerHeaders?.tell, request.knownTags)
      : NO_PREFERENCES
  course.bound = bound
  // Nearly always it is there at once.
  const presented = ticket?.present(
    unit,
    identityOf(request, prepared, { ids: bound.ids, params: bound.params, context: body.context ?? null }),
  )
  if (presented) await presented
  const env = envOf(unit, caller, contextOf(caller, body), method)
  course.lang = env.lang
  if (request.takesOut || (asks?.lines && exportsRows(asks.lines, method.name))) assertExporter(env)
  if (asks?.ifMatch !== undefined) await assertVersion(env, { model, method }, bound.ids, asks.ifMatch)
  if (asks?.problem) course.looked = { env, model, method, body }
  unit.answer.keepPreferences(preferences)
  if (!method.checksItself && bound.ids.length) await assertExist(env, model, bound.ids)
  const result = await method.run(recordsOf(env, model, bound.ids) as never, bound.params)
  if (mayBeLong(method, bound)) noteScale(prepared, unit, result)
  if (unit.recomputation.pending.size) await flush(env)
  request.timing?.mark('plan')
  request.timing?.move(unit.usage.waited, 'plan', 'query')
  if (result instanceof LongAnswer) return result
  const json = isLong(unit, result) ? await renderInTurns(unit, result) : render(result, body, bound)
  request.timing?.mark('render')
  if (asks?.dryRun) assertReversible(asks, model, method, unit)
  if (asks?.etag) course.versions = versionsFor(unit, { model, method, bound, result, json })
  if (request.knownTags && result instanceof Tagged)
    return { json, model, tag: result.tag, isKnown: result.isKnown }
  if (request.ability === 'batch') assertInBatch(unit, model, method)
  if (unit.ending.moduleChange) return { json, model, modules: unit.ending.moduleChange }
  if (result instanceof DeferredRecords) course.deferred = () => render(result, body, bound)
  ticket?.keep(unit, json, method.secret, course.deferred ?? undefined)
  if (request.job) await request.job.seal(unit, json, await headersOf(course, asks, method))
  return { json, model }
}

/** Throws where this caller may not call this method, over this endpoint or with these preferences. */
function assertMay({ database, caller, request }: Course, model: ModelDef, method: MethodDef): void {
  const { asks } = request
  if (request.ability) assertAbility(caller, request.ability)
  if (request.queued) assertQueues(caller)
  if (caller.scope) assertScope(caller, model, method)
  if (!method.readonly) assertKeyed(database, caller, request, model, method)
  if (asks?.dryRun) assertReversible(asks, model, method)
}

/** The key of a call that changes something. */
function ticketFor(
  database: Database,
  { profile }: Caller,
  { asks }: Call,
  { method }: Target,
): Ticket | null {
  return asks?.key === undefined || asks.dryRun || !method || method.readonly
    ? null
    : new Ticket(database, profile.id, asks.key)
}

/** The answer that an earlier call with the same key got, as this one's wire wants it. */
function replayed({ request, body, bound }: Course, kept: string): string {
  const json = body && bound ? renderAgain(kept, body, bound) : kept
  request.asks?.tell('idempotent-replayed', 'true')
  watch.sink?.count('comptoir_idempotency_total', { outcome: 'replayed' })
  return json
}
