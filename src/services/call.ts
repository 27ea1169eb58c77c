// The verb `object`: one call of a model's method, whatever wire it came by. Hops 3 to 6 of a request are one line each in `attempt`.

import { AddressGuard, askPool, type Caller } from '../access/index.ts'
import { type Database, type Databases, ReplacedDatabase } from '../databases/index.ts'
import { AccessError, NotFound, ServiceError, ServiceUnavailable, UnprocessableEntity, unknownModel } from '../errors.ts'
import { jsonInTurns } from '../kit/json-in-turns.ts'
import { isNoObject } from '../kit/nothing.ts'
import { flush } from '../models/compute/recompute.ts'
import type { MethodDef, ModelDef } from '../models/language/definitions.ts'
import type { Context, Environment } from '../models/language/environment.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import type { UserProfile } from '../models/language/rights.ts'
import type { Unit } from '../models/language/unit.ts'
import { type Bound, bindNamed, bindPositional } from '../models/methods/bind.ts'
import { LongAnswer } from '../models/read/long-answer.ts'
import { RecordsetBase } from '../models/read/recordset.ts'
import { Rendered } from '../models/read/rendered.ts'
import { inLanguage } from '../models/terms/messages.ts'
import { assertContext, BASE_LANGUAGE, environmentOf } from '../models/unit/environment.ts'
import { recordsOf } from '../models/unit/records.ts'
import { SYSTEM } from '../models/unit/system.ts'
import { UnitOfWork, type UnitOptions } from '../models/unit/unit.ts'
import { withRetries } from '../postgres/index.ts'
import { unlessDeserted } from './deserted.ts'
import { lostOr, understood } from './failures.ts'
import { begun } from './long-answers.ts'
import { carryOut } from './module-changes.ts'
import type { Answer, Call, CallBody } from './request.ts'

/** Runs a call in a transaction of its own. Throws the errors of the table in errors.ts; anything else is a fault of ours. */
export function call(server: Databases, request: Call): Promise<Answer> {
  const { timing } = request
  if (!timing)
    return inDatabase(server, request, (database, caller, inLane) => attempt(database, caller, request, inLane)).then(
      finish(server, request),
    )
  return inDatabase(server, request, async (database, caller, inLane) => {
    timing.mark('rights')
    const answer = await attempt(database, caller, request, inLane)
    // What came after the answer was made is the end of the transaction.
    timing.mark('query')
    return answer
  }).then(finish(server, request))
}

/** Modules change once the call that asks for it is committed, and before it is answered: whoever hears of it may use them. */
function finish(server: Databases, { database }: Call) {
  return ({ modules, ...answer }: Attempted): Answer | Promise<Answer> =>
    modules ? carryOut(server, database, modules).then((json) => (json === null ? answer : { ...answer, json })) : answer
}

/** An answer, and what is to be done to the modules before it is given. */
interface Attempted extends Answer {
  readonly modules?: ModuleChange | null
}

/** Runs `work`, which only reads, as the owner of a credential: for answers that are no method's result. */
export function reading<T>(server: Databases, request: Owner, work: (env: Environment) => Promise<T>): Promise<T> {
  return inDatabase(server, request, (database, caller) =>
    transact(database, caller, request, { readonly: true }, (unit) => work(envOf(unit, caller, {}))),
  )
}

/** Judges a credential before there is a call: for bodies that are too long to be read for strangers. Throws what a call of theirs would throw. */
export function prove(server: Databases, owner: Owner): Promise<void> {
  return inDatabase(server, owner, async (database, { preamble }) => preamble.verify(await askPool(database.pool)(preamble.statement)))
}

type Owner = Pick<Call, 'database' | 'credential' | 'remote' | 'userAgent' | 'gone'>

/** Times that another database may come to stand under the name while one call looks for it. */
const REPLACEMENTS = 3

/** `inLane`: whether it is repeated, and waits for others that are. */
type Work<T> = (database: Database, caller: Caller, inLane: boolean) => Promise<T>

async function inDatabase<T>(server: Databases, owner: Owner, work: Work<T>): Promise<T> {
  for (let replacement = 1; ; replacement++) {
    try {
      return await inOpened(server, owner, work)
    } catch (error) {
      if (!(error instanceof ReplacedDatabase)) throw error
      if (replacement >= REPLACEMENTS) throw new ServiceUnavailable('The database is being replaced.', { undone: true })
    }
  }
}

async function inOpened<T>(server: Databases, owner: Owner, work: Work<T>): Promise<T> {
  // What is there already is not waited for, here and below: every call would pay for it.
  const database = server.opened(owner.database) ?? (await server.database(owner.database))
  database.enter()
  try {
    return await asCaller(database, owner, (caller) =>
      withRetries((attempt) => (attempt === 1 ? work(database, caller, false) : database.inLane(() => work(database, caller, true)))),
    )
  } finally {
    database.leave()
  }
}

/** Finds the caller and runs `work`; when the check that goes along says that something changed, modules and caller are read anew. */
function asCaller<T>(database: Database, { credential, remote }: Owner, work: (caller: Caller) => Promise<T>): Promise<T> {
  const { callers } = database
  let tries = 0
  const find = () => {
    switch (credential.kind) {
      case 'key':
        return callers.byKey(credential.key)
      case 'password':
        return callers.byPassword(credential.uid, credential.password, remote)
      case 'session':
        return callers.bySession(credential.token)
    }
  }
  const anew = async () => {
    await database.refresh()
    return find()
  }
  const upToDate = (caller: Caller) => (database.isBehind(caller.expected.version) ? anew() : caller)
  return callers.run(() => {
    const found = tries++ > 0 ? anew() : find()
    // What is remembered is checked along with the call.
    return found instanceof Promise ? found.then(upToDate) : found
  }, work)
}

async function attempt(database: Database, caller: Caller, request: Call, inLane: boolean): Promise<Attempted> {
  const target = find(caller.rights.registry.get(request.model), request)
  const kind = {
    readonly: target.method?.readonly ?? true,
    inLane,
    sole: target.method?.module === 'core' && !target.method.wrapped,
    timed: request.timing !== undefined,
    takesLong: request.pieces === true && target.method?.module === 'core' && !target.method.wrapped,
  }
  let lang = BASE_LANGUAGE
  const run = async (unit: Unit) => {
    const decoded = request.body()
    const body = decoded instanceof Promise ? await decoded : decoded
    request.timing?.mark('parse')
    if (target.refusal) throw target.refusal
    const bound = bind(target.model, target.method, body)
    const env = envOf(unit, caller, contextOf(caller, body))
    lang = env.lang
    const result = await target.method.run(recordsOf(env, target.model, bound.ids) as never, bound.params)
    if (unit.pending.size) await flush(env)
    request.timing?.mark('plan')
    request.timing?.move(unit.waited, 'plan', 'query')
    if (result instanceof LongAnswer) return result
    const json = isLong(unit, result) ? await jsonInTurns(result) : render(result, body, bound)
    request.timing?.mark('render')
    return unit.moduleChange ? { json, model: target.model, modules: unit.moduleChange } : { json, model: target.model }
  }
  try {
    const answer = await transact(database, caller, request, kind, run)
    return answer instanceof LongAnswer ? { ...(await begun(database, caller, answer, request.gone)), model: target.model } : answer
  } catch (error) {
    throw inLanguage(caller.rights.registry, lang, understood(database, error))
  }
}

/** Only a session that became the system user acts as it: beside all rights (spec/client-needs.md section 4). */
function envOf(unit: Unit, { profile }: Caller, context: Context): Environment {
  return environmentOf(unit, profile, context, profile.id === SYSTEM.id)
}

async function transact<T>(
  database: Database,
  caller: Caller,
  { remote, credential, userAgent, gone }: Owner,
  kind: Pick<UnitOptions, 'readonly' | 'inLane' | 'sole' | 'timed' | 'takesLong'>,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  const { tell } = database
  const session = credential.kind === 'session' ? credential.token : null
  const guard = new AddressGuard(database.callers.door, { address: remote, session })
  const unit = new UnitOfWork(database.pool, caller.rights.registry, caller.rights, {
    ...kind,
    preamble: caller.preamble,
    holder: caller.profile.id,
    guard,
    tell,
    files: database.files,
    bounded: true,
    gone,
  })
  try {
    const result = await unlessDeserted(unit, gone, () => work(unit))
    if (!unit.verified) await unit.verify()
    database.callers.noteUse(caller, remote, userAgent)
    await unit.commit()
    return result
  } catch (caught) {
    const error = await unit.first(caught)
    // Nobody hears what went wrong before it is known that their key opens this database.
    const verdict = await unit.verify().then(
      () => error,
      (refused: unknown) => refused,
    )
    // A call that failed for another reason than its key is a use of the key; one that is repeated will be counted then.
    if (verdict === error && error instanceof ServiceError) database.callers.noteUse(caller, remote, userAgent)
    await unit.rollback()
    throw lostOr(verdict, unit, kind.readonly, database) ?? understood(database, verdict)
  } finally {
    if (guard.concerned) await guard.settle()
  }
}

type Target =
  | { readonly model: ModelDef; readonly method: MethodDef; readonly refusal?: undefined }
  | { readonly model?: undefined; readonly method?: undefined; readonly refusal: ServiceError }

/** The method, or why there is none: unknown model or method 404, private method 403 (spec/wire.md section 4). */
function find(model: ModelDef | undefined, request: Pick<Call, 'model' | 'method'>): Target {
  const { method: name } = request
  if (!model) return { refusal: unknownModel(request.model) }
  const method = model.methods.get(name)
  if (name.startsWith('_') || method?.private)
    return { refusal: new AccessError(`Private methods (such as '${name}') cannot be called remotely.`) }
  if (!method) return { refusal: new NotFound(`The method '${name}' does not exist on the model '${model.name}'.`, { kind: 'method' }) }
  return { model, method }
}

function bind(model: ModelDef, method: MethodDef, { ids, named = {}, positional }: CallBody): Bound {
  const meant = (given: unknown) => (model.kind === 'transient' && method.module !== 'core' ? savedOnly(given) : given)
  if (!positional) return bindNamed(method, meant(ids), named)
  return bindPositional(method, method.level === 'model' ? positional : positional.map((arg, i) => (i === 0 ? meant(arg) : arg)), named)
}

/** A form that was never saved goes by null: its buttons are pressed on no record. */
const savedOnly = (ids: unknown) => (Array.isArray(ids) && ids.every((id) => id === null) ? [] : ids)

/** The call's context; outside of RPC over the caller's own language and time zone (spec/wire.md section 5). Throws UnprocessableEntity for one that is no object, PayloadTooLarge for a large one. */
function contextOf({ profile }: Caller, { context: given, rpc }: CallBody): Context {
  const context = isNoObject(given) ? undefined : given
  if (context !== undefined && (typeof context !== 'object' || Array.isArray(context))) {
    throw new UnprocessableEntity('context must be an object')
  }
  if (context) assertContext(context as Context)
  if (rpc) return { ...context }
  const own = ownContext(profile)
  return context ? { ...own, ...context } : own
}

const ownContexts = new WeakMap<UserProfile, Context>()

/** A user's language and time zone: one object for all their calls, by which the engine knows what it made for them (row/plans.ts). */
function ownContext(profile: UserProfile): Context {
  const known = ownContexts.get(profile)
  if (known) return known
  const own = Object.freeze({ ...(profile.lang ? { lang: profile.lang } : {}), ...(profile.tz ? { tz: profile.tz } : {}) })
  ownContexts.set(profile, own)
  return own
}

/** Values whose text takes so long to make that others should have their turns meanwhile. */
const LONG = 20_000

const isLong = ({ shown }: Unit, result: unknown): boolean =>
  !(result instanceof Rendered || result instanceof RecordsetBase) &&
  (shown.cells > LONG || (Array.isArray(result) && result.length > LONG / 10))

/** The result as JSON text: recordsets as ids, nothing as null (spec/wire.md section 5, "Results"). */
function render(result: unknown, body: CallBody, bound: Bound): string {
  if (result instanceof Rendered) return result.json
  if (result instanceof RecordsetBase) {
    const one = body.rpc && result.length === 1 && isSingle(bound, body)
    return JSON.stringify(one ? result.ids[0] : result.ids)
  }
  return JSON.stringify(result ?? null)
}

/** Whether RPC's `create` was given one object. */
function isSingle(bound: Bound, { positional = [] }: CallBody): boolean {
  const given = positional[0]
  return 'vals_list' in bound.params && typeof given === 'object' && given !== null && !Array.isArray(given)
}
