// Short lists: PostgreSQL gives values as they are, and their JSON is written here, to the byte as PostgreSQL
// writes that of longer ones; names and lines of small tables come from dictionaries. Rows come as columns,
// an array of JSON each: PostgreSQL finds out once a column how its values are written, and once a value
// where an array is made of each row. Texts stay as it wrote them. A form is kept with its plan, so nothing
// of a call's environment may stay in what writes.
import { id, type Sql, sql } from '../../../sql/index.ts'
import { unsetIn } from '../../kinds/shared.ts'
import type { FieldDef, LinkTable } from '../../language/definitions.ts'
import { leadsToMany, leadsToOne, linkOf } from '../../language/field-options.ts'
import type { Scope } from '../../language/scope.ts'
import { wantsSize } from '../../load/binaries.ts'
import { BETWEEN, type Reading } from '../rendered.ts'
import { expandedJson, type Form, jsonOf, namedJson, objectJson } from '../selection.ts'
import {
  compactText,
  type Dictionary,
  lineNeedOf,
  linesIn,
  type Need,
  needOf,
  postgresText,
  type TextOf,
} from './dictionary.ts'

/** Rows of a list that is short: longer ones are better made where they are. */
const MOST = 500

/** Whether a list with a limit, or of so many ids, is short. */
export const isShort = (rows: unknown): rows is number =>
  typeof rows === 'number' && Number.isInteger(rows) && rows > 0 && rows <= MOST

/** A limit for at most so many rows that makes a short list of them; null where they are too many. */
export const limitOfShort = (rows: number): number | null => (rows <= MOST ? MOST : null)

/** From so many rows on, one scan of an index finds all links faster than a lookup for each row. */
export const TOGETHER = 16

/** Arguments of a function in PostgreSQL: columns that a row may have. */
const COLUMNS = 100

/** A column of rows; `isText`: there are JSON texts or nothing in it, which are passed on as they come. */
export interface Column {
  readonly value: Sql
  readonly isText: boolean
  /** Where the links are that are its value; links of many rows are read together (statements.ts). */
  readonly links: LinkTable | null
}

/** Rows as they come: the ids, and the values of each further column, or their JSON. */
export interface Rows {
  readonly columns: readonly (readonly unknown[])[]
  /** The rows that are written, in their order. */
  readonly places: readonly number[]
}

/** Writes a field's JSON from a row of some columns, with the dictionaries of the moment. */
type Writer = (columns: Rows['columns'], row: number, dictionaries: readonly Dictionary[]) => string

/**
 * A field in a row: its columns, and how its JSON is written from a row where they begin `at`, with the
 * dictionary of a `place`.
 */
export interface Cell {
  readonly columns: readonly Column[]
  readonly need: Need | null
  writer(at: number, place: number): Writer
}

export interface ShortForm {
  /** The id, and the columns of each field. */
  readonly columns: readonly Column[]
  readonly needs: readonly Need[]
  /** Values of a row that count as shown. */
  readonly width: number
  write(rows: Rows, dictionaries: readonly Dictionary[]): string
}

interface Frame {
  readonly open: string
  readonly id: boolean
  readonly close: string
  readonly between: string
}
/** A list of records, as PostgreSQL parts it or `JSON.stringify`; and one of arrays. */
const AS_MADE: Frame = { open: '{"id":', id: true, close: '}', between: BETWEEN }
const TIGHT: Frame = { ...AS_MADE, between: ',' }
const ARRAY: Frame = { open: '[', id: false, close: ']', between: ',' }

/** The short form of rows; null where code must fill something in. */
export function shortForm(scope: Scope, { fields, form, tight }: Reading): ShortForm | null {
  const [textOf, frame] = tight ? ([compactText, TIGHT] as const) : ([postgresText, AS_MADE] as const)
  const heads = fields.map(({ name }) => `,${JSON.stringify(name)}:`)
  return formOf(scope, fields, heads, frame, (field) => cellOf(scope, field, form, textOf))
}

/** Rows as arrays of cells, in the order of `items`; null if one of them has no cell. */
export const arrayForm = <T>(
  scope: Scope,
  items: readonly T[],
  cellOf: (item: T) => Cell | null,
): ShortForm | null =>
  formOf(
    scope,
    items,
    items.map((_, at) => (at ? ',' : '')),
    ARRAY,
    cellOf,
  )

function formOf<T>(
  scope: Scope,
  items: readonly T[],
  heads: readonly string[],
  frame: Frame,
  cellOf: (item: T) => Cell | null,
): ShortForm | null {
  const cells: Cell[] = []
  for (const item of items) {
    const cell = scope.cost.countedApart(() => cellOf(item))
    if (!cell) return null
    cells.push(cell)
  }
  const needs = cells.flatMap(({ need }) => need ?? [])
  const columns = [columnOf(scope.id), ...cells.flatMap((cell) => cell.columns)]
  if (columns.length > COLUMNS) return null
  return { columns, needs, width: items.length + 1, write: writes(partsOf(cells, heads), frame) }
}

interface Part {
  readonly head: string
  readonly write: Writer
}

function partsOf(cells: readonly Cell[], heads: readonly string[]): Part[] {
  let [at, place] = [1, 0]
  return cells.map(({ columns, need, writer }, i) => {
    const part = { head: heads[i] ?? '', write: writer(at, place) }
    at += columns.length
    if (need) place++
    return part
  })
}

function writes(parts: readonly Part[], { open, id, close, between }: Frame): ShortForm['write'] {
  return ({ columns, places }, dictionaries) => {
    let text = '['
    for (const row of places) {
      text += text === '[' ? open : between + open
      if (id) text += columns[0]?.[row]
      for (const { head, write } of parts) text += head + write(columns, row, dictionaries)
      text += close
    }
    return `${text}]`
  }
}

function cellOf(scope: Scope, field: FieldDef, form: Form, textOf: TextOf): Cell | null {
  if (wantsSize(scope.env, field)) return null
  const expanded = form.expanded.get(field)
  if (leadsToMany(field)) return manyCell(scope, field, form, textOf)
  if (leadsToOne(field) && (expanded || form.named)) return oneCell(scope, field, form, textOf)
  const value = scope.value(field)
  if (!value) return null
  const { direct, plain } = field.type
  if (direct) return directCell(value, direct, unsetText(field, form.typed))
  if (textOf === compactText) return jsonCell(jsonOf(scope, field, form))
  // Objects are passed on as they are stored, with their members in order; amounts with all their digits.
  if (!plain) return null
  const json = jsonOf(scope, field, form)
  return json && field.type.measure === 'number' ? textCell(sql`(${json})::text`, String) : jsonCell(json)
}

const columnOf = (value: Sql, links: LinkTable | null = null): Column => ({ value, isText: false, links })
const textColumn = (value: Sql): Column => ({ value, isText: true, links: null })

const unsetText = (field: FieldDef, typed: Form['typed']): string => JSON.stringify(unsetIn(field, typed))

/** A column whose JSON is its wire form, NULL as `none`. */
export const directCell = (
  column: Sql,
  direct: NonNullable<FieldDef['type']['direct']>,
  none: string,
): Cell =>
  direct === 'text'
    ? rawTextCell(column, none)
    : textCell(column, (one) => (one === null ? none : String(one)))

export const rawTextCell = (column: Sql, none: string): Cell => ({
  columns: [textColumn(column)],
  need: null,
  writer: (at) => (columns, row) => textOr(columns[at]?.[row], none),
})

/** A text as PostgreSQL wrote it, which is as `JSON.stringify` would. */
const textOr = (json: unknown, none: string): string => (json === 'null' ? none : String(json))

/** JSON that PostgreSQL makes after all. */
const jsonCell = (json: Sql | null): Cell | null => json && textCell(json, JSON.stringify)

export const textCell = (column: Sql, write: (value: unknown) => string): Cell => ({
  columns: [columnOf(column)],
  need: null,
  writer: (at) => (columns, row) => write(columns[at]?.[row]),
})

const linksOf = (owner: Sql, { table, column, other }: LinkTable): Sql =>
  sql`ARRAY(SELECT ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ${owner})`

function manyCell(scope: Scope, field: FieldDef, form: Form, textOf: TextOf): Cell | null {
  const expanded = form.expanded.get(field)
  const need = lineNeedOf(scope.env, field, (lines) =>
    expanded ? objectJson(lines.id, lines, expanded) : lines.id,
  )
  if (!need) return jsonCell(expanded ? expandedJson(scope, field, expanded) : jsonOf(scope, field, form))
  return {
    columns: [columnOf(linksOf(scope.id, linkOf(field)), linkOf(field))],
    need,
    writer: (at, place) => (columns, row, dictionaries) => {
      const lines = dictionaries[place]
      return lines ? linesIn(lines, columns[at]?.[row] as number[], textOf) : '[]'
    },
  }
}

function oneCell(scope: Scope, field: FieldDef, form: Form, textOf: TextOf): Cell | null {
  const { comodel } = field
  const expanded = form.expanded.get(field)
  const value = scope.value(field)
  if (!value || !comodel) return null
  const show = (target: Scope) =>
    expanded ? objectJson(target.id, target, expanded) : namedJson(target.id, target, form.typed)
  const need = needOf(scope.env, comodel, show)
  if (need) return dictionaryCell(value, need, unsetText(field, form.typed), textOf)
  if (expanded) return jsonCell(expandedJson(scope, field, expanded))
  const name = scope.join(field).displayName()
  if (!name) return null
  const columns = [columnOf(value), textColumn(name)]
  return {
    columns,
    need: null,
    writer: pairWriter(form.typed, unsetText(field, form.typed), textOf === compactText),
  }
}

/** A many2one, as the text that the dictionary has of its target. */
export const dictionaryCell = (value: Sql, need: Need, none: string, textOf: TextOf): Cell => ({
  columns: [columnOf(value)],
  need,
  writer: (at, place) => (columns, row, dictionaries) => {
    const id = columns[at]?.[row] as number | null
    const dictionary = dictionaries[place]
    return id === null || !dictionary ? none : (textOf(dictionary, id) ?? none)
  },
})

/** A pair of id and name, with the blanks that `tight` is without. */
function pairWriter(typed: Form['typed'], none: string, tight: boolean): Cell['writer'] {
  const [open, between, close] = typed
    ? tight
      ? ['{"id":', ',"display_name":', '}']
      : ['{"id" : ', ', "display_name" : ', '}']
    : ['[', tight ? ',' : ', ', ']']
  return (at) => (columns, row) => {
    const id = columns[at]?.[row]
    return id === null ? none : open + id + between + textOr(columns[at + 1]?.[row], none) + close
  }
}
