// Cells of tables as CSV (RFC 4180), and what programs that count would run of them.

/** Records of cells end so. */
export const RECORD_END = '\r\n'

/** A record as a line. */
export const csvRecord = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}${RECORD_END}`

const quoted = (cell: string): string =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Numbers, as texts of exact amounts are: no program runs them. */
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * A text that no program that counts takes for a formula: an apostrophe goes before what would begin one
 * (OWASP, "CSV Injection"). Numbers stay as they are.
 */
export const withoutFormula = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !NUMBER.test(text) ? `'${text}` : text
