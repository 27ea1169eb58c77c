// A call's method: found, its parameters and context fitted to the contract, its result as JSON text.
import type { Caller } from '../../access/index.ts'
import type { Database } from '../../databases/index.ts'
import { AccessError, NotFound, type ServiceError, UnprocessableEntity, unknownModel } from '../../errors.ts'
import { alike } from '../../kit/alike.ts'
import { pixelsOf } from '../../kit/images.ts'
import { jsonInTurns } from '../../kit/json-in-turns.ts'
import { isNoObject } from '../../kit/nothing.ts'
import { assertWithin } from '../../limits.ts'
import { DeferredRecords } from '../../models/language/deferred.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Context, Environment } from '../../models/language/environment.ts'
import type { UserProfile } from '../../models/language/rights.ts'
import type { Unit } from '../../models/language/unit.ts'
import { type Bound, bindNamed, bindPositional, writesCallerValues } from '../../models/methods/bind.ts'
import { RecordsetBase } from '../../models/read/recordset.ts'
import { Rendered } from '../../models/read/rendered.ts'
import { assertContext, environmentOf } from '../../models/unit/environment.ts'
import { SYSTEM } from '../../models/unit/options.ts'
import type { Call, CallBody } from '../request.ts'

/**
 * The environment of a call of `method`; null where no method takes values of the caller. Only a session that
 * became the system user acts as it, without any check of rights (spec/client-needs.md section 4).
 */
export function envOf(
  unit: Unit,
  { profile }: Caller,
  context: Context,
  method: MethodDef | null,
): Environment {
  const isDirect = method !== null && writesCallerValues(method)
  return environmentOf(unit, profile, context, profile.id === SYSTEM.id, isDirect)
}

/** The called method, or the reason why it cannot be called. */
export type Target =
  | { readonly model: ModelDef; readonly method: MethodDef; readonly refusal?: undefined }
  | { readonly model?: undefined; readonly method?: undefined; readonly refusal: ServiceError }

type Offering = Pick<Database, 'offers'>

const isOffered = ({ extension }: MethodDef, database: Offering): boolean =>
  extension === null || database.offers(extension)

/** The method, or the refusal: unknown model or method 404, private method 403 (spec/wire.md section 4). */
export function findMethod(
  database: Offering,
  model: ModelDef | undefined,
  request: Pick<Call, 'model' | 'method'>,
): Target {
  const { method: name } = request
  if (!model) return { refusal: unknownModel(request.model) }
  const named = model.methods.get(name)
  const method = named && isOffered(named, database) ? named : undefined
  if (name.startsWith('_') || method?.private)
    return { refusal: new AccessError(`Private methods (such as '${name}') cannot be called remotely.`) }
  if (!method)
    return {
      refusal: new NotFound(`The method '${name}' does not exist on the model '${model.name}'.`, {
        kind: 'method',
        about: { suggestions: alike(name, callable(model, database)) },
      }),
    }
  return { model, method }
}

/** Names of methods that may be called from outside. */
function* callable({ methods }: ModelDef, database: Offering): Generator<string> {
  for (const [name, method] of methods)
    if (!method.private && !name.startsWith('_') && isOffered(method, database)) yield name
}

/** Parameters by name or by position, as the wire gives them. */
export function bind(model: ModelDef, method: MethodDef, { ids, named = {}, positional }: CallBody): Bound {
  const meant = (value: unknown) =>
    model.kind === 'transient' && method.module !== 'core' ? savedOnly(value) : value
  if (!positional) return bindNamed(model.name, method, meant(ids), named)
  return bindPositional(
    model.name,
    method,
    method.level === 'model' ? positional : positional.map((arg, i) => (i === 0 ? meant(arg) : arg)),
    named,
  )
}

/** A form that was never saved goes by null: its buttons are pressed on no record. */
const savedOnly = (ids: unknown) => (Array.isArray(ids) && ids.every((id) => id === null) ? [] : ids)

/**
 * The call's context; outside of RPC over the caller's own language and time zone (spec/wire.md section 5).
 * Throws UnprocessableEntity for one that is no object, PayloadTooLarge for a large one.
 */
export function contextOf({ profile }: Caller, { context: sent, rpc }: CallBody): Context {
  const context = sent === undefined || isNoObject(sent) ? undefined : sent
  if (context !== undefined && (typeof context !== 'object' || Array.isArray(context))) {
    throw new UnprocessableEntity('context must be an object')
  }
  if (context) assertContext(context as Context)
  if (rpc) return { ...context }
  const userContext = ownContext(profile)
  return context ? { ...userContext, ...context } : userContext
}

const ownContexts = new WeakMap<UserProfile, Context>()

/**
 * A user's language and time zone: one object for all their calls, by which the engine knows what it made for
 * them (row/plans.ts).
 */
function ownContext(profile: UserProfile): Context {
  const cached = ownContexts.get(profile)
  if (cached) return cached
  const userContext = Object.freeze({
    ...(profile.lang ? { lang: profile.lang } : {}),
    ...(profile.tz ? { tz: profile.tz } : {}),
  })
  ownContexts.set(profile, userContext)
  return userContext
}

/** Values, of rows also, whose text takes so long to make that others should have their turns meanwhile. */
const [LONG, LONG_ROWS] = [20_000, 50_000]
/** As much text, in characters. */
export const LONG_TEXT = 1024 ** 2

/** Whether the text of a result takes so long to make that other calls should run meanwhile. */
export const isLong = (unit: Unit, result: unknown): boolean =>
  !(result instanceof Rendered || isRecords(result)) &&
  (unit.shown.cells > LONG ||
    unit.shown.length > LONG_TEXT ||
    (Array.isArray(result) &&
      (result.length > LONG / 10 || result.length * Object.keys(result[0] ?? {}).length > LONG_ROWS)))

const isRecords = (result: unknown): result is RecordsetBase | DeferredRecords =>
  result instanceof RecordsetBase || result instanceof DeferredRecords

/** An answer so long that others have their turns while it is made. */
export async function renderInTurns(unit: Unit, result: unknown): Promise<string> {
  await unit.shown.expect(0)
  return jsonInTurns(result, (length) => assertWithin('answer', length))
}

/** Values that a call is given which are many; rows that one may ask for and not ask for many. */
const [MANY_GIVEN, FEW_ROWS] = [5000, 200]

/** Whether a call is given so much that it takes long, whatever it answers. */
export const isGivenMany = ({ ids, params }: Bound): boolean =>
  roomIn(ids, MANY_GIVEN) < 0 || roomIn(params, MANY_GIVEN) < 0

/** Whether the answer's length does not follow from what is asked. */
export const mayBeLong = ({ readonly, params }: MethodDef, { ids, params: { limit } }: Bound): boolean =>
  readonly &&
  (ids.length > FEW_ROWS ||
    ('limit' in params && !(typeof limit === 'number' && limit > 0 && limit <= FEW_ROWS)))

/** First characters of resizable picture files in base64: JPEG, PNG, and the container of WebP. */
const PICTURE = /^(?:\/9j\/|iVBORw0KGgo|UklGR)/

/** Letters that such a file begins with: most texts are looked at no further. */
const PICTURES = '/iU'

/** Pixels of a text that may be a picture. */
const pixelsIn = (text: string): number => (PICTURE.test(text) ? pixelsOf(text) : 0)

/**
 * Remaining room after counting a value: a thousand characters, or so many pixels of a picture, count as one
 * value; at least -1.
 */
export function roomIn(value: unknown, room: number): number {
  if (typeof value === 'string') {
    const pixels = PICTURES.includes(value.charAt(0)) ? pixelsIn(value) : 0
    return Math.max(-1, room - 1 - (value.length >> 10) - (pixels >> 9))
  }
  if (typeof value !== 'object' || value === null) return room - 1
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let left = room - 1
  if (items.length > left) return -1
  for (const item of items) {
    left = roomIn(item, left)
    if (left < 0) return -1
  }
  return left
}

/** The result as JSON text: recordsets as ids, nothing as null (spec/wire.md section 5, "Results"). */
export function render(result: unknown, body: CallBody, bound: Bound): string {
  if (result instanceof Rendered) return result.json
  if (isRecords(result)) {
    const { ids } = result
    return body.rpc && ids.length === 1 && isSingle(bound, body) ? String(ids[0]) : `[${ids.join()}]`
  }
  return JSON.stringify(result ?? null)
}

/** A result that was kept, as this wire wants it: another one may have got it first. */
export function renderAgain(json: string, body: CallBody, bound: Bound): string {
  if (!body.rpc || !isSingle(bound, body)) return json
  const ids: unknown = JSON.parse(json)
  return Array.isArray(ids) && ids.length === 1 && typeof ids[0] === 'number' ? JSON.stringify(ids[0]) : json
}

/** Whether RPC's `create` was given one object. */
function isSingle(bound: Bound, { positional = [] }: CallBody): boolean {
  const firstArgument = positional[0]
  return (
    'vals_list' in bound.params &&
    typeof firstArgument === 'object' &&
    firstArgument !== null &&
    !Array.isArray(firstArgument)
  )
}
