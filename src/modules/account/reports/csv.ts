// Tables as CSV (RFC 4180), for programs that count: texts that such a program would run as a formula begin
// with an apostrophe.

type Cell = string | number | boolean | null | readonly [number, string]

/** Lines of rows, by the names of columns. */
export function csvOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const lines = rows.map((row) => columns.map((name) => cell((row[name] ?? null) as Cell)).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

function cell(value: Cell): string {
  if (value === null || value === false) return ''
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? value[1] : String(value)
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
