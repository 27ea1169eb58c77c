// Converts a draft of an import to values for `create` or `write`, with errors and warnings.
import { InvalidValue, UserError } from '../../errors.ts'
import { parseJson } from '../../kit/json-text.ts'
import { assertTaken } from '../kinds/cleaning.ts'
import { selectionOf } from '../kinds/index.ts'
import type { FieldDef, One2manyDef } from '../language/definitions.ts'
import { leadsToOne } from '../language/field-options.ts'
import type { Labels } from '../terms/labels.ts'
import { type Draft, type Layout, mostNamesIn, namesInCell, textOf } from './layout.ts'
import type { Lookup, Want } from './named-records.ts'

/** An error or warning about a record and one of its fields. */
export interface Remark extends Flaw {
  readonly type: 'error' | 'warning'
  readonly field?: FieldDef
}

/** A child record with an external id is created after its parent, to store that id. */
interface NamedLine {
  readonly field: One2manyDef
  readonly xmlid: string
  readonly vals: Record<string, unknown>
}

export interface Converted {
  /** The record to update; null for a new one. */
  readonly target: number | null
  /** The external id that the record has or gets. */
  readonly xmlid: string
  readonly vals: Record<string, unknown>
  readonly lines: readonly NamedLine[]
  readonly remarks: readonly Remark[]
}

const isMany = (field: FieldDef) => !leadsToOne(field)

/** Every record that a draft names, including itself and those that its child records name. */
export function wantsOf(draft: Draft): Want[] {
  const { layout } = draft
  return [
    ...ownWants(draft),
    ...layout.links.flatMap((link) =>
      namesInCell(textOf(draft, link.column), isMany(link.field)).map((text) => wantOf(link, text)),
    ),
    ...draft.lines.flat().flatMap(wantsOf),
  ]
}

/** An upper bound of the number of records that a draft and its child records name. */
export function mostWantsOf(draft: Draft): number {
  const { links } = draft.layout
  const named = links.reduce(
    (sum, link) => sum + mostNamesIn(textOf(draft, link.column), isMany(link.field)),
    ownWants(draft).length,
  )
  return draft.lines.flat().reduce((sum, line) => sum + mostWantsOf(line), named)
}

function ownWants(draft: Draft): Want[] {
  const { model, xmlid, id } = draft.layout
  const wants: Want[] = [
    { by: 'id', model, text: textOf(draft, xmlid) },
    { by: '.id', model, text: textOf(draft, id) },
  ]
  return wants.filter((want) => want.text !== '')
}

function wantOf(link: Layout['links'][number], text: string): Want {
  if (!link.field.comodel) throw new Error(`${link.field.name} is not a relational field.`)
  return { by: link.by, model: link.field.comodel, text }
}

/** The values of a draft. `lookup` must have every record that the draft names. */
export function convert(draft: Draft, lookup: Lookup): Converted {
  const vals: Record<string, unknown> = {}
  const remarks: Remark[] = []
  const named: NamedLine[] = []
  const target = targetOf(draft, lookup, remarks)
  for (const { field, column } of draft.layout.cells) {
    const cell = cellValue(field, draft.row[column] ?? '', lookup.labels(draft.layout.model))
    if (cell.flaw) remarks.push({ type: 'error', field, ...cell.flaw })
    else vals[field.name] = cell.value
  }
  for (const link of draft.layout.links) vals[link.field.name] = linkValue(draft, link, lookup, remarks)
  for (const [i, { field }] of draft.layout.lines.entries()) {
    const commands: unknown[] = []
    for (const line of draft.lines[i] ?? []) {
      const below = convert(line, lookup)
      // A remark on a child record is reported for the one2many that contains it.
      remarks.push(...below.remarks.map((remark) => ({ ...remark, field })))
      if (below.target !== null) commands.push([4, below.target], [1, below.target, below.vals])
      else if (below.xmlid) named.push({ field, xmlid: below.xmlid, vals: below.vals })
      else commands.push([0, 0, below.vals])
    }
    if (commands.length) vals[field.name] = commands
  }
  return { target, xmlid: textOf(draft, draft.layout.xmlid), vals, lines: named, remarks }
}

function targetOf(draft: Draft, lookup: Lookup, remarks: Remark[]): number | null {
  const { model } = draft.layout
  const [xmlid, id] = [textOf(draft, draft.layout.xmlid), textOf(draft, draft.layout.id)]
  if (id) {
    const [existing] = lookup.find({ by: '.id', model, text: id })
    if (existing === undefined)
      remarks.push({ type: 'error', message: `Unknown database identifier '${id}'` })
    return existing ?? null
  }
  const owner = xmlid ? lookup.owner(xmlid) : undefined
  if (!owner) return null
  if (owner.model !== model.name) {
    remarks.push({
      type: 'error',
      message: `The external ID '${xmlid}' belongs to a record of ${owner.model}, not of ${model.name}.`,
    })
    return null
  }
  return owner.id
}

const words = { name: 'name', id: 'external id', '.id': 'database id' } as const

function linkValue(draft: Draft, link: Layout['links'][number], lookup: Lookup, remarks: Remark[]): unknown {
  const { field, by } = link
  const ids: number[] = []
  for (const text of namesInCell(textOf(draft, link.column), isMany(field))) {
    const [first, ...others] = lookup.find(wantOf(link, text))
    if (first === undefined) {
      remarks.push({
        type: 'error',
        field,
        message: `No matching record found for ${words[by]} '${text}' in field '${field.label}'`,
        moreinfo: `Records of ${field.comodel?.label} (${field.comodel?.name}) are expected.`,
      })
      continue
    }
    if (others.length) {
      const message = `Found multiple matches for value '${text}' in field '${field.label}' (${others.length + 1} matches)`
      remarks.push({ type: 'warning', field, message })
    }
    ids.push(first)
  }
  if (leadsToOne(field)) return ids[0] ?? false
  return field.kind === 'many2many' ? [[6, 0, ids]] : ids.map((id) => [4, id])
}

// Converts a cell of an import to a value for `create` and `write`, or to a description of what is wrong
// with it.

export interface Flaw {
  readonly message: string
  readonly moreinfo?: string | readonly string[]
}
export type Cell = { readonly value: unknown; readonly flaw?: undefined } | { readonly flaw: Flaw }

const truths = new Set(['1', 'true', 'yes'])
const falsehoods = new Set(['0', 'false', 'no'])
/** An empty cell is false: it clears the field (spec/models-api.md section 9). */
export function cellValue(field: FieldDef, text: string, labels: Labels): Cell {
  if (text === '') return { value: false }
  if (field.kind === 'boolean') return booleanValue(field, text)
  if (field.kind === 'selection') return selectionValue(field, text, labels)
  const value = field.kind === 'json' || field.kind.startsWith('properties') ? parsed(text) : text
  if (value === undefined)
    return { flaw: { message: `The cell for field '${field.label}' is not valid JSON.` } }
  try {
    assertTaken(field, value)
    return { value }
  } catch (error) {
    // Errors about a cell's contents, such as a file that is not an image, have a message of their own.
    if (error instanceof UserError) return { flaw: { message: error.message } }
    if (!(error instanceof InvalidValue)) throw error
    const words = field.type.expected
    return {
      flaw: {
        message: words ? `'${text}' does not seem to be ${words} for field '${field.label}'` : error.message,
      },
    }
  }
}

function booleanValue(field: FieldDef, text: string): Cell {
  const word = text.toLowerCase()
  if (truths.has(word)) return { value: true }
  if (falsehoods.has(word)) return { value: false }
  return {
    flaw: {
      message: `Unknown value '${text}' for boolean field '${field.label}'`,
      moreinfo: "Use '1' for yes and '0' for no",
    },
  }
}

/** By key, then by label in the caller's language or in English, ignoring case. */
function selectionValue(field: FieldDef, text: string, labels: Labels): Cell {
  const entries = Object.entries(labels.options(field))
  const word = text.toLowerCase()
  const entry =
    entries.find(([key]) => key === text) ??
    entries.find(([key, label]) => [key, label].some((name) => name.toLowerCase() === word)) ??
    Object.entries(selectionOf(field)).find(([, label]) => label.toLowerCase() === word)
  if (entry) return { value: entry[0] }
  return {
    flaw: {
      message: `Value '${text}' not found in selection field '${field.label}'`,
      moreinfo: entries.map(([key, label]) => label || key),
    },
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
