// Tables of the books as CSV, for programs that count: they run none of it as a formula.
import { csvRecord, withoutFormula } from '../../../kit/csv.ts'

type Cell = string | number | boolean | null | readonly [number, string]

/** Lines of rows, by the names of columns. */
export function csvOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const lines = rows.map((row) => csvRecord(columns.map((name) => cell((row[name] ?? null) as Cell))))
  return [csvRecord(columns), ...lines].join('')
}

function cell(value: Cell): string {
  if (value === null || value === false) return ''
  if (typeof value === 'number') return String(value)
  return withoutFormula(Array.isArray(value) ? value[1] : String(value))
}
