// Cells of tables as CSV (RFC 4180), and texts that a spreadsheet would take for formulas.

/** A record as a line. */
export const csvRecord = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`

const quoted = (cell: string): string =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Numbers, such as texts of exact amounts: no spreadsheet runs them. */
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * A text that spreadsheets do not take for a formula: an apostrophe is put before a character that would
 * begin one (OWASP, "CSV Injection"). Numbers stay unchanged.
 */
export const withoutFormula = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !NUMBER.test(text) ? `'${text}` : text
