// Passes preferences about the form of an answer on to the method that makes it, and reports the applied
// ones.
import { BadRequest, InvalidValue, UnprocessableEntity } from '../../errors.ts'
import { zoneNamed } from '../../models/domain/zone.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import { NO_PREFERENCES, type Preferences, type Typed } from '../../models/language/environment.ts'
import { type Bound, takesValues, withUntyped } from '../../models/methods/bind.ts'
import type { RequestPreferences } from '../request.ts'
import { reportApplied, returnsVersions, type versionsFor } from './call-preferences.ts'

/** Whether a method could give its answer in the typed form, or takes values in it. */
export const isTyped = ({ tellsValues, params }: MethodDef): boolean => tellsValues || takesValues(params)

/**
 * The preferences that a method can apply. `tell` is called with headers. Throws InvalidValue for an unknown
 * time zone, BadRequest for preferences that cannot be applied under `handling=strict`.
 */
export function preferencesOf(
  asks: RequestPreferences | null | undefined,
  { model, method }: { readonly model: ModelDef; readonly method: MethodDef },
  database: string,
  tell: Preferences['tell'] = NO_PREFERENCES.tell,
  tags: Preferences['cachedTags'] = [],
): Preferences {
  if (asks?.page?.cursor && !method.pages) throw cursorless(method.name)
  if (asks?.strict) assertKept(asks, method, model)
  if (!asks?.typed && !asks?.page && !asks?.count && !asks?.lines)
    return tags.length ? { ...NO_PREFERENCES, cachedTags: tags } : NO_PREFERENCES
  const { page, count } = asks
  const typed = formOf(asks)
  return {
    typed: method.tellsValues ? typed : null,
    page: page && method.pages ? { cursor: page.cursor, database } : null,
    count: (method.pages && count) || null,
    cachedTags: tags,
    lines: Boolean(asks.lines),
    tell,
  }
}

/**
 * The form of values that is asked for, with the zone by its one name. Throws InvalidValue for an unknown
 * zone.
 */
export function formOf(asks: Pick<RequestPreferences, 'typed'> | null | undefined): Typed | null {
  const typed = asks?.typed
  if (!typed) return null
  const zone = typed.zone ? zoneNamed(typed.zone) : null
  if (typed.zone && zone === null) throw new InvalidValue('Unknown time zone in the preference timezone.')
  return { zone: zone === 'UTC' ? null : zone, decimal: typed.decimal }
}

const cursorless = (where: string) =>
  new UnprocessableEntity(`The header Cursor is not supported by ${where}: it belongs to a single search.`, {
    code: 'cursor_mismatch',
  })

/**
 * Refuses preferences where they have no meaning: only calls of methods have versions, pages and counts.
 * Throws UnprocessableEntity for `If-Match` and `Cursor`, BadRequest under `handling=strict`. `instead` says
 * what to use in the place of `If-Match`.
 */
export function assertMeant(asks: RequestPreferences | null | undefined, where: string, instead = ''): void {
  if (asks?.ifMatch !== undefined)
    throw new UnprocessableEntity(
      `The header If-Match is not supported by ${where}: it belongs to a single call${instead}.`,
    )
  if (asks?.page?.cursor) throw cursorless(where)
  if (!asks?.strict) return
  const { page, count, etag } = asks
  const unkept = page ? 'paging=keyset' : count ? `count=${count}` : etag ? 'etag' : null
  if (unkept) throw unkeptBy(unkept, where)
}

const unkeptBy = (preference: string, where: string) =>
  new BadRequest(`The preference ${preference} is not supported by ${where}`, { code: 'unknown_preference' })

function assertKept(
  { typed, page, count, etag }: RequestPreferences,
  method: MethodDef,
  model: ModelDef,
): void {
  const lost = typed && !isTyped(method) ? 'values=typed' : page && !method.pages ? 'paging=keyset' : null
  const unkept =
    lost ??
    (count && !method.pages ? `count=${count}` : etag && !returnsVersions(method, model) ? 'etag' : null)
  if (unkept) throw unkeptBy(unkept, method.name)
}

/** Parameters whose values came in the typed form, in the documented one. */
export const boundTyped = (
  asks: RequestPreferences | null | undefined,
  model: ModelDef,
  bound: Bound,
): Bound => (asks?.typed ? withUntyped(model, bound) : bound)

/** Parameters of a call that takes what is right, where its method can. */
export const boundLenient = (
  asks: RequestPreferences | null | undefined,
  { lenient }: MethodDef,
  bound: Bound,
): Bound =>
  asks?.lenient && lenient !== null ? { ...bound, params: { ...bound.params, [lenient]: true } } : bound

/** Preferences that shape an answer which is stored for retries. */
export const shaping = ({ typed }: Pick<RequestPreferences, 'typed'>, { tellsValues }: MethodDef): unknown =>
  typed && tellsValues ? { typed } : undefined

/** Headers about applied preferences, collected until the answer is certain. */
export class AnswerHeaders {
  readonly #headers: [string, string][] = []

  readonly tell = (name: string, value: string): void => {
    this.#headers.push([name, value])
  }

  /** Passes them on, once the answer is certain. */
  pass({ tell, typed, lenient }: RequestPreferences, method: MethodDef): void {
    for (const [name, value] of this.#headers) tell(name, value)
    if (lenient && method.lenient !== null) tell('preference-applied', 'handling=lenient')
    if (typed && method.tellsValues) reportTyped({ tell }, typed)
    else if (typed && isTyped(method)) tell('preference-applied', 'values=typed')
  }
}

/** Headers of a job's answer: they are stored with the job's end, in one transaction. */
export async function headersOf(
  {
    answerHeaders,
    versions,
  }: { answerHeaders: AnswerHeaders | null; versions: ReturnType<typeof versionsFor> },
  asks: RequestPreferences | null | undefined,
  method: MethodDef,
): Promise<[name: string, value: string][]> {
  const headers: [string, string][] = []
  const tell = (name: string, value: string) => headers.push([name, value])
  if (asks?.etag) reportApplied({ ...asks, tell }, await versions)
  if (asks) answerHeaders?.pass({ ...asks, tell }, method)
  return headers
}

/** Reports that values are in the typed form. */
export function reportTyped(
  { tell }: Pick<RequestPreferences, 'tell'>,
  { zone, decimal }: NonNullable<RequestPreferences['typed']>,
): void {
  tell('preference-applied', 'values=typed')
  if (zone !== null) tell('preference-applied', `timezone=${zone}`)
  if (decimal) tell('preference-applied', 'numbers=decimal')
}

/** Preferences that a method within a batch can apply: the form of values. */
export const preferencesInBatch = (
  asks: RequestPreferences | null | undefined,
  target: { readonly model: ModelDef; readonly method: MethodDef },
): Preferences => preferencesOf(asks?.typed ? { typed: asks.typed, tell: asks.tell } : null, target, '')
