// Texts of INSERTs, by the columns that have values and by the form of the rows.
import { ByList } from '../../kit/by-list.ts'
import { listed, quote, raw } from '../../sql/index.ts'
import { RETURNED_ID } from '../changes/last.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { columnTypeIn, expressionIn } from '../row/values.ts'
import { perModel } from '../unit/per-model.ts'

/**
 * The form of rows: several as one list for each column, or one as parameters; with reserved ids, or
 * with ids of the table, which the statement returns.
 */
type Way = 'rows' | 'rows, reserved' | 'one' | 'one, reserved'

/** The columns of an INSERT and its texts. */
export interface Form {
  /** In the order of the contract. */
  readonly order: readonly FieldDef[]
  readonly text: (way: Way) => string
}

/** Lists of columns that are kept for a model: most calls have the same. */
const MOST_FORMS = 400

/** Forms by columns in the order of the values. */
const forms = perModel(() => new ByList<FieldDef, Form>(MOST_FORMS))

/** The form of rows by their columns. */
export function insertFormOf(model: ModelDef, rows: readonly ReadonlyMap<FieldDef, unknown>[]): Form {
  const [only, more] = rows
  return formAs(model, only && !more ? [...only.keys()] : [...givenIn(rows)])
}

function givenIn(rows: readonly ReadonlyMap<FieldDef, unknown>[]): ReadonlySet<FieldDef> {
  const fields = new Set<FieldDef>()
  for (const columns of rows) for (const field of columns.keys()) fields.add(field)
  return fields
}

const formAs = (model: ModelDef, fields: readonly FieldDef[]): Form =>
  forms(model).get(fields) ?? makeForm(model, fields)

/** The same columns in any order share a form, as rows join only those with the same text. */
function makeForm(model: ModelDef, fields: readonly FieldDef[]): Form {
  const cachedForms = forms(model)
  const order = inOrder(model, fields)
  let form = cachedForms.get(order)
  if (!form) {
    const texts = new Map<Way, string>()
    const text = (way: Way): string => {
      const text = texts.get(way) ?? insertText(model, order, way)
      texts.set(way, text)
      return text
    }
    form = { order, text }
    cachedForms.set(order, form)
  }
  cachedForms.set(fields, form)
  return form
}

/** In the order of the contract: concurrent functions end in any order. */
export function inOrder(model: ModelDef, fields: Iterable<FieldDef>): FieldDef[] {
  const places = placesOf(model)
  return [...fields].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
}

/** Where columns stand in the contract. */
const placesOf = perModel(
  (model) =>
    new Map([...model.fields.values()].filter((field) => field.column).map((field, place) => [field, place])),
)

/** A row that draws its id by an expression (`id`); links to the record itself have that id too. */
interface Deferred {
  readonly id: string
  readonly selfLinks: ReadonlySet<FieldDef>
}

/**
 * Texts for one such row and for several, which return their ids; the values are those of the other
 * fields.
 */
export const deferredTexts = (model: ModelDef, fields: readonly FieldDef[], deferred: Deferred) => ({
  single: insertText(model, fields, 'one', deferred),
  rows: insertText(model, fields, 'rows', deferred),
})

function insertText(
  model: ModelDef,
  fields: readonly FieldDef[],
  way: Way,
  deferred: Deferred | null = null,
): string {
  const reserved = way.endsWith('reserved')
  const isOne = way.startsWith('one')
  const first = model.logAccess ? 2 : 1
  const now = `now() AT TIME ZONE 'UTC'`
  const log = model.logAccess
    ? { create_uid: '$1::int', create_date: now, write_uid: '$1::int', write_date: now }
    : {}
  const sent = fields.filter((field) => !deferred?.selfLinks.has(field))
  const lists = isOne ? null : listed(reserved ? 'id' : 'n', sent.map(columnTypeIn), first)
  let place = 0
  const fieldColumns = fields.map((field) => {
    const type = columnTypeIn(field)
    const isSent = !deferred?.selfLinks.has(field)
    const value = isSent ? (lists?.values[place] ?? `$${first + place}::${type}`) : `x.id::${type}`
    if (isSent) place++
    return [field.name, expressionIn(field, raw(value)).compile().text] as const
  })
  const id = reserved && isOne ? `$${first + place}::int` : 'x.id'
  const columns = [
    ...fieldColumns,
    ...Object.entries(log),
    ...(reserved || deferred ? [['id', id] as const] : []),
  ]
  const names = columns.map(([name]) => quote(name)).join(', ')
  const values = columns.map(([, value]) => value).join(', ')
  const into = `INSERT INTO ${quote(model.table)}${columns.length ? ` (${names})` : ''} SELECT ${values}`
  if (deferred) {
    const drawn = `SELECT ${deferred.id} AS id${lists ? `, x.* FROM ${lists.source}` : ''}`
    return `${into} FROM (${drawn}) AS x RETURNING ${RETURNED_ID}`
  }
  if (!lists) return `${into}${reserved ? '' : ' RETURNING "id"'}`
  return `${into} FROM ${lists.source}${reserved ? '' : ' ORDER BY x.n RETURNING "id"'}`
}
