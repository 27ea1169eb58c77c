// JSON-2: a request's headers and body into a call (spec/wire.md sections 2, 3 and 5).
import { Unauthorized, UnprocessableEntity, UnsupportedMediaType } from '../errors.ts'
import type { CallBody } from '../services/request.ts'
import { assertFewMembers, copyWithout, isObject, mediaType, Parsed, parseJson, type Weigh } from './parse.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

const BEARER = /^bearer[ \t]+(.+)$/i

/**
 * The key of an `Authorization` header. Throws Unauthorized (401) for no header, another scheme or no key.
 */
export function bearerKey(authorization: string | undefined): string {
  const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
  if (key === undefined)
    throw new Unauthorized('User not authenticated, use an API Key with a Bearer Authorization header.')
  return key
}

/** Throws UnsupportedMediaType (415) unless the content type, whatever its parameters, is JSON. */
export function requireJson(contentType: string | undefined): void {
  // The two spellings that clients send save a parse of the header.
  if (contentType === 'application/json' || contentType === JSON_TYPE) return
  if (mediaType(contentType) !== 'application/json')
    throw new UnsupportedMediaType('The request body must be sent as application/json')
}

/**
 * The parameters of a call, of bytes or of what was read while it arrived. No body counts as `{}`.
 * Throws BadRequest (400) for what is not JSON or has a thousand members and more, UnprocessableEntity (422)
 * for JSON that is not an object.
 */
export function decodeBody(body: Buffer | Parsed | undefined, weigh?: Weigh): CallBody | Promise<CallBody> {
  if (body instanceof Parsed) return callBody(body.value)
  if (body === undefined || body.length === 0) return { named: Object.create(null) }
  const value = parseJson(body, weigh)
  return value instanceof Promise ? value.then(callBody) : callBody(value)
}

function callBody(body: unknown): CallBody {
  if (!isObject(body)) throw new UnprocessableEntity('The request body must be a JSON object')
  assertFewMembers(body)
  return {
    ids: ownValue(body, 'ids'),
    context: ownValue(body, 'context'),
    named: copyWithout(body, 'ids', 'context'),
  }
}

/** A member of the object itself, so that nothing is read off a prototype. */
function ownValue(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
