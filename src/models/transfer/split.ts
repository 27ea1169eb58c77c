// Splits the rows of an import into records: texts by column, and records of one2manys from the rows
// below.

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { Layout } from './layout.ts'

/** A record of an import whose values are still texts. */
export interface Draft {
  readonly layout: Layout
  readonly row: readonly string[]
  /** First and last row, from 0. */
  readonly from: number
  readonly to: number
  /** By the one2many's position in `layout.lines`. */
  readonly lines: readonly (readonly Draft[])[]
}

/**
 * Cells as texts, empty for unset values. Throws InvalidValue for anything but a list of lists of plain
 * values.
 */
export function textRows(data: unknown): string[][] {
  if (!Array.isArray(data) || !data.every(Array.isArray))
    throw new InvalidValue('data must be a list of rows, each a list of texts')
  return data.map((row: unknown[]) => row.map(asText))
}

function asText(cell: unknown): string {
  if (typeof cell === 'string') return cell
  if (cell === null || cell === undefined || cell === false) return ''
  if (typeof cell === 'number' || cell === true) return String(cell)
  throw new InvalidValue('A cell of an import is a text.')
}

interface Numbered {
  readonly cells: readonly string[]
  readonly number: number
}

/**
 * Records in the order of the rows. A row with values only in columns of one2manys belongs to the record
 * above it.
 */
export function splitRows(layout: Layout, rows: readonly (readonly string[])[]): Draft[] {
  return split(
    layout,
    rows.map((cells, number) => ({ cells, number })),
  )
}

function split(layout: Layout, rows: readonly Numbered[]): Draft[] {
  const filled = ({ cells }: Numbered, columns: readonly number[]) =>
    columns.some((column) => (cells[column] ?? '') !== '')
  const ofLines = layout.lines.flatMap((group) => group.columns)
  const drafts: Draft[] = []
  for (let start = 0; start < rows.length; ) {
    let end = start + 1
    while (
      end < rows.length &&
      filled(present(rows[end]), ofLines) &&
      !filled(present(rows[end]), layout.own)
    )
      end++
    const span = rows.slice(start, end)
    const [first] = span as [Numbered]
    drafts.push({
      layout,
      row: first.cells,
      from: first.number,
      to: present(span.at(-1)).number,
      lines: layout.lines.map((group) =>
        split(
          group.layout,
          span.filter((row) => filled(row, group.columns)),
        ),
      ),
    })
    start = end
  }
  return drafts
}

/** The text of a draft's cell. */
export const textOf = (draft: Draft, column: number | null) =>
  column === null ? '' : (draft.row[column] ?? '').trim()

/** The names in a cell: one for a many2one, several separated by commas for x2manys. */
export function namesInCell(text: string, many: boolean): string[] {
  if (!many) return text === '' ? [] : [text]
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

/**
 * An upper bound of the number of names in a cell. It is charged before the cell is split, because a
 * cell may have any length.
 */
export function mostNamesIn(text: string, many: boolean): number {
  if (!many || text === '') return text === '' ? 0 : 1
  let count = 1
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count++
  return count
}
