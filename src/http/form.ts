// Bodies of HTML forms: the media type, the fields, and those that must be there.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'
import { present } from '../kit/present.ts'
import { assertWithin } from '../limits.ts'
import { mediaType } from '../wire/parse.ts'
import { announcesBody, type Bodies } from './body.ts'

const AMPERSAND = 0x26

/**
 * The fields of a form, url-encoded or in parts (`curl -F`); of a field given twice the first counts. Throws
 * UnsupportedMediaType (415) for other bodies,
 * BadRequest (400) for parts that cannot be told apart, PayloadTooLarge (413) for too many fields and bytes:
 * a form holds names and passwords, no files.
 */
export async function readForm(
  bodies: Bodies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Map<string, string>> {
  if (!announcesBody(request.raw)) return new Map()
  const type = request.headers['content-type']
  const isInParts = mediaType(type) === 'multipart/form-data'
  if (!isInParts && mediaType(type) !== 'application/x-www-form-urlencoded') {
    throw new UnsupportedMediaType(
      'The request body must be sent as application/x-www-form-urlencoded or multipart/form-data',
    )
  }
  const bytes = await bodies.receiveShort(request, reply)
  if (isInParts) return partsOf(bytes, present(type))
  let count = 1
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1))
    assertWithin('form-fields', ++count)
  const fields = new Map<string, string>()
  for (const [key, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (!fields.has(key)) fields.set(key, value)
  }
  return fields
}

/** Parts begin with a line of dashes. */
const DASHES = Buffer.from('\n--')

async function partsOf(bytes: Buffer, type: string): Promise<Map<string, string>> {
  let count = 1
  for (let at = bytes.indexOf(DASHES); at >= 0; at = bytes.indexOf(DASHES, at + 1))
    assertWithin('form-fields', ++count)
  const parts = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch((cause: unknown) => {
      throw new BadRequest('The parts of the form cannot be read', { cause })
    })
  const fields = new Map<string, string>()
  for (const [key, value] of parts) if (typeof value === 'string' && !fields.has(key)) fields.set(key, value)
  return fields
}

/**
 * The values of fields that must be there, though they may be empty. Throws BadRequest (400) naming the first
 * that is missing.
 */
export function required<Name extends string>(
  fields: ReadonlyMap<string, string>,
  ...names: readonly Name[]
): Record<Name, string> {
  const values: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields.get(name)
    if (value === undefined) throw new BadRequest(`The input ${name} is missing`)
    values[name] = value
  }
  return values as Record<Name, string>
}
