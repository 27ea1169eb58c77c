// The meaning of the columns of an import: `name`, `id`, `.id`, `country_id/id`, `child_ids/name`
// (spec/models-api.md section 9).
import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, ModelDef, One2manyDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldNamed } from '../rights/judge.ts'

/** A cell refers to a record by display name, external id or database id. */
export type NamedBy = 'name' | 'id' | '.id'

/** Columns of one model by their meaning. Numbers are positions in a row. */
export interface Layout {
  readonly model: ModelDef
  readonly xmlid: number | null
  readonly id: number | null
  readonly cells: readonly { readonly field: FieldDef; readonly column: number }[]
  /** Relations to existing records. Cells of x2manys name several, separated by commas. */
  readonly links: readonly { readonly field: FieldDef; readonly by: NamedBy; readonly column: number }[]
  /** Records of one2manys, in rows of their own. */
  readonly lines: readonly {
    readonly field: One2manyDef
    readonly layout: Layout
    readonly columns: readonly number[]
  }[]
  /** Columns that begin a new record when one of them is filled: all but those of lines. */
  readonly own: readonly number[]
}

interface Column {
  readonly path: readonly string[]
  readonly column: number
}

/** Throws InvalidValue for unknown columns, AccessError for fields of a foreign group. */
export function layoutOf(env: Environment, model: ModelDef, header: unknown): Layout {
  if (!Array.isArray(header) || !header.every((name) => typeof name === 'string'))
    throw new InvalidValue('fields must be a list of field names')
  const columns = header.map((name: string, column) => ({ path: splitPath(name), column }))
  return arrange(env, model, columns)
}

const MOST_STEPS = 50

/**
 * `a/b/id` in its steps; the older spellings `a:id` and `a.id` (database id) are understood. Throws
 * InvalidValue for very many steps.
 */
export function splitPath(name: string): string[] {
  const steps = name
    .replace(/([^/.])\.id$/, '$1/.id')
    .replace(/([^/]):id$/, '$1/id')
    .split('/')
  if (steps.length > MOST_STEPS)
    throw new InvalidValue(
      `A path may have at most ${MOST_STEPS} steps, ${JSON.stringify(name.slice(0, 50))}… has more.`,
    )
  return steps
}

function arrange(env: Environment, model: ModelDef, columns: readonly Column[]): Layout {
  const idColumns = { xmlid: null as number | null, id: null as number | null }
  const cells: Layout['cells'][number][] = []
  const links: Layout['links'][number][] = []
  const below = new Map<FieldDef, Column[]>()
  const seen = new Set<string>()
  for (const { path, column } of columns) {
    const [name = '', ...rest] = path
    if (seen.has(path.join('/')))
      throw new InvalidValue(`The column ${JSON.stringify(path.join('/'))} is given twice.`)
    seen.add(path.join('/'))
    if (rest.length === 0 && name === 'id') idColumns.xmlid = column
    else if (rest.length === 0 && name === '.id') idColumns.id = column
    else {
      const field = fieldNamed(env, model, name)
      if (rest.length === 0 && field.comodel) links.push({ field, by: 'name', column })
      else if (rest.length === 0) cells.push({ field, column })
      else below.set(field, [...(below.get(field) ?? []), { path: rest, column }])
    }
  }
  const lines: Layout['lines'][number][] = []
  for (const [field, parts] of below) {
    const [first] = parts as [Column]
    const by = first.path.length === 1 ? first.path[0] : undefined
    if (links.some((link) => link.field === field))
      throw new InvalidValue(`Columns name ${field.name} in more than one way.`)
    if (parts.length === 1 && field.comodel && (by === 'id' || by === '.id'))
      links.push({ field, by, column: first.column })
    else if (field.kind === 'one2many') {
      lines.push({
        field,
        layout: arrange(env, field.comodel, parts),
        columns: parts.map((part) => part.column),
      })
    } else
      throw new InvalidValue(
        `Records of ${field.name} can be named by one of ${field.name}, ${field.name}/id and ${field.name}/.id only.`,
      )
  }
  const inLines = new Set(lines.flatMap((group) => group.columns))
  return {
    model,
    ...idColumns,
    cells,
    links,
    lines,
    own: columns.map((c) => c.column).filter((column) => !inLines.has(column)),
  }
}

// Splits the rows of an import into records: texts by column, and records of one2manys from the rows below.

/** A record of an import whose values are still texts. */
export interface Draft {
  readonly layout: Layout
  readonly row: readonly string[]
  /** First and last row, from 0. */
  readonly from: number
  readonly to: number
  readonly lines: readonly (readonly Draft[])[]
}

/** Cells as texts, empty for unset. Throws InvalidValue for anything but lists of plain values. */
export function textRows(data: unknown): string[][] {
  if (!Array.isArray(data) || !data.every(Array.isArray))
    throw new InvalidValue('data must be a list of rows, each a list of texts')
  return data.map((row: unknown[]) => row.map(asText))
}

function asText(cell: unknown): string {
  if (typeof cell === 'string') return cell
  if (cell === null || cell === undefined || cell === false) return ''
  if (typeof cell === 'number' || cell === true) return String(cell)
  throw new InvalidValue('Each cell of an import must be a text.')
}

interface Numbered {
  readonly cells: readonly string[]
  readonly number: number
}

/** Records in order. A row with values of one2manys alone belongs to the record above it. */
export function splitRows(layout: Layout, rows: readonly (readonly string[])[]): Draft[] {
  const numbered = rows.map((cells, number) => ({ cells, number }))
  return split(layout, numbered)
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

/** Most names that a cell can have, charged before it is split: a cell may have any length. */
export function mostNamesIn(text: string, many: boolean): number {
  if (!many || text === '') return text === '' ? 0 : 1
  let count = 1
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count++
  return count
}
