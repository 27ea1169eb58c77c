// Rows of an answer one a line: as JSON, or as CSV for those who open it in a table.
import { csvRecord, withoutFormula } from '../kit/csv.ts'
import type { ModelDef } from '../models/language/definitions.ts'
import { elementsOf } from '../models/read/rendered.ts'
import type { Answer, CallBody, LineForm } from './request.ts'

export const lineTypes: Readonly<Record<LineForm, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  'tame-csv': 'text/csv; charset=utf-8; header=present; formulas=text',
}

/** The form that a header `Accept` names, if it names one. */
export function lineFormOf(accept: string | undefined): LineForm | null {
  if (accept === undefined) return null
  if (/application\/x-ndjson/i.test(accept)) return 'ndjson'
  const [, parameters] = /text\/csv([^,]*)/i.exec(accept) ?? []
  if (parameters === undefined) return null
  return /;\s*formulas\s*=\s*"?text\b/i.test(parameters) ? 'tame-csv' : 'csv'
}

/** Methods whose rows may be lines. */
export const inLines: ReadonlySet<string> = new Set(['read', 'search_read', 'export_data'])

/** Whether a call takes data out: lines have no bound on their number, as `export_data` has none. */
export const exportsRows = (lines: LineForm | null | undefined, method: string): boolean =>
  Boolean(lines) && inLines.has(method)

/** The columns of a call: `id` and the fields, or paths of an export. */
export function columnsIn(body: Pick<CallBody, 'named'> | undefined): Columns {
  const { fields, fields_to_export: paths } = body?.named ?? {}
  if (isNames(paths)) return paths
  return isNames(fields) && fields.length ? [...new Set(['id', ...fields])] : null
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')

type Rows = AsyncGenerator<readonly string[], void>

/** Names of fields, or paths of an export; null where the call names none. */
export type Columns = readonly string[] | null

/** The rows of an answer as JSON texts; null where it is no list of rows. */
export function rowsOf({ json, rows }: Answer, columns: Columns): Rows | null {
  if (rows) return rows
  if (json.startsWith('[')) return once(elementsOf(json))
  if (!json.startsWith('{"datas":') || !columns) return null
  const { datas } = JSON.parse(json) as { datas: readonly (readonly unknown[])[] }
  const named = (row: readonly unknown[]) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))
  return once(datas.map((row) => JSON.stringify(named(row))))
}

async function* once(rows: readonly string[]): Rows {
  yield rows
}

/** Rows that passed. */
export interface Passed {
  rows: number
}

/** Lines of text; the last JSON line has the number of rows, so that a truncated answer is recognized. */
export async function* linesOf(
  rows: Rows,
  { form, model, columns }: { form: LineForm; model: ModelDef | undefined; columns: Columns },
  passed: Passed,
): AsyncGenerator<string, void> {
  const cell = form === 'tame-csv' ? tameCellOf : cellOf
  let header = form !== 'ndjson' && columns ? columns : null
  if (header) yield csvRecord(header)
  for await (const some of rows) {
    passed.rows += some.length
    if (some.length === 0) continue
    if (form === 'ndjson') yield `${some.map((row) => row.replaceAll('\n', ' ')).join('\n')}\n`
    else {
      const objects = some.map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>)
      const names = header ?? Object.keys(objects[0] ?? {})
      const head = header ? '' : csvRecord(names)
      header = names
      yield head + objects.map((row) => csvRecord(names.map((name) => cell(row[name], name, model)))).join('')
    }
  }
  if (form === 'ndjson') yield `${JSON.stringify({ $end: { rows: passed.rows } })}\n`
}

/** A value as people read it, and as imports take it: records by name, lists as JSON. */
function cellOf(value: unknown, name: string, model: ModelDef | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean')
    return value || model?.fields.get(name)?.kind === 'boolean' ? String(value) : ''
  if (typeof value !== 'object') return String(value)
  if (model?.fields.get(name)?.type.relation === 'one') {
    if (Array.isArray(value)) return String(value[1] || '')
    const { display_name: label } = value as { display_name?: unknown }
    return String(label ?? '')
  }
  return JSON.stringify(value)
}

/** The same, with an apostrophe before a text that a spreadsheet would take for a formula. */
const tameCellOf: typeof cellOf = (value, name, model) => withoutFormula(cellOf(value, name, model))

/** All lines of an answer that is there as JSON; null where it is no list of rows. */
export async function allLines(
  json: string,
  { form, model, body }: { form: LineForm; model: ModelDef | undefined; body: CallBody },
): Promise<string | null> {
  const columns = columnsIn(body)
  const rows = rowsOf({ json }, columns)
  if (!rows) return null
  const lines: string[] = []
  for await (const some of linesOf(rows, { form, model, columns }, { rows: 0 })) lines.push(some)
  return lines.join('')
}
