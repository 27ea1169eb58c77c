// The page of one record, where links of other programs lead (`/odoo/res.partner/3`): its fields as the
// person may read them.
import { type Html, html, joined } from '../../kit/html.ts'
import type { Backend } from '../../wire/backend.ts'
import { callKw, type Visitor } from '../../wire/session.ts'
import { HOME } from './paths.ts'

export interface RecordPlace {
  readonly model: string
  readonly id: number
}

/**
 * The model and the id at the end of a path below `/odoo/`; null if it names no record: names of models
 * contain a dot.
 */
export function placeIn(path: string): RecordPlace | null {
  const [id = '', model = ''] = path.split('/').filter(Boolean).reverse()
  return /^\d{1,9}$/.test(id) && /^[a-z_][\w.]*\.[\w.]+$/.test(model) ? { model, id: Number(id) } : null
}

interface Described {
  readonly string: string
  readonly type: string
  readonly relation?: string
}

type Row = Readonly<Record<string, unknown>>

/** Links of a list that are shown; the rest is counted. */
const SHOWN = 20

/**
 * Title and HTML of the page; null for a record that is not there. Throws what reading throws: NotFound,
 * AccessError, SessionExpired.
 */
export async function recordPage(
  backend: Backend,
  visitor: Visitor,
  { model, id }: RecordPlace,
): Promise<{ readonly title: string; readonly plain: Html } | null> {
  const ask = async <T>(method: string, args: readonly unknown[], kwargs: object): Promise<T> =>
    JSON.parse(await callKw(backend, visitor, { model, method, args, kwargs })) as T
  const fields = await ask<Readonly<Record<string, Described>>>('fields_get', [], {
    attributes: ['string', 'type', 'relation'],
  })
  const names = Object.keys(fields).filter((name) => fields[name]?.type !== 'binary')
  const [row] = await ask<readonly Row[]>('read', [[id], names], {})
  if (!row) return null
  const title = String(row.display_name || `${model} ${id}`)
  const lines = names
    .filter((name) => name !== 'display_name' && !isUnset(row[name]))
    .map(
      (name) =>
        html`<tr><th scope="row">${fields[name]?.string ?? name}</th><td>${shown(row[name], fields[name])}</td></tr>`,
    )
  const plain = joined(
    [
      html`<h1>${title}</h1>`,
      html`<p class="faint"><a href="/doc/${encodeURIComponent(model)}">${model}</a> ${id}</p>`,
      html`<div class="scroll"><table><tbody>${lines}</tbody></table></div>`,
    ],
    '\n',
  )
  return { title, plain }
}

const isUnset = (value: unknown): boolean =>
  value === false || value === '' || (Array.isArray(value) && value.length === 0)

function shown(value: unknown, field: Described | undefined): Html {
  const { relation } = field ?? {}
  if (relation && Array.isArray(value)) {
    if (field?.type === 'many2one') return link(relation, value[0], String(value[1]))
    const links = value.slice(0, SHOWN).map((id) => link(relation, id, String(id)))
    return html`${joined(links, ', ')}${value.length > SHOWN && ` and ${value.length - SHOWN} more`}`
  }
  return html`${typeof value === 'object' ? JSON.stringify(value) : String(value)}`
}

const link = (model: string, id: unknown, text: string): Html =>
  html`<a href="${HOME}/${encodeURIComponent(model)}/${Number(id)}">${text}</a>`
