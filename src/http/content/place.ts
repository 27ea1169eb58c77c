// Paths of files: which content `/web/content/…` and `/web/image/…` mean (spec/client-needs.md section 8).
import type { Place } from '../../services/content.ts'

type Query = Readonly<Record<string, string | undefined>>

const ID = /^(\d{1,9})(?:-\w+)?$/

/**
 * The place that a path's parts and a query name, or null: `<id>[/name]`, `<model>/<id>/<field>[/name]`, `<external id>[/name]`,
 * or all of it in the query. What stands behind (a name, a size) changes nothing.
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
  const own = idOf(first)
  if (own !== null) return { kind: 'attachment', id: own, token }
  const id = idOf(second)
  if (id !== null && third !== undefined) return { kind: 'field', model: first, id, field: third }
  return xmlidPlace(first, query.field, token)
}

function xmlidPlace(xmlid: string, field = 'raw', token?: string): Place | null {
  return /^\w+\.[\w.-]+$/.test(xmlid) ? { kind: 'xmlid', xmlid, field, token } : null
}

function idOf(text: string | undefined): number | null {
  const found = text === undefined ? null : ID.exec(text)
  return found ? Number(found[1]) : null
}

/** Whether a switch of the query is on. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'False', 'no'].includes(value)
}
