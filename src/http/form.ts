// Bodies of HTML forms: the media type, the fields, and those that must be there.
import type { IncomingMessage } from 'node:http'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'
import { mediaType } from '../wire/parse.ts'
import { announcesBody, readBody } from './body.ts'

/** A form holds names and passwords, no files: more than this is no form of ours. */
const FORM_LIMIT = 1024 * 1024

/** The fields of a url-encoded form; of a field given twice the first counts. Throws UnsupportedMediaType (415) for other bodies. */
export async function readForm(message: IncomingMessage): Promise<Map<string, string>> {
  if (!announcesBody(message)) return new Map()
  if (mediaType(message.headers['content-type']) !== 'application/x-www-form-urlencoded') {
    throw new UnsupportedMediaType('The request body must be sent as application/x-www-form-urlencoded')
  }
  const fields = new Map<string, string>()
  for (const [key, value] of new URLSearchParams((await readBody(message, FORM_LIMIT)).toString('utf8'))) {
    if (!fields.has(key)) fields.set(key, value)
  }
  return fields
}

/** The values of fields that must be there, though they may be empty. Throws BadRequest (400) naming the first that is missing. */
export function required<Name extends string>(fields: ReadonlyMap<string, string>, ...names: readonly Name[]): Record<Name, string> {
  const values: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields.get(name)
    if (value === undefined) throw new BadRequest(`The input ${name} is missing`)
    values[name] = value
  }
  return values as Record<Name, string>
}
