// Paths of files: which content `/web/content/…` and `/web/image/…` mean, and in which size
// (spec/client-needs.md section 8).
import { BadRequest } from '../../errors.ts'
import type { Place, Wanted } from '../../services/content.ts'
import type { Query } from '../query.ts'

const ID = /^(\d{1,9})(?:-\w+)?$/

/**
 * The content that the parts of a path and a query name, or null: `<id>[/name]`,
 * `<model>/<id>/<field>[/name]`, `<external id>[/name]`, or all of it in the query. A following name or size
 * (`sizeOf`) is ignored.
 */
export function placeOf(parts: readonly string[], query: Query): Place | null {
  const [first, second, third] = parts
  const token = query.access_token
  if (first === undefined) {
    if (query.xmlid) return xmlidPlace(query.xmlid, query.field, token)
    const id = idOf(query.id)
    if (id === null) return null
    const { model = 'ir.attachment', field = 'raw' } = query
    return model === 'ir.attachment' ? { kind: 'attachment', id, token } : { kind: 'field', model, id, field }
  }
  const attachmentId = idOf(first)
  if (attachmentId !== null) return { kind: 'attachment', id: attachmentId, token }
  const id = idOf(second)
  if (id !== null && third !== undefined) return { kind: 'field', model: first, id, field: third }
  return xmlidPlace(first, query.field, token)
}

function xmlidPlace(xmlid: string, field = 'raw', token?: string): Place | null {
  return /^\w+\.[\w.-]+$/.test(xmlid) ? { kind: 'xmlid', xmlid, field, token } : null
}

function idOf(text: string | undefined): number | null {
  const match = text === undefined ? null : ID.exec(text)
  return match ? Number(match[1]) : null
}

/** No side is longer: no image is either. */
const LONGEST = 20_000
const SIZE = /^(\d{1,5})x(\d{1,5})$/

/**
 * The size requested by a path of an image (`<id>/64x32`, `<model>/<id>/<field>/64x32`, `<external
 * id>/64x32`) or by its query (`width`, `height`, `crop`); 0 for a free side, undefined without a size.
 * Throws BadRequest for an invalid number of pixels.
 */
export function sizeOf(parts: readonly string[], query: Query): Wanted['box'] {
  const [, wide, high] = SIZE.exec(partsAfterPlace(parts)[0] ?? '') ?? []
  const width = pixels('width', query.width || wide)
  const height = pixels('height', query.height || high)
  return width || height ? { width, height, crop: isOn(query.crop) } : undefined
}

/**
 * The file name in a path: `<id>/name`, `<model>/<id>/<field>/name`, `<external id>/name`, after a size if
 * there is one; undefined without a name.
 */
export function nameOf(parts: readonly string[]): string | undefined {
  return partsAfterPlace(parts).find((part) => !SIZE.test(part))
}

/** The parts of a path after its place. */
function partsAfterPlace(parts: readonly string[]): readonly string[] {
  const [first = '', second = ''] = parts
  return parts.slice(idOf(first) === null && idOf(second) !== null ? 3 : 1)
}

function pixels(name: string, text = '0'): number {
  if (!/^\d{1,9}$/.test(text)) throw new BadRequest(`${name} is not a number of pixels`)
  return Math.min(Number(text), LONGEST)
}

/** Whether a switch of the query is on. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'False', 'no'].includes(value)
}
