// Converts a draft of an import to values for `create` or `write`, with errors and warnings.

import type { FieldDef, One2manyDef } from '../language/definitions.ts'
import { leadsToOne } from '../language/relations.ts'
import { cellValue, type Flaw } from './cells.ts'
import type { Layout } from './layout.ts'
import type { Lookup, Want } from './lookup.ts'
import { type Draft, mostNamesIn, namesInCell, textOf } from './split.ts'

/** An error or warning about a record and one of its fields. */
export interface Remark extends Flaw {
  readonly type: 'error' | 'warning'
  readonly field?: FieldDef
}

/**
 * A child record with an external id: it is created after its parent, so that the external id can be
 * stored.
 */
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
  if (!link.field.comodel) throw new Error(`${link.field.name} is no relation.`)
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

/** The existing record that a draft updates. */
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
