// Short lists: PostgreSQL gives values as they are, and their JSON is written here; names and lines of small
// tables come from dictionaries. Rows come as one text: an array of arrays costs both sides least. A form is
// kept with its plan, so nothing of a call's environment may stay in what writes.
import type { Sql } from '../../../sql/index.ts'
import { join, literal, sql } from '../../../sql/index.ts'
import { writeText } from '../../kinds/shared.ts'
import type { FieldDef } from '../../language/definitions.ts'
import { leadsToMany, leadsToOne } from '../../language/relations.ts'
import type { Scope } from '../../language/scope.ts'
import { wantsSize } from '../../load/binaries.ts'
import type { Reading } from '../question.ts'
import { type Expanded, expandedJson, type Form, jsonOf } from '../selection.ts'
import { type Dictionary, lineNeedOf, linesIn, linksOf, type Need, needOf } from './dictionary.ts'

/** Rows of a list that is short: longer ones are better made where they are. */
const MOST = 500

/** Whether a list with a limit, or of so many ids, is short. */
export const isShort = (rows: unknown): boolean =>
  typeof rows === 'number' && Number.isInteger(rows) && rows > 0 && rows <= MOST

/** Arguments of a function in PostgreSQL: columns that a row may have. */
const COLUMNS = 100

/** A row as it comes: what PostgreSQL makes JSON of. */
type Values = readonly unknown[]

/** Writes a field's JSON from a row, with the dictionaries of the moment. */
type Writer = (row: Values, dictionaries: readonly Dictionary[]) => string

/**
 * A field in a row: its columns, and how its JSON is written from a row where they begin `at`, with the
 * dictionary of a `place`.
 */
interface Cell {
  readonly columns: readonly Sql[]
  readonly need: Need | null
  writer(at: number, place: number): Writer
}

/** A row of a short list, and what makes a text of all of them. */
export interface ShortForm {
  /** An array: the id, and the columns of each field. */
  readonly row: Sql
  readonly needs: readonly Need[]
  write(rows: string, dictionaries: readonly Dictionary[]): string
}

/**
 * How rows are given as a short list; null where code must fill something in, or no dictionary is of use.
 */
export function shortForm(scope: Scope, { fields, form }: Reading): ShortForm | null {
  const cells: Cell[] = []
  for (const field of fields) {
    const cell = scope.tally.apart(() => cellOf(scope, field, form))
    if (!cell) return null
    cells.push(cell)
  }
  const needs = cells.flatMap(({ need }) => need ?? [])
  const columns = [scope.id, ...cells.flatMap((cell) => cell.columns)]
  if (needs.length === 0 || columns.length > COLUMNS) return null
  return { row: sql`json_build_array(${join(columns)})`, needs, write: writes(partsOf(cells, fields)) }
}

/** What is left of a cell when its statement is made. */
interface Part {
  readonly head: string
  readonly write: Writer
}

function partsOf(cells: readonly Cell[], fields: readonly FieldDef[]): Part[] {
  let [at, place] = [1, 0]
  return cells.map(({ columns, need, writer }, i) => {
    const part = { head: `,${JSON.stringify(fields[i]?.name)}:`, write: writer(at, place) }
    at += columns.length
    if (need) place++
    return part
  })
}

function writes(parts: readonly Part[]): ShortForm['write'] {
  return (rows, dictionaries) => {
    let text = '['
    for (const row of JSON.parse(rows) as Values[]) {
      text += text === '[' ? `{"id":${row[0]}` : `,{"id":${row[0]}`
      for (const { head, write } of parts) text += head + write(row, dictionaries)
      text += '}'
    }
    return `${text}]`
  }
}

/** The JSON of nothing. */
const nothing = ({ typed }: Form): string => (typed ? 'null' : 'false')

function cellOf(scope: Scope, field: FieldDef, form: Form): Cell | null {
  if (wantsSize(scope.env, field)) return null
  const expanded = form.expanded.get(field)
  if (leadsToMany(field)) return manyCell(scope, field, form)
  if (leadsToOne(field) && (expanded || form.named)) return oneCell(scope, field, form)
  const value = scope.value(field)
  if (!value) return null
  const { write, plain: simple } = field.type
  if (write) return plain(value, write, nothing(form))
  // Objects are passed on as they are stored, with their members in order.
  return simple ? made(jsonOf(scope, field, form)) : null
}

const plain = (column: Sql, write: NonNullable<FieldDef['type']['write']>, none: string): Cell => ({
  columns: [column],
  need: null,
  writer: (at) => (row) => write(row[at], none),
})

/** JSON that PostgreSQL makes after all. */
const made = (json: Sql | null): Cell | null =>
  json && { columns: [json], need: null, writer: (at) => (row) => JSON.stringify(row[at]) }

function manyCell(scope: Scope, field: FieldDef, form: Form): Cell | null {
  const expanded = form.expanded.get(field)
  const need = lineNeedOf(scope.env, field, (lines) => (expanded ? objectOf(lines, expanded) : lines.id))
  if (!need) return made(expanded ? expandedJson(scope, field, expanded) : jsonOf(scope, field, form))
  return {
    columns: [linksOf(scope, field)],
    need,
    writer: (at, place) => (row, dictionaries) => {
      const lines = dictionaries[place]
      return lines ? linesIn(lines, row[at] as readonly number[]) : '[]'
    },
  }
}

function oneCell(scope: Scope, field: FieldDef, form: Form): Cell | null {
  const { comodel } = field
  const expanded = form.expanded.get(field)
  const value = scope.value(field)
  if (!value || !comodel) return null
  const show = (target: Scope) => (expanded ? objectOf(target, expanded) : pairOf(target, form))
  const need = needOf(scope.env, comodel, show)
  const none = nothing(form)
  if (need)
    return {
      columns: [value],
      need,
      writer: (at, place) => (row, dictionaries) => {
        const id = row[at] as number | null
        return id === null ? none : (dictionaries[place]?.texts.get(id) ?? none)
      },
    }
  if (expanded) return made(expandedJson(scope, field, expanded))
  const name = scope.join(field).displayName()
  return name && { columns: [value, name], need: null, writer: form.typed ? typedPair : pair }
}

const pair: Cell['writer'] = (at) => (row) =>
  row[at] === null ? 'false' : `[${row[at]},${writeText(row[at + 1], 'false')}]`

const typedPair: Cell['writer'] = (at) => (row) =>
  row[at] === null ? 'null' : `{"id":${row[at]},"display_name":${writeText(row[at + 1], 'null')}}`

/** Members of an object that PostgreSQL makes of arguments: it takes a hundred of these. */
const MEMBERS = 40

/** A record as a relation is expanded to it; null where more than its row is needed. */
function objectOf(target: Scope, { fields, form }: Expanded): Sql | null {
  if (fields.length > MEMBERS || form.named) return null
  const members: Sql[] = []
  for (const field of fields) {
    const json =
      form.expanded.has(field) || wantsSize(target.env, field) ? null : target.json(field, form.typed)
    if (!json || leadsToMany(field)) return null
    members.push(sql`, ${literal(field.name)}, ${json}`)
  }
  return sql`json_build_object('id', ${target.id}${join(members, '')})`
}

/** A record as id and name. */
function pairOf(target: Scope, { typed }: Form): Sql | null {
  const name = target.displayName()
  if (name && typed) return sql`json_build_object('id', ${target.id}, 'display_name', ${name})`
  return name && sql`json_build_array(${target.id}, COALESCE(to_json(${name}), 'false'::json))`
}
